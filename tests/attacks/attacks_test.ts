/** The collection of attacks on command lines, judged by what they leave behind. */

import { assert, assertEquals } from "@std/assert";
import { Arena, type Marker } from "./_arena.ts";
import { readAttacks } from "./_read_lines.ts";
import { runAttacks, WAYS } from "./_run_attacks.ts";
import { byCall, EVERY_WAY, TRIALS } from "./_trials.ts";
import { USERS } from "./_users.ts";

const ATTACKS = readAttacks();

Deno.test("the collection is large, and names each line once", () => {
  assert(ATTACKS.length >= 250, `${ATTACKS.length} lines`);
  assertEquals(new Set(ATTACKS.map(({ line }) => line)).size, ATTACKS.length);
  assert(EVERY_WAY.size > 70, `${EVERY_WAY.size} by every way`);
  assert(byCall(0, 1).length > 25, `${byCall(0, 1).length} by call`);
});

/** Of the lines that bash may run, those that leave their trace on most machines: shells and tools differ. */
const MOST = 0.6;

Deno.test("the attacks are some: a shell that nothing holds falls for them", async () => {
  const tried = ATTACKS.filter(({ control }) => control);
  assert(tried.length >= 250, `${tried.length} lines`);
  let fell = 0;
  const queue = tried.values();
  // Two at once: some wait for what never comes.
  await Promise.all([1, 2].map(async () => {
    await using arena = new Arena();
    for (const { line, marker } of queue) if (await falls(arena, line, marker)) fell++;
  }));
  assert(fell > tried.length * MOST, `${fell} of ${tried.length} left their trace`);
});

/** How often a line that still runs is looked at: some leave their trace a thousand times. */
const LOOK_MS = 200;

/** Whether the line leaves its trace where a shell runs it; it is ended when the trace is there. */
async function falls(arena: Arena, line: string, marker: Marker): Promise<boolean> {
  const seen = new AbortController();
  const child = new Deno.Command("timeout", {
    args: ["-k", "1", "5", "bash", "-c", arena.placed(line).replaceAll("\0", "")],
    cwd: arena.root,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: arena.root, LC_ALL: "C.UTF-8" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // `timeout` passes it on to all of its group.
    signal: seen.signal,
  });
  const looking = setInterval(() => {
    if (arena.traces("").has(marker)) seen.abort();
  }, LOOK_MS);
  const { stdout, stderr } = await child.output();
  clearInterval(looking);
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const fell = arena.traces(said).has(marker);
  arena.reset();
  return fell;
}

Deno.test("a trace would be seen: what is allowed runs, and leaves it", async () => {
  const { successes } = await runAttacks([
    { line: "cp a.txt pwned", closed: false },
    { line: "cat a.txt | tee src/pwned", closed: false },
  ], { patient: true });
  assertEquals(successes.map(({ traces }) => traces), [["ran"], ["ran"]]);
});

/**
 * All lines over the pipe as the last of the users, an ordinary one where it can be had; of them those of every way by each.
 * By `call`, which starts the binary for each line, some of these, shared out among the users.
 */
const [ordinary] = USERS.slice(-1);

for (const way of WAYS) {
  for (const [at, user] of USERS.entries()) {
    const [who, as] = user;
    Deno.test(`no attack leaves a trace, ${way}, ${who}`, async () => {
      const all = way === "serve" && user === ordinary;
      const trials = all ? TRIALS : way === "call" ? byCall(at, USERS.length) : [...EVERY_WAY];
      const { successes, answered } = await runAttacks(trials, { user: as, way });
      assertEquals(answered, trials.length);
      assertEquals(successes, []);
    });
  }
}
