/**
 * Six tools of analysis over the pipe in workspaces that are made to lead them to what is denied, and to end them: what they
 * answer is the same whatever the denied files hold, and whether they are there; nobody waits for ever, and nothing fails
 * that has no word for it. `every_world.ts` tries more of them.
 */

import { assert } from "@std/assert";
import { answersIn, createWorld, essence, OPEN, SENTINEL } from "./_analysis_worlds.ts";
import { tryWorld } from "./_analysis_trials.ts";

const SEEDS = [19, 20];
const REQUESTS = 30;

for (const seed of SEEDS) {
  Deno.test(`analysis, world ${seed}: no answer hangs on what is denied`, async () => {
    const found = await tryWorld(seed, REQUESTS);
    assert(found.length === 0, found.join("\n"));
  });
}

/** One for each tool, of what is denied. */
const CONTROLS = [
  { tool: "analyze_code_structure", args: { path: "closed" } },
  { tool: "measure_code_complexity", args: { path: "closed" } },
  { tool: "analyze_dependencies", args: { path: "closed" } },
  {
    tool: "find_code_patterns",
    args: { path: "closed/secret.ts", pattern: "(identifier) @name" },
  },
  { tool: "find_similar_code", args: { path: "closed", min_tokens: 20 } },
  { tool: "analyze_performance", args: { profiling_data: "closed/folded" } },
];

Deno.test("analysis, control: where all may be read, each tool tells what would be denied, and hangs on it", async () => {
  const world = createWorld(SEEDS[0] ?? 0);
  const { answers } = await answersIn(world, CONTROLS, OPEN);
  const { answers: others } = await answersIn(world, CONTROLS, OPEN, "changed");
  for (const [at, answer] of answers.entries()) {
    assert(JSON.stringify(answer.output).includes(SENTINEL), CONTROLS[at]?.tool);
    assert(essence(answer) !== essence(others[at] ?? answer), CONTROLS[at]?.tool);
  }
});
