import { assertEquals } from "@std/assert";
import type { StayingRunner } from "../../../src/engine/runner.ts";
import { JoinedRunners } from "../../../src/serve/joined_runners.ts";

/** A runner that says what it is told to, and rings when it is told to. */
function runner(name: string, running: number, said: string[]) {
  let rung = Promise.withResolvers<void>();
  const one: StayingRunner = {
    bell: { wait: () => rung.promise },
    running,
    queued: 1,
    threads: 2,
    answersSoon: () => {
      said.push(`${name} is waited for`);
      return true;
    },
    drain: () => void said.push(`${name} is drained`),
    run: () => {
      throw new Error(name);
    },
    close: () => Promise.resolve(void said.push(`${name} is closed`)),
  };
  const ring = () => {
    rung.resolve();
    rung = Promise.withResolvers();
  };
  return { one, ring };
}

Deno.test("several runners before one loop: counted together, heard together, closed each by itself", async () => {
  const said: string[] = [];
  const first = runner("first", 1, said);
  const second = runner("second", 2, said);
  const idle = runner("idle", 0, said);
  const joined = new JoinedRunners(first.one);
  assertEquals(joined.answersSoon(1), true);
  joined.add(idle.one);
  assertEquals(joined.answersSoon(1), true);
  // Whoever waits already hears one that comes later, and the next wait hears the others still.
  const heard = joined.bell.wait();
  joined.add(second.one);
  assertEquals([joined.running, joined.queued, joined.threads], [3, 3, 6]);
  assertEquals(joined.answersSoon(1), false);
  second.ring();
  await heard;
  const again = joined.bell.wait();
  first.ring();
  await again;
  joined.drain();
  joined.delete(second.one);
  assertEquals(joined.running, 1);
  await joined.close();
  const waited = "first is waited for";
  const drained = ["first", "idle", "second"].map((name) => `${name} is drained`);
  assertEquals(said, [waited, waited, ...drained, "first is closed"]);
});
