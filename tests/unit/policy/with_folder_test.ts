import { assertEquals } from "@std/assert";
import { canonical, pathRule, rulebook } from "./_fixtures.ts";

Deno.test("a run's folder is open beside the rules, and to no more than the folder", () => {
  const rules = rulebook([
    { paths: [pathRule("allow", ["**"]), pathRule("deny", ["/tmp/r/run-1/shut/**"])] },
    { extensions: { read: null, write: { allow: null, deny: [".so"] } } },
  ]);
  const own = rules.withFolder(canonical("/tmp/r/run-1"));
  const cases = [
    ["write", "/tmp/r/run-1/a", "deny", "allow"],
    ["read", "/tmp/r/run-1", "deny", "allow"],
    ["write", "/tmp/r/run-1/a/b/c", "deny", "allow"],
    ["write", "/tmp/r/run-1/shut/a", "deny", "deny"],
    ["write", "/tmp/r/run-1/a.so", "deny", "deny"],
    ["write", "/tmp/r/run-2/a", "deny", "deny"],
    ["read", "/tmp/r/run-11", "deny", "deny"],
    ["read", "/tmp/r", "deny", "deny"],
    ["write", "/w/project/a", "allow", "allow"],
  ] as const;
  for (const [access, path, before, after] of cases) {
    const effects = [rules, own].map((one) => one.judgePath(access, canonical(path)).effect);
    assertEquals(effects, [before, after], `${access} ${path}`);
  }
});

Deno.test("a folder beside another leaves it open, and one named like a glob opens no other", () => {
  const rules = rulebook([{
    paths: [pathRule("allow", ["**"]), pathRule("ask", ["/tmp/r/b/**"])],
  }]);
  const one = rules.withFolder(canonical("/tmp/r/a"));
  const both = one.withFolder(canonical("/tmp/r/run-*"));
  const cases = [
    ["/tmp/r/a/x", "allow", "allow"],
    ["/tmp/r/run-*/x", "deny", "allow"],
    ["/tmp/r/run-2/x", "deny", "deny"],
    ["/tmp/r/b/x", "ask", "ask"],
    ["/w/project/x", "allow", "allow"],
  ] as const;
  for (const [path, first, second] of cases) {
    const effects = [one, both].map((each) => each.judgePath("read", canonical(path)).effect);
    assertEquals(effects, [first, second], path);
  }
});
