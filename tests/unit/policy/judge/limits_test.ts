import { assertEquals } from "@std/assert";
import type { CommandRule, Policy } from "../../../../src/policy/model.ts";
import { limitText } from "../../../../src/policy/limit_text.ts";
import { splitCommand } from "../../../../src/policy/match/argv.ts";
import { canonical, commandRule, program, rulebook, WORKSPACE } from "../_fixtures.ts";

const MiB = 2 ** 20;

function rule(
  pattern: string,
  memory: number | null = null,
  more: Partial<CommandRule> = {},
): CommandRule {
  const limits = memory === null ? {} : { limits: { memory: memory * MiB } };
  return { ...commandRule("allow", [pattern]), ...limits, ...more };
}

const found = (name: string) => name.includes("/") ? null : program(name);

/** What the policies give a command: `64MiB by p1.yaml commands[0]`, or nothing where no rule says anything. */
function given(
  command: string,
  policies: readonly Partial<Policy>[],
  key: "memory" | "processes" | "file" | "cpu" | "timeout" = "memory",
): string {
  const argv = splitCommand(command);
  const [name = ""] = argv;
  const said = rulebook(policies).limitsOf({
    argv,
    program: found(name),
    cwd: canonical(WORKSPACE),
  });
  if (said === null) return "-";
  const value = key === "timeout" ? said.timeoutMs : said.limits[key];
  const by = said.rules[key];
  const text = value === null ? "none" : limitText(key, value);
  return `${text}${by === undefined ? "" : ` by ${by.file} ${by.index}`}`;
}

/** `top`: `limits.memory` of each policy, in MiB. */
function policies(
  top: readonly (number | null)[],
  ...rules: readonly (readonly CommandRule[])[]
): readonly Partial<Policy>[] {
  return rules.map((commands, at) => {
    const memory = top[at] ?? null;
    return { commands, ...(memory === null ? {} : { limits: { memory: memory * MiB } }) };
  });
}

const SMALL = rule("python3", 64);
const LARGE = rule("npm ci", 4096);
const NARROW = "64MiB by p1.yaml commands[0]";
const WRAPPERS = ["env", "timeout", "sh", "xargs", "find", "nice"].map((name) => rule(name));

const CASES: readonly (readonly [string, string, readonly Partial<Policy>[]])[] = [
  ["python3 a.py", "-", policies([512], [rule("python3")])],
  ["python3 a.py", NARROW, policies([512], [SMALL])],
  // More than the policy's own limits, where the rule says so.
  ["npm ci", "4GiB by p1.yaml commands[0]", policies([512], [LARGE])],
  ["npm ci", "4GiB by p1.yaml commands[0]", policies([null], [LARGE])],
  ["npm test", "-", policies([512], [LARGE, rule("npm")])],
  // Of several that grant it the least counts, asked for or not.
  ["npm ci", "1GiB by p1.yaml commands[1]", policies([512], [LARGE, rule("npm", 1024)])],
  [
    "npm ci",
    "1GiB by p1.yaml commands[0]",
    policies([512], [rule("npm", 1024, { effect: "ask" }), LARGE]),
  ],
  ["npm ci", "4GiB by p1.yaml commands[1]", policies([512], [rule("npm"), LARGE])],
  // Of several policies the least of what each says, by its rules or else by its limits.
  ["npm ci", "-", policies([512, 256], [LARGE], [rule("npm"), rule("x", 1)])],
  ["npm ci", "1GiB by p2.yaml commands[0]", policies([512, 256], [LARGE], [rule("npm", 1024)])],
  ["npm ci", "4GiB by p1.yaml commands[0]", policies([512, null], [LARGE], [rule("npm")])],
  ["python3 a.py", NARROW, policies([512, 256], [SMALL], [rule("python3", 1024)])],
  // What a command starts by its own words is what it is given.
  ["env python3 a.py", NARROW, policies([512], [SMALL, ...WRAPPERS])],
  ["timeout 5 python3 a.py", NARROW, policies([512], [SMALL, ...WRAPPERS])],
  ["timeout 5 env nice python3 a.py", NARROW, policies([512], [SMALL, ...WRAPPERS])],
  ["xargs python3", NARROW, policies([512], [SMALL, ...WRAPPERS])],
  ["find . -exec python3 {} ;", NARROW, policies([512], [SMALL, ...WRAPPERS])],
  ["timeout 5 npm ci", "4GiB by p1.yaml commands[0]", policies([512], [LARGE, ...WRAPPERS])],
  [
    "find . -exec npm ci ; -exec python3 a ;",
    "64MiB by p1.yaml commands[1]",
    policies([512], [LARGE, SMALL]),
  ],
  // Beside one that rules say nothing of, the policy's own.
  [
    "find . -exec npm ci ; -exec npm test ;",
    "512MiB",
    policies([512], [LARGE, rule("npm", null, saysOther())]),
  ],
  // What the one that starts it may use itself, it may not pass by.
  [
    "timeout 5 npm ci",
    "32MiB by p1.yaml commands[1]",
    policies([512], [LARGE, rule("timeout", 32)]),
  ],
  // By a path that nobody looked at it is what it is called, and never more than by that path.
  ["env /usr/bin/python3 a.py", NARROW, policies([512], [SMALL, ...WRAPPERS])],
  [
    "env ./npm ci",
    "512MiB",
    policies([512], [LARGE, ...WRAPPERS, rule("./npm", null, saysOther())]),
  ],
  ["env ./npm ci", "96MiB by p1.yaml commands[1]", policies([512], [LARGE, rule("./npm", 96)])],
];

/** A rule that says something beside memory, so that the policies say something of the command. */
function saysOther(): Partial<CommandRule> {
  return { limits: { processes: 7 } };
}

for (const [command, expected, policiesOf] of CASES) {
  const rules = policiesOf.map(({ commands, limits }) => [
    limits?.memory ?? "-",
    ...(commands ?? []).map((one) => `${one.patterns} ${JSON.stringify(one.limits ?? "")}`),
  ]);
  Deno.test(`memory: ${command} by ${JSON.stringify(rules)}`, () => {
    assertEquals(given(command, policiesOf), expected);
  });
}

Deno.test("each limit comes from whoever says the least of it", () => {
  const both = policies([512], [
    rule("make", null, { limits: { processes: 8, cpu: 60_000 }, timeoutMs: 5_000 }),
    rule("make", 64, { timeoutMs: 9_000 }),
  ]);
  assertEquals(given("make", both), "64MiB by p1.yaml commands[1]");
  assertEquals(given("make", both, "processes"), "8 by p1.yaml commands[0]");
  assertEquals(given("make", both, "cpu"), "1m by p1.yaml commands[0]");
  assertEquals(given("make", both, "file"), "1GiB");
  assertEquals(given("make", both, "timeout"), "5s by p1.yaml commands[0]");
  assertEquals(given("timeout 5 make", both, "timeout"), "5s by p1.yaml commands[0]");
  assertEquals(given("make", policies([512], [rule("make", 64)]), "timeout"), "none");
});

Deno.test("a line is handed to no shell where a rule says what programs may use", () => {
  assertEquals(rulebook([{ commands: [rule("cat", 64)] }]).limitsRuns, true);
  assertEquals(rulebook([{ commands: [rule("cat", null, { timeoutMs: 5 })] }]).limitsRuns, true);
});
