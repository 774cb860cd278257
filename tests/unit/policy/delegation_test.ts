import { assertEquals, assertThrows } from "@std/assert";
import {
  type Delegation,
  DelegationError,
  policyOfDelegation,
} from "../../../src/policy/delegation.ts";
import type { Policy } from "../../../src/policy/model.ts";
import type { Subject } from "../../../src/policy/rulebook.ts";
import { file, READER, rulebook, RUNNER, spawn } from "./_fixtures.ts";

const BASE: Partial<Policy> = {
  paths: [{ effect: "allow", access: ["read", "write"], match: ["**"] }],
  commands: [{
    effect: "allow",
    patterns: ["git", "ls"],
    exact: false,
    examples: { match: [], notMatch: [] },
  }],
  agents: { root: { permissions: ["all"] }, "child-*": { permissions: ["all"] } },
};
const WHOLE: Delegation = {
  permissions: ["file_read", "file_write", "code_execution"],
  paths: null,
  commands: null,
};

Deno.test("what is handed on takes away, section by section", () => {
  const effect = (
    delegation: Partial<Delegation>,
    subject: Subject,
    capability: ReturnType<typeof file> | ReturnType<typeof spawn>,
  ) =>
    rulebook([BASE, policyOfDelegation({ ...WHOLE, ...delegation })])
      .decide({ ...subject, agent: "child-1" }, [capability]).effect;
  const read = (path: string) => file("fs.read", path);
  const table: readonly [Partial<Delegation>, Subject, Parameters<typeof effect>[2], string][] = [
    [{}, READER, read("a/x"), "allow"],
    [{ paths: ["a/**"] }, READER, read("a/x"), "allow"],
    [{ paths: ["a/**"] }, READER, read("b/x"), "deny"],
    [{ paths: [] }, READER, read("a/x"), "deny"],
    [{ permissions: ["file_write"] }, READER, read("a/x"), "deny"],
    [{ permissions: [] }, READER, read("a/x"), "deny"],
    [{}, RUNNER, spawn(["git", "push"]), "allow"],
    [{ commands: ["git status", "ls"] }, RUNNER, spawn(["git", "status"]), "allow"],
    [{ commands: ["git status", "ls"] }, RUNNER, spawn(["git", "push"]), "deny"],
    // It allows nothing that the policy does not.
    [{ commands: ["rm"] }, RUNNER, spawn(["rm", "a"]), "deny"],
    [{ commands: [] }, RUNNER, spawn(["ls"]), "deny"],
  ];
  for (const [delegation, subject, capability, expected] of table) {
    assertEquals(effect(delegation, subject, capability), expected, JSON.stringify(delegation));
  }
});

Deno.test("what is no glob or pattern is refused by its place", () => {
  const of = (delegation: Partial<Delegation>) => () =>
    policyOfDelegation({ ...WHOLE, ...delegation });
  assertThrows(of({ paths: ["a", "~/x"] }), DelegationError, "paths[1]");
  assertThrows(of({ commands: ["'git"] }), DelegationError, "commands[0]");
});
