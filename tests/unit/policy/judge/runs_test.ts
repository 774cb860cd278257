import { assertEquals } from "@std/assert";
import type { CommandRule } from "../../../../src/policy/model.ts";
import { splitCommand } from "../../../../src/policy/match/argv.ts";
import { rulebook } from "../_fixtures.ts";

const NO_EXAMPLES = { match: [], notMatch: [] };

function rule(pattern: string, runs?: CommandRule["runs"], more: Partial<CommandRule> = {}) {
  return {
    effect: "allow",
    patterns: [pattern],
    exact: false,
    examples: NO_EXAMPLES,
    ...(runs === undefined ? {} : { runs }),
    ...more,
  } as const;
}

/** What the rules let a command start, and whether a rule said so. */
function starts(command: string, ...policies: readonly (readonly CommandRule[])[]): string {
  const book = rulebook(policies.map((commands) => ({ commands })));
  const argv = splitCommand(command);
  const { starts, ruled } = book.effects({ kind: "process.spawn", argv, cwd: "." }, null);
  return `${typeof starts === "string" ? starts : starts.join(" ")}${ruled ? " (ruled)" : ""}`;
}

const CASES: readonly (readonly [string, string, ...(readonly CommandRule[])[]])[] = [
  ["cat a", "none", [rule("cat")]],
  ["python3 x.py", "any", [rule("python3")]],
  ["python3 x.py", "none (ruled)", [rule("python3", "none")]],
  ["cat a", "any (ruled)", [rule("cat", "any")]],
  ["npm test", "sh git (ruled)", [rule("npm test", ["sh", "git"])]],
  ["npm run x", "any", [rule("npm test", ["sh", "git"]), rule("npm run")]],
  // Of several that grant it all count; of several policies too.
  ["npm test", "git (ruled)", [rule("npm", ["git", "node"]), rule("npm test", ["sh", "git"])]],
  ["npm test", "none (ruled)", [rule("npm", ["node"]), rule("npm test", ["sh"])]],
  ["npm test", "sh (ruled)", [rule("npm", "any"), rule("npm test", ["sh"])]],
  ["npm test", "none (ruled)", [rule("npm", "none"), rule("npm test")]],
  ["npm test", "git (ruled)", [rule("npm", ["git", "sh"])], [rule("npm", ["git", "node"])]],
  ["npm test", "none (ruled)", [rule("npm", "any")], [rule("npm", "none")]],
  // One that must be asked for says so as well.
  ["npm test", "none (ruled)", [rule("npm", "none", { effect: "ask" }), rule("npm")]],
  // What a command starts has its own rules.
  ["timeout 5 npm test", "npm sh (ruled)", [rule("timeout"), rule("npm", ["sh"])]],
  ["timeout 5 npm test", "npm (ruled)", [rule("timeout"), rule("npm", "none")]],
  ["timeout 5 npm test", "none (ruled)", [rule("timeout", "none"), rule("npm", "any")]],
  ["timeout 5 cat a", "cat", [rule("timeout"), rule("cat"), rule("npm", "none")]],
];

for (const [command, expected, ...policies] of CASES) {
  const rules = policies.map((rules) => rules.map((r) => `${r.patterns}: ${r.runs ?? "-"}`));
  Deno.test(`runs: ${command} by ${JSON.stringify(rules)}`, () => {
    assertEquals(starts(command, ...policies), expected);
  });
}

Deno.test("a line is handed to no shell where a rule says what programs may start", () => {
  assertEquals(rulebook([{ commands: [rule("cat")] }]).limitsRuns, false);
  assertEquals(
    rulebook([{ commands: [rule("cat")] }, { commands: [rule("npm", "none")] }]).limitsRuns,
    true,
  );
});
