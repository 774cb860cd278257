import { assert, assertEquals } from "@std/assert";
import { compileRulebook } from "../../../../src/policy/compile.ts";
import { traceCapability } from "../../../../src/policy/judge/trace.ts";
import { Random } from "../../../random.ts";
import { canonical, READER, RUNNER, spawn, WORKSPACE } from "../_fixtures.ts";
import { Maker, type Section } from "../_maker.ts";

const OPTIONS = { caseInsensitive: false };

Deno.test("the rules that a trace shows are those by which decide() judges", () => {
  const make = new Maker(new Random(21));
  const seen: Record<string, number> = {};
  for (let round = 0; round < 600; round++) {
    const placed = [{ source: "p", policy: make.policy(), workspace: canonical(WORKSPACE) }];
    const rulebook = compileRulebook(placed, { system: [] });
    for (const section of ["paths", "commands", "network"] as const) {
      const capability = make.capability(section as Section);
      const decision = rulebook.decide(capability.kind === "process.spawn" ? RUNNER : READER, [
        capability,
      ]);
      const verdict = decision.verdicts[0]?.verdict;
      const said = () => JSON.stringify([placed, capability, verdict], null, 1);
      const traced = traceCapability(placed, capability, OPTIONS);
      // What a command would start in turn, and endings, are judged beside its rules.
      if (traced.length !== 1 || verdict?.rule?.index.startsWith("extensions")) continue;
      const [finding] = traced[0]!.findings;
      seen[finding!.effect] = (seen[finding!.effect] ?? 0) + 1;
      if (finding!.effect === "unnamed") {
        assertEquals([verdict?.effect, finding!.winner], ["deny", null], said());
        assert(
          finding!.matching.every(({ effect }) => effect !== "allow" || section === "network"),
        );
        continue;
      }
      assertEquals(finding!.effect, verdict?.effect, said());
      assertEquals(finding!.winner, verdict?.rule?.index, said());
      assert(finding!.matching.some(({ index }) => index === finding!.winner), said());
      // Nothing that matches is stricter than what decides.
      assert(
        finding!.effect === "deny" || finding!.matching.every(({ effect }) => effect !== "deny"),
      );
    }
  }
  for (const effect of ["allow", "ask", "deny", "unnamed"]) {
    assert((seen[effect] ?? 0) > 50, JSON.stringify(seen));
  }
});

Deno.test("a command is traced with what it would start, and with its operands", () => {
  const policy = new Maker(new Random(1)).policy();
  const placed = [{ source: "p", policy, workspace: canonical(WORKSPACE) }];
  const capability = spawn(["timeout", "5", "git", "push"], {
    operands: [{ requested: "x", path: canonical(`${WORKSPACE}/x`) }],
  });
  const about = traceCapability(placed, capability, OPTIONS).map((subject) =>
    subject.about === "command" ? subject.argv.join(" ") : subject.about
  ).filter((text) => text !== "cwd");
  assertEquals(about, ["timeout 5 git push", "git push", "operand"]);
});

Deno.test("a further policy without such rules is silent, the first one is not", () => {
  const policy = { ...new Maker(new Random(1)).policy(), commands: null };
  const placed = ["a", "b"].map((source) => ({ source, policy, workspace: canonical(WORKSPACE) }));
  const [command] = traceCapability(placed, spawn(["ls"]), OPTIONS);
  assertEquals(command?.findings.map(({ effect }) => effect), ["unnamed", "silent"]);
});
