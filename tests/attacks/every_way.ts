/**
 * Tries all lines of the collection by every way and as every user, which takes minutes: the tests try all by one way, and
 * some by each. Prints what left a trace.
 *
 *     deno run -A tests/attacks/every_way.ts [--way serve|mcp|call] [--as 'an ordinary user'] [--from 0] [--to 2000]
 */

import { parseArgs } from "@std/cli";
import { runAttacks, WAYS } from "./_run_attacks.ts";
import { TRIALS } from "./_trials.ts";
import { USERS } from "./_users.ts";

const { way: only, as, from, to } = parseArgs(Deno.args, {
  string: ["way", "as", "from", "to"],
  default: { from: "0", to: String(TRIALS.length) },
});
const trials = TRIALS.slice(Number(from), Number(to));
let through = 0;
for (const way of WAYS.filter((one) => only === undefined || only === one)) {
  for (const [who, user] of USERS.filter(([one]) => as === undefined || as === one)) {
    const { successes, answered } = await runAttacks(trials, { user, way });
    console.log(
      `${way}, ${who}: ${answered} of ${trials.length} lines, ${successes.length} traces`,
    );
    for (const one of successes) console.log(JSON.stringify(one));
    through += successes.length + (trials.length - answered);
  }
}
Deno.exitCode = through > 0 ? 1 : 0;
