import { assert, assertEquals } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import { compileRulebook } from "../../../../src/policy/compile_rulebook.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { Answered, Subject } from "../../../../src/policy/rulebook.ts";
import { Random } from "../../../random.ts";
import {
  ACTIONS,
  canonical,
  commandRule,
  file,
  pathRule,
  policy,
  READER,
  rulebook,
  RUNNER,
  spawn,
  WORKSPACE,
} from "../_fixtures.ts";
import { Maker, type Section } from "../_maker.ts";

const ANYTHING = {
  paths: pathRule("allow", ["**", "/**"]),
  commands: commandRule("allow", ["*"]),
  network: { effect: "allow", hosts: ["*"], methods: null, allowPrivate: true },
} as const;

function book(policies: readonly Policy[]) {
  const workspace = canonical(WORKSPACE);
  const placed = policies.map((one, at) => ({ source: `p${at}`, policy: one, workspace }));
  return compileRulebook(placed, { system: ["/usr"], actions: ACTIONS });
}

async function found(
  policies: readonly Policy[],
  subject: Subject,
  capability: ResolvedCapability,
): Promise<readonly Answered[]> {
  const { capabilities } = await book(policies).decide(subject, [capability]).findings();
  return capabilities[0] ?? [];
}

Deno.test("the rules that are told are those that decide, each pattern as it would alone", async () => {
  const make = new Maker(new Random(21));
  const seen: Record<string, number> = {};
  for (let round = 0; round < 500; round++) {
    const policies = [make.policy(), ...make.list(0, 1, () => make.policy())];
    for (const section of ["paths", "commands", "network"] as const) {
      const capability = make.capability(section as Section);
      const subject = capability.kind === "process.spawn" ? RUNNER : READER;
      const decision = book(policies).decide(subject, [capability]);
      const verdict = decision.verdicts[0]?.verdict;
      const said = () => JSON.stringify([policies, capability, verdict], null, 1);
      const { capabilities: [questions] } = await decision.findings();
      const answers = questions?.[0]?.policies ?? [];
      assertEquals(
        answers.map(({ file, policy }) => [file, policy]),
        policies.map((_, at) => [
          `p${at}`,
          at,
        ]),
      );
      for (const [at, { effect, winner, matching, tried }] of answers.entries()) {
        seen[effect] = (seen[effect] ?? 0) + 1;
        const rules = policies[at]?.[section] ?? [];
        assertEquals(tried, rules.length);
        // Whatever decides is among what matches, and nothing that matches is stricter.
        if (effect === "unnamed") {
          assertEquals(winner, null, said());
          assert(matching.every((rule) => rule.effect !== "allow"), said());
        } else {
          const deciding = matching.filter(({ index }) => index === winner);
          assert(deciding.length > 0, said());
          assert(effect === "deny" || matching.every((rule) => rule.effect !== "deny"), said());
          assert(effect !== "allow" || matching.every((rule) => rule.effect === "allow"), said());
        }
        // A rule that is told of speaks where it stands alone, and no other does.
        for (const [order, rule] of rules.entries()) {
          const beside = rule.effect === "allow" ? [] : [ANYTHING[section]];
          const alone = policy({ [section]: [rule, ...beside], risk: make.policy().risk });
          const [answer] = await found([alone], subject, capability);
          const speaks = answer?.policies[0]?.effect === rule.effect;
          const told = matching.some(({ index }) => index === `${section}[${order}]`);
          assertEquals(told, speaks, `${section}[${order}] ${said()}`);
        }
      }
      // What is read, written or connected to is judged by these rules and by endings alone.
      const asked = questions?.length === 1 && !verdict?.rule?.index.startsWith("extensions");
      if (!asked || policies.length > 1) continue;
      const [{ effect, winner } = { effect: "silent", winner: null }] = answers;
      assertEquals(effect === "unnamed" ? "deny" : effect, verdict?.effect, said());
      if (winner !== null) assertEquals(winner, verdict?.rule?.index, said());
    }
  }
  for (const effect of ["allow", "ask", "deny", "unnamed"]) {
    assert((seen[effect] ?? 0) > 50, JSON.stringify(seen));
  }
});

