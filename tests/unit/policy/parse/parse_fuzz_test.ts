import { assert, assertEquals } from "@std/assert";
import { parse as parseYaml, stringify } from "@std/yaml";
import { RISKS } from "../../../../src/core/tool.ts";
import { parseCommandPattern } from "../../../../src/policy/match/argv.ts";
import { parseHostPattern } from "../../../../src/policy/match/host.ts";
import { parsePathGlob } from "../../../../src/policy/match/path.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import {
  type ParsedPolicy,
  parsePolicy,
  renderProblems,
} from "../../../../src/policy/parse/parse.ts";
import { keyIn } from "../../../../src/config/key_position.ts";

const SHIPPED = ["default", "strict", "read-only"].map((name) =>
  Deno.readTextFileSync(new URL(`../../../../policy/${name}.yaml`, import.meta.url))
);

/** mulberry32: the same sequence at every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What holds for each policy that loads, whatever text it came from. */
function assertSound(policy: Policy): void {
  assertEquals(policy.version, 1);
  for (const rule of policy.paths ?? []) {
    assert(rule.access.length > 0 && rule.match.length > 0);
    rule.match.forEach(parsePathGlob);
  }
  for (const rule of policy.commands ?? []) {
    assert(rule.patterns.length > 0 && typeof rule.exact === "boolean");
    rule.patterns.forEach(parseCommandPattern);
  }
  for (const rule of policy.network ?? []) rule.hosts.forEach(parseHostPattern);
  if (policy.risk !== null) {
    assert(RISKS.indexOf(policy.risk.allow) <= RISKS.indexOf(policy.risk.ask));
  }
  const amounts = [
    ...Object.values(policy.limits ?? {}),
    ...Object.values(policy.timeouts ?? {}).filter((time) => time !== null).map((time) => time + 1),
  ];
  for (const amount of amounts) assert(Number.isSafeInteger(amount) && amount > 0, `${amount}`);
  for (const ending of policy.extensions?.write?.deny ?? []) assert(ending.startsWith("."));
  for (const value of Object.values(policy.environment?.set ?? {})) {
    assertEquals(typeof value, "string");
  }
  assertEquals(JSON.parse(JSON.stringify(policy)), policy);
}

function assertAnswered(parsed: ParsedPolicy, text: string): void {
  if ("policy" in parsed) return assertSound(parsed.policy);
  assert(parsed.problems.length > 0);
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const problem of parsed.problems) {
    assertEquals(problem.source, "fuzz.yaml");
    assert(problem.message.length > 0);
    assert(problem.line === undefined || (problem.line >= 1 && problem.line <= lines));
  }
  assert(!renderProblems(parsed.problems).includes("undefined"));
}

Deno.test("parsePolicy() answers whatever becomes of a policy's text", () => {
  const below = random(20_261_121);
  const pieces = [
    "\t",
    "\0",
    "\r",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "#",
    "|\n",
    "&a ",
    "*a",
    "!!str ",
    "~",
    "\uFEFF",
    "\u2028",
    "---\n",
    "<<: ",
    "\ud800",
  ];
  let loaded = 0;
  for (let round = 0; round < 700; round++) {
    let text = SHIPPED[below(SHIPPED.length)] ?? "";
    for (let edits = 1 + below(3); edits > 0; edits--) {
      const at = below(text.length);
      const end = at + 1 + below(12);
      switch (below(5)) {
        case 0: // one character becomes another
          text = text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + 1);
          break;
        case 1: // a stretch is gone
          text = text.slice(0, at) + text.slice(end);
          break;
        case 2: // a stretch stands elsewhere, too
          text = text.slice(0, at) + text.slice(below(at + 1), at).slice(-30) + text.slice(at);
          break;
        case 3: // what means something to YAML turns up
          text = text.slice(0, at) + (pieces[below(pieces.length)] ?? "") + text.slice(at);
          break;
        case 4: { // a line is gone, or stands twice
          const lines = text.split("\n");
          const line = below(lines.length);
          if (below(2) === 0) lines.splice(line, 1);
          else lines.splice(line, 0, lines[line] ?? "");
          text = lines.join("\n");
        }
      }
    }
    const parsed = parsePolicy(text, "fuzz.yaml");
    if ("policy" in parsed) loaded++;
    assertAnswered(parsed, text);
  }
  // Edits in comments and reasons leave a policy whole: both kinds of answers were seen.
  assert(loaded > 100 && loaded < 1400, `${loaded} loaded`);
});

type Tree = { [key: string]: unknown } | unknown[];

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

/** A node below the top, its parent and its key. */
function pick(
  root: Tree,
  below: (n: number) => number,
): { parent: Tree; name: string; key: string } {
  let parent = root;
  let key = "";
  for (;;) {
    const names = Object.keys(parent);
    const name = names[below(names.length)] ?? "";
    const child = Reflect.get(parent, name);
    const childKey = Array.isArray(parent) ? `${key}[${name}]` : keyIn(key, name);
    if (!isTree(child) || Object.keys(child).length === 0 || below(4) === 0) {
      return { parent, name, key: childKey };
    }
    parent = child;
    key = childKey;
  }
}

Deno.test("parsePolicy() reports a changed value in the section where it is", () => {
  const below = random(7);
  const strangers: readonly unknown[] = [
    null,
    true,
    0,
    -1,
    1.5,
    Infinity,
    NaN,
    1e300,
    "",
    "x",
    "30",
    [],
    [[]],
    {},
    { x: 1 },
    ["read"],
    "1 MiB",
    "\u0000",
    "a\u202eb",
  ];
  let refused = 0;
  for (let round = 0; round < 400; round++) {
    const root = parseYaml(SHIPPED[below(SHIPPED.length)] ?? "", { schema: "core" }) as Tree;
    const { parent, name, key } = pick(root, below);
    const section = /^[a-z]+/.exec(key)?.[0] ?? "";
    const action = below(3);
    if (action === 0) {
      Reflect.set(parent, name, strangers[below(strangers.length)]);
    } else if (Array.isArray(parent)) {
      parent.splice(Number(name), 1);
    } else {
      if (action === 1) Reflect.set(parent, `${name}_`, Reflect.get(parent, name));
      Reflect.deleteProperty(parent, name);
    }
    const text = stringify(root);
    const parsed = parsePolicy(text, "fuzz.yaml");
    assertAnswered(parsed, text);
    if ("policy" in parsed) continue;
    refused++;
    for (const problem of parsed.problems) {
      assert(problem.key.startsWith(section), `${problem.key} for ${key}\n${text}`);
      assert(problem.line !== undefined || problem.key === "version", problem.key);
    }
  }
  assert(refused > 150, `${refused} refused`);
});
