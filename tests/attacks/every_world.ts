/**
 * Tries the tools of analysis in many worlds, each with as many requests: the tests try two.
 *
 *     deno run -A tests/attacks/every_world.ts [--from 100] [--worlds 20] [--requests 120]
 */

import { parseArgs } from "@std/cli";
import { tryWorld } from "./_analysis_trials.ts";

const { from, worlds, requests } = parseArgs(Deno.args, {
  string: ["from", "worlds", "requests"],
  default: { from: "100", worlds: "20", requests: "120" },
});
let count = 0;
for (let seed = Number(from); seed < Number(from) + Number(worlds); seed++) {
  const found = await tryWorld(seed, Number(requests));
  for (const each of found) console.log(each);
  count += found.length;
}
console.log(`${worlds} worlds of ${requests} requests, each three times: ${count} found`);
Deno.exitCode = count > 0 ? 1 : 0;
