/** How long a call may take to end when it was asked to, by a clock that the test moves. */

import { assertEquals } from "@std/assert";
import { jobOf, poolOf, StandInThreads } from "./_stand_in_threads.ts";

/** The time that deadlines are held against: it stands but for what it is moved by. */
class Clock implements Disposable {
  readonly #now = performance.now;
  #ms = 0;
  /** How often it was asked. */
  #asked = 0;

  constructor() {
    performance.now = () => {
      this.#asked++;
      return this.#ms;
    };
  }

  move(ms: number): void {
    this.#ms += ms;
  }

  /** Moves it on, and waits until it was seen. */
  async pass(ms: number): Promise<void> {
    this.move(ms);
    const asked = this.#asked;
    // Nobody asks it any more where all calls have ended.
    for (let turn = 0; turn < 2_000 && this.#asked < asked + 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
  }
}

Deno.test("a thread whose programs were killed has as long as they may take to be gone: others have theirs on it, too", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  using clock = new Clock();
  const grant = { timeoutMs: 1_000, killGraceMs: 500 };
  const [late, other] = [give(jobOf("spawn", { grant })), give(jobOf("spawn"))];
  threads.of(0).say({ kind: "ready", layers: ["policy"], reasons: [] });
  await clock.pass(1_001);
  assertEquals(threads.of(0).told("cancel").map(({ reason }) => reason), ["TIMEOUT"]);
  // SIGTERM, 500 ms, SIGKILL; 2 s for its end, and a quarter of one twice for its output.
  await clock.pass(500 + 2_000 + 2 * 250);
  await drain();
  assertEquals([late.ended(), other.ended(), threads.of(0).terminated], [null, null, false]);
  clock.move(5_000);
  assertEquals((await late.outcome).error?.code, "TIMEOUT");
  assertEquals(threads.of(0).terminated, true);
  await pool.close();
});
