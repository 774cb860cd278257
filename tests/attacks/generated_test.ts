/** Attacks that are made at random, from a fixed seed: no trace of any. */

import { assert, assertEquals } from "@std/assert";
import { Random } from "../random.ts";
import { Arena } from "./_arena.ts";
import { generateAttack } from "./_generate.ts";
import { runAttacks } from "./_run_attacks.ts";
import { USERS } from "./_users.ts";

function lines(seed: number, count: number): readonly string[] {
  const random = new Random(seed);
  const found = new Set<string>();
  while (found.size < count) found.add(generateAttack(random));
  return [...found];
}

Deno.test("what is generated are attacks: a shell that nothing holds falls for many", async () => {
  await using arena = new Arena();
  const tried = lines(20_251_123, 120);
  let fell = 0;
  for (const line of tried) {
    await new Deno.Command("timeout", {
      args: ["-k", "1", "5", "bash", "-c", line],
      cwd: arena.root,
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", HOME: arena.root },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    if (arena.traces("").has("ran")) fell++;
    arena.reset();
  }
  assert(fell > tried.length / 3, `${fell} of ${tried.length} left their trace`);
});

for (const [at, [who, user]] of USERS.entries()) {
  Deno.test(`no generated attack leaves a trace, ${who}`, async () => {
    const trials = lines(20_251_124 + at, 1500 / USERS.length)
      .map((line) => ({ line, closed: false }));
    const { successes, answered } = await runAttacks(trials, { user });
    assertEquals(answered, trials.length);
    assertEquals(successes, []);
  });
}
