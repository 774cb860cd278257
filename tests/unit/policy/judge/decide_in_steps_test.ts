import { assert, assertEquals } from "@std/assert";
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
  const { findings: __, ...atOnce } = book.decide(RUNNER, capabilities);
  assertEquals(decision, atOnce);
});
