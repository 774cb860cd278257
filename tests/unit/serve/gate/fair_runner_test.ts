import { assertEquals } from "@std/assert";
import type { Job, Outcome, StayingRunner } from "../../../../src/engine/runner.ts";
import { FairPlaces } from "../../../../src/serve/gate/fair_runner.ts";

/** A runner that ends its calls when it is told to, in the order in which they began. */
class Stage {
  readonly began: string[] = [];
  readonly cancelled: string[] = [];
  readonly #ends = new Map<string, () => void>();

  readonly runner = {
    run: ({ tool }: Job) => {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      this.began.push(tool.name);
      this.#ends.set(
        tool.name,
        () => resolve({ output: "null", error: null, usage: {} } as Outcome),
      );
      return { outcome: promise, cancel: () => this.cancelled.push(tool.name) };
    },
  } as unknown as StayingRunner;

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    for (let turn = 0; turn < 10; turn++) await null;
  }
}

/** A call that starts a program (`long`), or reads. */
function job(name: string, long = true): Job {
  return {
    tool: { name, ...(long ? { riskOfPrograms: true } : {}) },
    grant: { read: [], write: [], connect: [], spawn: [] },
    preview: false,
  } as unknown as Job;
}

const stays = () => Promise.resolve();
const ignore = () => {};

Deno.test("one caller has all places but one, and others have their turns", async () => {
  const stage = new Stage();
  const places = new FairPlaces(3);
  const [a, b, c] = [1, 2, 3].map(() => places.share(stage.runner, stays));
  for (const name of ["a1", "a2", "a3", "a4"]) void a?.run(job(name), ignore);
  assertEquals(stage.began, ["a1", "a2"]);
  void b?.run(job("b1"), ignore);
  void b?.run(job("b2"), ignore);
  void c?.run(job("c1"), ignore);
  assertEquals(stage.began, ["a1", "a2", "b1"]);
  // Who waits comes in turn, not in the order of his calls.
  await stage.end("a1");
  await stage.end("a2");
  await stage.end("b1");
  assertEquals(stage.began.slice(3).toSorted(), ["a3", "b2", "c1"]);
  for (const name of ["a3", "b2", "c1"]) await stage.end(name);
  assertEquals(stage.began.at(-1), "a4");
});

Deno.test("where there is one place it is given out in turn; short calls wait for none", async () => {
  const stage = new Stage();
  const places = new FairPlaces(1);
  const [a, b] = [1, 2].map(() => places.share(stage.runner, stays));
  for (const name of ["a1", "a2", "a3"]) void a?.run(job(name), ignore);
  void b?.run(job("b1"), ignore);
  void b?.run(job("short", false), ignore);
  assertEquals(stage.began, ["a1", "short"]);
  await stage.end("a1");
  await stage.end("a2");
  await stage.end("b1");
  assertEquals(stage.began.filter((name) => name !== "short").slice(0, 4).toSorted(), [
    "a1",
    "a2",
    "a3",
    "b1",
  ]);
  // It was second or third, whatever the other had waiting before it.
  assertEquals(stage.began.indexOf("b1") < stage.began.indexOf("a3"), true);
});

Deno.test("a call that waits is cancelled where it is, one that runs where it runs", async () => {
  const stage = new Stage();
  const a = new FairPlaces(1).share(stage.runner, stays);
  const first = a.run(job("a1"), ignore);
  const second = a.run(job("a2"), ignore);
  second.cancel();
  assertEquals((await second.outcome).error?.code, "CANCELLED");
  first.cancel();
  assertEquals(stage.cancelled, ["a1"]);
  await stage.end("a1");
  assertEquals(stage.began, ["a1"]);
});