Deno.test("a decision is at least as strict as each finding, and no stricter without one", async () => {
  const make = new Maker(new Random(22));
  let refused = 0;
  for (let round = 0; round < 800; round++) {
    const policies = [make.policy(), ...make.list(0, 2, () => make.policy())];
    const capability = make.capability(make.random.pick(["paths", "commands", "network"] as const));
    const agent = make.random.pick(["root", "a", "ab"]);
    const base = capability.kind === "process.spawn" ? RUNNER : READER;
    const decision = book(policies).decide({ ...base, agent }, [capability]);
    const findings = await decision.findings();
    const answers = findings.capabilities.flat().flatMap(({ policies }) => policies);
    const denied = answers.some(({ effect, ending }) =>
      effect === "deny" || effect === "unnamed" || ending !== null
    ) || findings.agents.some(({ granted }) =>
      !granted
    );
    const uncertain = decision.verdicts.some(({ verdict }) =>
      verdict.code === "COMMAND_UNPARSABLE"
    );
    assertEquals(
      decision.effect === "deny",
      denied || uncertain,
      JSON.stringify([policies, capability, decision, findings], null, 1),
    );
    if (denied) refused++;
  }
  assert(refused > 100 && refused < 790, `${refused}`);
});

Deno.test("a command is told of with what it would start, and with its operands", async () => {
  const capability = spawn(["timeout", "5", "git", "push"], {
    operands: [{ requested: "x", path: canonical(`${WORKSPACE}/x`) }],
  });
  const answers = await found([new Maker(new Random(1)).policy()], RUNNER, capability);
  const about = answers.map(({ question }) =>
    question.about === "command" ? question.command.argv.join(" ") : question.about
  ).filter((text) => text !== "cwd");
  assertEquals(about, ["timeout 5 git push", "git push", "operand"]);
});

Deno.test("a further policy without such rules is silent, the first one is not", async () => {
  const silent = { ...new Maker(new Random(1)).policy(), commands: null };
  const [command] = await found([silent, silent], RUNNER, spawn(["ls"]));
  assertEquals(command?.policies.map(({ effect }) => effect), ["unnamed", "silent"]);
});

Deno.test("what judging takes in beside the rules of paths is told too", async () => {
  const capability = { ...file("fs.write", "a.exe"), backups: true } as const;
  const decision = rulebook([{
    paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/*.bak"])],
    extensions: { read: null, write: { allow: null, deny: [".exe"] } },
  }]).decide({ ...READER, permission: "file_write" }, [capability]);
  const { capabilities: [answers], agents, thresholds } = await decision.findings();
  assertEquals(
    answers?.map(({ policies: [finding] }) => [finding?.effect, finding?.ending?.index ?? null]),
    [["allow", "extensions.write.deny"], ["deny", null]],
  );
  assertEquals(agents.map(({ file, granted }) => [file, granted]), [["p1.yaml", true]]);
  assertEquals(thresholds.map(({ file }) => file), ["p1.yaml"]);
});

Deno.test("where programs may read by sandbox.system, no rule is missing", async () => {
  const capability = { ...file("fs.read", "/usr/share/x"), by: "program" } as const;
  const answers = await found([policy({ paths: [] })], READER, capability);
  assertEquals(answers[0]?.policies.map(({ effect }) => effect), ["system"]);
});

Deno.test("a shell that is not started is asked about by what restricts alone", async () => {
  const opened = { ...spawn(["sh", "-c", "ls"]), opened: true } as const;
  for (
    const [commands, effect] of [
      [[], "silent"],
      [[commandRule("deny", ["sh"])], "deny"],
    ] as const
  ) {
    const answers = await found([policy({ commands })], RUNNER, opened);
    assertEquals(answers[0]?.policies.map((finding) => finding.effect), [effect]);
  }
});
