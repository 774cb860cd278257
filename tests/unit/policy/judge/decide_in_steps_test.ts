import { assert, assertEquals } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import { atOnce } from "../../../../src/policy/judge/decide.ts";
import { Random } from "../../../random.ts";
import {
  canonical,
  commandRule,
  file,
  pathRule,
  rulebook,
  RUNNER,
  spawn,
  WORKSPACE,
} from "../_fixtures.ts";

Deno.test("deciding goes on in steps, one for each path that is judged, to the same decision", () => {
  const book = rulebook([{
    paths: [pathRule("allow", ["**", "/**"])],
    commands: [commandRule("allow", ["*"])],
  }]);
  const operands = Array.from({ length: 50 }, (_, at) => ({
    requested: `f${at}`,
    path: canonical(`${WORKSPACE}/f${at}`),
    directory: false,
  }));
  const capabilities = [
    ...Array.from({ length: 30 }, (_, at) => file("fs.read", `g${at}`)),
    spawn(["cat"], { operands }),
  ];
  const steps = book.decideInSteps(RUNNER, capabilities);
  let taken = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) taken++;
  assert(taken >= 80, `${taken}`);
  const { findings: _, ...decision } = step.value;
  const { findings: __, ...whole } = book.decide(RUNNER, capabilities);
  assertEquals(decision, whole);
});

Deno.test("what starts no program is decided at once as it is in steps, and for the same reasons", async () => {
  const book = rulebook([{
    paths: [
      pathRule("allow", ["**"]),
      pathRule("ask", ["asked/**"]),
      pathRule("deny", ["**/*.key", "closed/**"]),
    ],
  }]);
  const random = new Random(16);
  const capability = (): ResolvedCapability => {
    if (random.once(5)) return { kind: "env.read", name: random.once(2) ? "HOME" : "API_KEY" };
    const folder = ["open", "asked", "closed", "../out"][random.below(4)];
    const name = random.once(4) ? "a.key" : "a.txt";
    return file(random.once(3) ? "fs.write" : "fs.read", `${folder}/${name}`);
  };
  const effects = new Set<string>();
  for (let round = 0; round < 300; round++) {
    const capabilities = Array.from({ length: random.below(5) }, capability);
    for (const subject of [RUNNER, { ...RUNNER, riskOfPrograms: false, risk: "safe" as const }]) {
      const { findings, ...whole } = book.decide(subject, capabilities);
      const { findings: other, ...decision } = atOnce(book.decideInSteps(subject, capabilities));
      assertEquals(whole, decision);
      if (round % 20 === 0) assertEquals(await findings(), await other());
      effects.add(whole.effect);
    }
  }
  assertEquals([...effects].sort(), ["allow", "ask", "deny"]);
});
