import { assertEquals } from "@std/assert";
import type { PluginRule } from "../../../src/policy/model.ts";
import { parsePolicy } from "../../../src/policy/parse/parse.ts";
import { mayRegister } from "../../../src/policy/plugin_rules.ts";

Deno.test("a pipe registers tools where the first policy allows it and no other denies it", () => {
  const rule = (registration: PluginRule["registration"]) => ({
    policy: { plugins: { manifests: [], registration } },
  });
  const silent = { policy: { plugins: null } };
  assertEquals(mayRegister([silent]), false);
  assertEquals(mayRegister([rule(null)]), false);
  assertEquals(mayRegister([rule("allow")]), true);
  assertEquals(mayRegister([rule("allow"), silent, rule(null)]), true);
  assertEquals(mayRegister([rule("allow"), rule("deny")]), false);
  assertEquals(mayRegister([silent, rule("allow")]), false);
  assertEquals(mayRegister([rule("deny"), rule("allow")]), false);
});

Deno.test("plugins is a list of manifests, or a mapping that says more", () => {
  const read = (body: string) => {
    const parsed = parsePolicy(`version: 1\nplugins: ${body}\n`, "x");
    return "policy" in parsed ? parsed.policy.plugins : parsed.problems.map(({ key }) => key);
  };
  assertEquals(read("[a.yaml]"), { manifests: ["a.yaml"], registration: null });
  assertEquals(read("{ manifests: [a.yaml], registration: allow }"), {
    manifests: ["a.yaml"],
    registration: "allow",
  });
  assertEquals(read("{ registration: deny }"), { manifests: [], registration: "deny" });
  assertEquals(read("{ registration: yes }"), ["plugins.registration"]);
  assertEquals(read("{ files: [] }"), ["plugins.files"]);
  assertEquals(read("{ manifests: a }"), ["plugins.manifests"]);
});
