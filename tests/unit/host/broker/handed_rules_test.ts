import { assertEquals } from "@std/assert";
import { NameJudge } from "../../../../src/host/broker/handed_rules.ts";
import type { Access } from "../../../../src/policy/model.ts";
import { Random } from "../../../random.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { rulebookOf } from "../_rulebook.ts";

const ROOT = canonical("/w");
const RULEBOOK = rulebookOf(ROOT, {
  paths: [
    { effect: "allow", access: ["read", "write"], match: ["**"] },
    { effect: "deny", access: ["write"], match: ["**/.git/**", "a/b/*"] },
    { effect: "ask", access: ["read"], match: ["b/**/c"] },
    { effect: "deny", access: ["read", "write"], match: ["**/.env"], outside: ["c"] },
    { effect: "deny", access: ["read", "write"], match: ["a/**/b/a", "c/c/**"] },
  ],
  extensions: {
    read: { allow: null, deny: [] },
    write: { allow: null, deny: [".exe"] },
  },
});
const NAMES = ["a", "b", "c", ".git", ".env", "x.exe"];

Deno.test("names are judged as by the policy, whatever was asked of the folders around them before", () => {
  const judge = new NameJudge(RULEBOOK);
  const random = new Random(7);
  let refused = 0;
  for (let count = 0; count < 20_000; count++) {
    const parts = Array.from({ length: 1 + random.below(6) }, () => random.pick(NAMES));
    const path = `${random.once(20) ? "/elsewhere" : ROOT}/${parts.join("/")}`;
    const access = random.pick(["read", "write"] as const);
    const kind = random.pick(["file", "directory"] as const);
    const allows = (one: Access): boolean =>
      RULEBOOK.judgePath(one, canonical(path), kind).effect === "allow";
    const expected = !allows("read")
      ? "read"
      : access === "write" && !allows("write")
      ? "write"
      : null;
    assertEquals(judge.refused(access, path, kind), expected, `${access} ${kind} ${path}`);
    if (expected !== null) refused++;
  }
  assertEquals(refused > 5_000 && refused < 19_000, true, String(refused));
});

Deno.test("the policy is asked about the root alone, once for each access, and paths may be as deep as they are long", () => {
  const asked: string[] = [];
  const judge = new NameJudge({
    ...RULEBOOK,
    judgeBelow(access, folder) {
      asked.push(`${access} ${folder}`);
      return RULEBOOK.judgeBelow(access, folder);
    },
  });
  for (let at = 0; at < 100; at++) {
    assertEquals(judge.refused("read", `/w/n${at}/.gitignore`, "file"), null);
    assertEquals(judge.refused("read", `/w/n${at}/.env`, "file"), "read");
  }
  assertEquals(asked, ["read /"]);
  assertEquals(judge.refused("write", "/w/n1/.git/x", "file"), "write");
  assertEquals(asked, ["read /", "write /"]);
  const deep = `/w${"/d".repeat(2040)}`;
  assertEquals(judge.refused("read", `${deep}/.env`, "file"), "read");
  assertEquals(judge.refused("read", `${deep}/a`, "file"), null);
});

Deno.test("more folders than are remembered are each what they are", () => {
  const judge = new NameJudge(RULEBOOK);
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 5_000; at++) {
      const below = at % 2 === 0 ? `n${at}` : `n${at}/.git`;
      assertEquals(judge.refused("write", `/w/${below}/f`, "file"), at % 2 === 0 ? null : "write");
    }
  }
});
