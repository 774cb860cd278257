/** What a call may that somebody agreed to. */

import { assert, assertEquals } from "@std/assert";
import { withAgreed } from "../../../../src/engine/programs/_agreed_rules.ts";
import type { AgreedFile } from "../../../../src/policy/grant.ts";
import { canonical, pathRule, rulebook, WORKSPACE } from "../../policy/_fixtures.ts";

const RULES = rulebook([{
  paths: [
    pathRule("allow", ["**"]),
    pathRule("ask", ["drafts/**", "drafts", "one.txt"]),
    pathRule("deny", ["drafts/shut", "**/.env"]),
  ],
}]);
const at = (path: string) => canonical(`${WORKSPACE}/${path}`);
const agreed = (access: AgreedFile["access"], path: string): AgreedFile => ({
  access,
  path: at(path),
});

Deno.test("nothing agreed to changes nothing", () => {
  assert(withAgreed(RULES, []) === RULES);
});

Deno.test("what was agreed to is allowed, with what a folder holds, and nothing else", () => {
  const rules = withAgreed(RULES, [agreed("read", "drafts"), agreed("write", "one.txt")]);
  const rows: readonly ["read" | "write", string, string][] = [
    ["read", "drafts", "allow"],
    ["read", "drafts/a", "allow"],
    ["read", "drafts/deep/a", "allow"],
    ["write", "drafts/a", "ask"],
    ["read", "drafts/shut", "deny"],
    ["read", "drafts/.env", "deny"],
    ["write", "one.txt", "allow"],
    ["read", "one.txt", "ask"],
    ["read", "else.txt", "allow"],
    ["read", "draftsman", "allow"],
  ];
  for (const [access, path, effect] of rows) {
    assertEquals(rules.judgePath(access, at(path), "file").effect, effect, `${access} ${path}`);
    const [name = "", ...above] = path.split("/").reverse();
    const folder = above.reverse().reduce(
      (judge, part) => judge.into(part),
      rules.judgeBelow(access, canonical(WORKSPACE)),
    );
    assertEquals(folder.effectOf(name, "file"), effect, `${access} ${path}, from above`);
  }
});

Deno.test("a folder that need not be asked for says nothing of what must be in it", () => {
  const rules = withAgreed(RULES, [agreed("read", "src"), agreed("read", ".")]);
  assertEquals(rules.judgePath("read", at("drafts/a"), "file").effect, "ask");
});
