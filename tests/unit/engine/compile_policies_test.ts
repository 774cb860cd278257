import { assertEquals, assertThrows } from "@std/assert";
import { compilePolicies } from "../../../src/engine/compile_policies.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { canonical, pathRule, policy, WORKSPACE } from "../policy/_fixtures.ts";

const HERE = canonical(WORKSPACE);

function compiled(...all: readonly Partial<Policy>[]) {
  const policies = all.map((sections, at) => ({
    source: `p${at}.yaml`,
    policy: policy(sections),
    workspace: HERE,
  }));
  return compilePolicies(policies, createRegistry());
}

const READER = { agent: "root", risk: "safe", permission: null, riskOfPrograms: false } as const;

Deno.test("a rule on an alias is one on the tool, also where the tool comes later", () => {
  const shut = { enabled: false };
  for (const [name, tool] of [["fs.read", "read_file"], ["custom.say", "say"]] as const) {
    const book = compiled({ tools: { [name]: shut } });
    assertEquals(book.offers({ ...READER, tool }), false, name);
    assertEquals(book.offers({ ...READER, tool: "other" }), true, name);
  }
});

Deno.test("the strictest of several policies holds", () => {
  const open = { paths: [pathRule("allow", ["**"])] };
  const book = compiled(open, { paths: [pathRule("allow", ["src/**"])] });
  assertEquals(book.judgePath("read", canonical(`${WORKSPACE}/src/a`)).effect, "allow");
  assertEquals(book.judgePath("read", canonical(`${WORKSPACE}/b`)).effect, "deny");
});

Deno.test("policies of two workspaces contradict each other", () => {
  const one = { source: "a", policy: policy(), workspace: HERE };
  const other = { source: "b", policy: policy(), workspace: canonical("/elsewhere") };
  assertThrows(() => compilePolicies([one, other], createRegistry()).settings);
});
