import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import { compileRulebook } from "../../../../src/policy/compile_rulebook.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { parsePolicy, renderProblems } from "../../../../src/policy/parse/parse.ts";
import type { PermissionGroup } from "../../../../src/core/tool.ts";
import { remediesFor, type Remedy } from "../../../../src/policy/judge/remedy.ts";
import type { Subject } from "../../../../src/policy/rulebook.ts";
import { Random } from "../../../random.ts";
import {
  ACTIONS,
  canonical,
  file,
  pathRule,
  policy,
  READER,
  RUNNER,
  spawn,
  WORKSPACE,
} from "../_fixtures.ts";
import { Maker, type Section } from "../_maker.ts";

const SYSTEM = ["/usr"];

function placed(policies: readonly Policy[]) {
  return policies.map((one, at) => ({
    source: `p${at + 1}`,
    policy: one,
    workspace: canonical(WORKSPACE),
  }));
}

async function ask(policies: readonly Policy[], subject: Subject, capability: ResolvedCapability) {
  const all = placed(policies);
  const book = compileRulebook(all, { system: SYSTEM, actions: ACTIONS });
  const decision = book.decide(subject, [capability]);
  const remedies = remediesFor({
    subject,
    decision,
    findings: await decision.findings(),
    policies: all.map(({ source, policy }, at) => ({
      source,
      passes: policy.environment !== null || at === 0,
    })),
    workspace: canonical(WORKSPACE),
  });
  return { decision, remedies };
}

/** The policies with each entry written where its remedy says, through the parser. */
function applied(policies: readonly Policy[], remedies: readonly Remedy[]): readonly Policy[] {
  return policies.map((one, at) =>
    remedies.filter(({ file: name }) => name === `p${at + 1}`).reduce(withEntry, one)
  );
}

function withEntry(before: Policy, { key, add }: Remedy): Policy {
  assert(add !== null);
  const [section = ""] = key.split(".");
  const indented = key.split(".").map((name, depth) => `${"  ".repeat(depth)}${name}:`).join("\n");
  const depth = "  ".repeat(key.split(".").length);
  const whole = key === "risk" ? `risk: ${add}` : `${indented}\n${depth}${add}`;
  const parsed = parsePolicy(`version: 1\n${whole}\n`, "remedy");
  assert("policy" in parsed, "problems" in parsed ? renderProblems(parsed.problems) : "");
  const { paths, commands, network, agents, risk, environment, extensions } = parsed.policy;
  switch (section) {
    case "paths":
      return { ...before, paths: [...before.paths ?? [], ...paths ?? []] };
    case "commands":
      return { ...before, commands: [...before.commands ?? [], ...commands ?? []] };
    case "network": {
      const allowed = (network ?? []).map((rule) => ({ ...rule, allowPrivate: true }));
      return { ...before, network: [...before.network ?? [], ...allowed] };
    }
    case "agents":
      return { ...before, agents: { ...before.agents, ...agents } };
    case "risk":
      return { ...before, risk };
    case "environment": {
      const pass = [...before.environment?.pass ?? [], ...environment?.pass ?? []];
      return { ...before, environment: { set: {}, ...before.environment, pass } };
    }
    case "extensions": {
      const old = before.extensions?.read;
      const allow = [...old?.allow ?? [], ...extensions?.read?.allow ?? []];
      return { ...before, extensions: { read: { deny: [], ...old, allow }, write: null } };
    }
    default:
      throw new Error(`no such section: ${key}`);
  }
}

Deno.test("what is named makes it allowed, wherever something can be added", async () => {
  const make = new Maker(new Random(31));
  const mended: Record<string, number> = {};
  for (let round = 0; round < 1500; round++) {
    const policies = Array.from({ length: 1 + make.random.below(2) }, () => make.policy());
    const section = make.random.pick(["paths", "commands", "network"] as const) as Section;
    const capability = make.capability(section);
    const agent = make.random.pick(["root", "a", "ab", "x\n*"]);
    const base = capability.kind === "process.spawn" ? RUNNER : READER;
    const { decision, remedies } = await ask(policies, { ...base, agent }, capability);
    if (decision.effect === "allow") {
      assertEquals(remedies, []);
      continue;
    }
    const said = () => JSON.stringify([policies, capability, decision, remedies], null, 1);
    assert(remedies.length > 0, said());
    if (remedies.some(({ add }) => add === null) || agent.includes("\n")) continue;
    const again = await ask(applied(policies, remedies), { ...base, agent }, capability);
    assertEquals(again.decision.effect, "allow", said());
    mended[section] = (mended[section] ?? 0) + 1;
  }
  for (const section of ["paths", "commands", "network"]) {
    assert((mended[section] ?? 0) > 20, JSON.stringify(mended));
  }
});

Deno.test("odd names are written so that they mean themselves", async () => {
  const base = policy({ paths: [], commands: [], risk: { allow: "dangerous", ask: "dangerous" } });
  for (
    const name of [
      "a*b",
      "{x}",
      "[q]",
      "a,b",
      "!n",
      "\\",
      "~home",
      "ü\u202e",
      "a b",
      "'",
      '"',
      "\t",
    ]
  ) {
    for (const capability of [file("fs.read", name), spawn(["tool", name])]) {
      const subject = capability.kind === "process.spawn" ? RUNNER : READER;
      const { remedies } = await ask([base], subject, capability);
      const after = await ask(applied([base], remedies), subject, capability);
      assertEquals(after.decision.effect, "allow", JSON.stringify([name, remedies]));
      const other = capability.kind === "process.spawn"
        ? spawn(["tool", "axb"])
        : file("fs.read", "axb");
      const beside = await ask(applied([base], remedies), subject, other);
      assertEquals(beside.decision.effect, "deny", name);
      assert(remedies.every(({ add }) => !/[\u202e\t]/.test(add ?? "")), JSON.stringify(remedies));
    }
  }
});

Deno.test("a tool that reads and is to write lacks one group or both, and both are named", async () => {
  const agents = (permissions: readonly PermissionGroup[]) => ({
    agents: { root: { permissions } },
  });
  for (
    const [granted, needed] of [
      [["file_read"], "file_read, file_write"],
      [["code_execution"], "code_execution, file_read, file_write"],
      [["file_write"], "file_write, file_read"],
    ] as const
  ) {
    const allow = policy({ paths: [pathRule("allow", ["**"])], ...agents(granted) });
    const { remedies } = await ask([allow], READER, file("fs.write", "a"));
    const added = remedies.filter(({ key }) => key === "agents").map(({ add }) => add);
    assertEquals(added, [`"root": { permissions: [${needed}] }`]);
  }
});

Deno.test("a path outside is never told from where it really lies", async () => {
  const hidden = { ...file("fs.read", "/secret/place/x"), requested: "link/x" };
  const { remedies } = await ask([policy({ paths: [] })], READER, hidden);
  assert(!JSON.stringify(remedies).includes("secret"), JSON.stringify(remedies));
  const named = await ask([policy({ paths: [] })], READER, file("fs.read", "/srv/x"));
  assertStringIncludes(named.remedies[0]?.add ?? "", "/srv/x");
});

Deno.test("what a rule denies or asks for names that rule; what governs the run cannot be lifted", async () => {
  const paths = [
    { effect: "allow", access: ["read"], match: ["**"] },
    { effect: "deny", access: ["read"], match: ["a"] },
  ] as const;
  const { remedies } = await ask([policy({ paths })], READER, file("fs.read", "a"));
  assertEquals(remedies.map(({ key, add }) => [key, add]), [["paths[1]", null]]);
  assertStringIncludes(remedies[0]?.how ?? "", '"a"');
});
