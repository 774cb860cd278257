import { ALL, type Case, check } from "./_decide_cases.ts";
import { commandRule, RUNNER, spawn } from "../_fixtures.ts";
import type { CommandRule, Policy } from "../../../../src/policy/model.ts";

const RISK = { risk: { allow: "moderate", ask: "dangerous" } } as const;

const policy = (...commands: readonly CommandRule[]): Partial<Policy> => ({
  paths: [ALL],
  commands,
  ...RISK,
});
const bears = (...patterns: readonly string[]) =>
  commandRule("allow", patterns, { risk: "dangerous" });

const PLAIN = commandRule("allow", ["python3", "timeout", "rm", "make"]);

/** Under `python3 -c` and `rm -r build` as risky as they are, what is asked for beside them. */
const CASES: readonly (readonly [name: string, argv: readonly string[], asked: boolean])[] = [
  ["the command itself", ["python3", "-c", "1"], false],
  ["with all that stands behind it", ["python3", "-c", "1", "-r", "x"], false],
  ["another way to the same", ["python3", "-Sc", "1"], true],
  ["another option before it", ["python3", "-i", "-c", "1"], true],
  ["where another starts it", ["timeout", "5", "python3", "-c", "1"], false],
  ["where another starts another", ["timeout", "5", "rm", "-rf", "src"], true],
  ["a whole command", ["rm", "-r", "build"], false],
  ["a whole command with more", ["rm", "-r", "build", "src"], true],
];

check([
  ...CASES.map(([name, argv, asked]): Case => ({
    name: `a rule that bears a risk: ${name}`,
    policies: [policy(
      PLAIN,
      bears("python3 -c"),
      commandRule("allow", ["rm -r build"], { exact: true, risk: "dangerous" }),
    )],
    capabilities: [spawn(argv)],
    expect: asked ? ["ask", "APPROVAL_REQUIRED", "risk"] : ["allow"],
  })),
  {
    name: "a rule that bears a risk: for no other command of the call",
    policies: [policy(PLAIN, bears("python3 -c"))],
    capabilities: [spawn(["python3", "-c", "1"]), spawn(["rm", "-r", "src"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
    says: ["rm -r removes whole folders"],
  },
  {
    name: "a rule that bears a risk: as much as it says",
    policies: [{
      ...policy(PLAIN, commandRule("allow", ["python3 -c"], { risk: "moderate" })),
    }],
    capabilities: [spawn(["python3", "-c", "1"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "a rule that bears a risk: a further policy counts by its own rules",
    policies: [policy(PLAIN, bears("python3 -c")), policy(PLAIN)],
    capabilities: [spawn(["python3", "-c", "1"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "a rule that bears a risk: a further policy gives nothing",
    policies: [policy(PLAIN), policy(PLAIN, bears("python3 -c"))],
    capabilities: [spawn(["python3", "-c", "1"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "a rule that bears a risk: not against one that asks",
    policies: [policy(PLAIN, bears("python3 -c"), commandRule("ask", ["python3 -c"]))],
    capabilities: [spawn(["python3", "-c", "1"])],
    expect: ["ask", "APPROVAL_REQUIRED", "commands[2]"],
  },
  {
    name: "a rule that bears a risk: not what variables make of a command",
    policies: [{ ...policy(PLAIN, bears("make")), environment: { pass: ["CC"], set: {} } }],
    capabilities: [spawn(["make"]), { kind: "env.read", name: "CC", change: true }],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "a rule that bears a risk: not what the policy says of the tool",
    policies: [{
      ...policy(PLAIN, bears("python3 -c")),
      tools: { run_command: { risk: "dangerous" } },
    }],
    capabilities: [spawn(["python3", "-c", "1"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
], RUNNER);
