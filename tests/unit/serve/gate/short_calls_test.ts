/** Short calls of many: as many of one caller as his answers are short, and none of who does not read. */

import { assertEquals } from "@std/assert";
import type { Job, Outcome, Running } from "../../../../src/engine/runner.ts";
import {
  newShortParty,
  ShortCalls,
  type ShortParty,
} from "../../../../src/serve/gate/short_calls.ts";

const JOB = { tool: { name: "read_file" } } as unknown as Job;

/** Calls that end when they are told to, with an answer of so many characters. */
class Stage {
  readonly calls = new ShortCalls();
  readonly began: string[] = [];
  readonly #ends = new Map<string, (length: number) => void>();

  run(party: ShortParty, name: string): Running {
    return this.calls.run(party, JOB, () => {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      this.began.push(name);
      this.#ends.set(
        name,
        (length) =>
          resolve({ output: "x".repeat(length), error: null, usage: {} } as unknown as Outcome),
      );
      return { outcome: promise, cancel: () => {} };
    });
  }

  async end(name: string, length: number): Promise<void> {
    this.#ends.get(name)?.(length);
    this.#ends.delete(name);
    for (let turn = 0; turn < 10; turn++) await null;
  }

  /** Those that are under way. */
  get open(): readonly string[] {
    return [...this.#ends.keys()];
  }

  async endAll(length: number): Promise<void> {
    for (const name of this.open) await this.end(name, length);
  }
}

Deno.test("who has short answers has many calls under way, who has long ones few", async () => {
  const stage = new Stage();
  const [short, long] = [newShortParty(null), newShortParty(null)];
  for (let at = 0; at < 400; at++) {
    stage.run(short, `short ${at}`);
    stage.run(long, `long ${at}`);
  }
  assertEquals([short.running, long.running], [2, 2]);
  let most = 0;
  while (stage.open.length > 0) {
    for (const name of stage.open) {
      await stage.end(name, name.startsWith("short") ? 1000 : 900_000);
    }
    most = Math.max(most, short.running);
    assertEquals(long.running, Math.min(2, long.running));
  }
  assertEquals(most, 64);
  assertEquals(stage.began.length, 800);
  const shorts = stage.began.filter((name) => name.startsWith("short"));
  assertEquals(shorts, Array.from({ length: 400 }, (_, at) => `short ${at}`));
});

Deno.test("who does not read has none begun until he does; others go on", async () => {
  const stage = new Stage();
  let full = true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stuck = newShortParty({
    get full() {
      return full;
    },
    room: () => promise,
  });
  const reading = newShortParty(null);
  stage.run(stuck, "stuck 1");
  stage.run(stuck, "stuck 2");
  stage.run(reading, "read 1");
  assertEquals(stage.began, ["read 1"]);
  await stage.endAll(10);
  assertEquals(stage.began, ["read 1"]);
  full = false;
  resolve();
  for (let turn = 0; turn < 10; turn++) await null;
  assertEquals(stage.began.slice(1), ["stuck 1", "stuck 2"]);
});

Deno.test("all have a bound together, and their turns; what waits can be cancelled", async () => {
  const stage = new Stage();
  const parties = Array.from({ length: 100 }, () => newShortParty(null));
  const running = parties.map((party, at) => [0, 1].map((n) => stage.run(party, `${at}.${n}`)));
  assertEquals(stage.open.length, 128);
  const last = running[99]?.[1] as Running;
  last.cancel();
  assertEquals((await last.outcome).error?.code, "CANCELLED");
  while (stage.open.length > 0) await stage.endAll(10);
  assertEquals(stage.began.length, 199);
  assertEquals(stage.began.includes("99.1"), false);
});
