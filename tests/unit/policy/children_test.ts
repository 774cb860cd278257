import { assertEquals, assertThrows } from "@std/assert";
import { PolicyConflict } from "../../../src/policy/compile_rulebook.ts";
import type { CanonicalPath, Program } from "../../../src/core/capability.ts";
import type { ChildrenRule, NetworkRule } from "../../../src/policy/model.ts";
import { rulebook } from "./_fixtures.ts";

const AGENT: Program = {
  path: "/usr/bin/agent" as CanonicalPath,
  start: "/usr/bin/agent",
  names: ["agent", "/usr/bin/agent"],
};
const RULE: ChildrenRule = {
  command: ["agent", "{task}"],
  protocol: "ndjson",
  isolation: "worktree",
  max: 4,
  depth: 2,
  timeout: 60_000,
  network: null,
};
const of = (...rules: readonly (ChildrenRule | null)[]) =>
  rulebook(rules.map((children) => children === null ? {} : { children })).settings.children;

Deno.test("a further policy has fewer children, less deep, for less long, and none of its own", () => {
  assertEquals(of(null), null);
  assertEquals(of(RULE, null), RULE);
  assertEquals(of(RULE, { ...RULE, max: 9, depth: 1, timeout: 90_000 }), { ...RULE, depth: 1 });
  assertEquals(of(RULE, { ...RULE, isolation: "clone" })?.isolation, "clone");
  assertEquals(of({ ...RULE, isolation: "clone" }, RULE)?.isolation, "clone");
  assertEquals(of(RULE, { ...RULE, max: 1 }, { ...RULE, timeout: 5 })?.timeout, 5);
  assertThrows(() => of(null, RULE), PolicyConflict, "starts none");
  assertThrows(() => of(RULE, { ...RULE, command: ["other"] }), PolicyConflict, "starts another");
  assertThrows(() => of(RULE, { ...RULE, protocol: "acp" }), PolicyConflict, "starts another");
});

const rule = (effect: "allow" | "ask" | "deny", ...hosts: readonly string[]): NetworkRule => ({
  effect,
  hosts,
  methods: null,
  allowPrivate: false,
});

Deno.test("the program of a child reaches what children.network opens, by every policy, and nothing else", () => {
  const named = (...hosts: readonly string[]) => ({
    ...rule("allow", ...hosts),
    commands: ["agent"],
  });
  const children = (...network: readonly NetworkRule[]) => ({ ...RULE, network });
  const rows: readonly (readonly [
    policies: Parameters<typeof rulebook>[0],
    host: string,
    child: boolean,
    effect: string,
    index: string,
  ])[] = [
    [[{ children: children(rule("allow", "a.example")) }], "a.example", true, "allow", ""],
    [
      [{ children: children(rule("allow", "a.example")) }],
      "b.example",
      true,
      "deny",
      "children.network",
    ],
    // What is for the program by its name, or for tools, is not for the child; nor the other way round.
    [
      [{ network: [named("a.example")], children: children() }],
      "a.example",
      true,
      "deny",
      "children.network",
    ],
    [
      [{ network: [rule("allow", "a.example")], children: children() }],
      "a.example",
      true,
      "deny",
      "children.network",
    ],
    [[{ network: [named("a.example")], children: children() }], "a.example", false, "allow", ""],
    [[{ children: children(rule("allow", "a.example")) }], "a.example", false, "deny", "network"],
    // What is denied or asked for binds it.
    [
      [{ network: [rule("deny", "a.example")], children: children(rule("allow", "*")) }],
      "a.example",
      true,
      "deny",
      "network[0]",
    ],
    [
      [{ network: [rule("ask", "a.example")], children: children(rule("allow", "*")) }],
      "a.example",
      true,
      "ask",
      "network[0]",
    ],
    [
      [{ network: [rule("ask", "a.example")], children: children() }],
      "a.example",
      true,
      "deny",
      "children.network",
    ],
    [
      [{ children: children(rule("allow", "*"), rule("deny", "a.example")) }],
      "a.example",
      true,
      "deny",
      "children.network[1]",
    ],
    [
      [{ children: children(rule("ask", "a.example")) }],
      "a.example",
      true,
      "ask",
      "children.network[0]",
    ],
    // A further policy opens nothing, and a silent one takes nothing away.
    [[{ children: children(rule("allow", "a.example")) }, {}], "a.example", true, "allow", ""],
    [
      [{ children: children(rule("allow", "a.example")) }, {
        children: children(rule("allow", "b.example")),
      }],
      "a.example",
      true,
      "deny",
      "children.network",
    ],
    [
      [{ children: RULE }, { children: children(rule("allow", "a.example")) }],
      "a.example",
      true,
      "deny",
      "children.network",
    ],
    [
      [{ children: children(rule("allow", "a.example")) }, {
        network: [rule("allow", "a.example")],
      }],
      "a.example",
      true,
      "deny",
      "children.network",
    ],
    // The address that it stands for is judged, too.
    [
      [{ children: children(rule("allow", "127.0.0.1")) }],
      "127.0.0.1",
      true,
      "deny",
      "children.network",
    ],
  ];
  for (const [policies, host, child, effect, index] of rows) {
    const command = {
      argv: ["agent"],
      program: AGENT,
      cwd: "/w",
      ...(child ? { child: true } as const : {}),
    };
    const verdict = rulebook(policies).decide(
      {
        tool: "launch_app",
        agent: "child-1",
        risk: "safe",
        permission: null,
        riskOfPrograms: false,
      },
      [{ kind: "net.connect", host, port: 443, by: "program", proxied: true, command }],
    ).verdicts[0]?.verdict;
    const row = JSON.stringify([policies, host, child, verdict]);
    assertEquals(verdict?.effect, effect, row);
    if (index !== "") assertEquals(verdict?.rule?.index, index, row);
  }
  const { scope } = rulebook([{ children: children(rule("allow", "a.example:80")) }]);
  assertEquals([scope.programConnect.map(({ port }) => port), scope.connect], [[80], []]);
});

Deno.test("agent tools are offered where the policy has children", () => {
  const subject = {
    tool: "spawn_child_agent",
    agent: "root",
    risk: "moderate",
    permission: "agent_spawn",
    riskOfPrograms: false,
  } as const;
  assertEquals(rulebook([{}]).offers(subject), false);
  assertEquals(rulebook([{ children: RULE }]).offers(subject), true);
});
