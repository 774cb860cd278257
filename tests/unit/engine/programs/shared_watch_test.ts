import { assertEquals } from "@std/assert";
import {
  type Follower,
  type SharedWatch,
  type WatchKernel,
  WatchSharing,
} from "../../../../src/engine/programs/shared_watch.ts";
import type { RunShare } from "../../../../src/host/kernel/run_marks.ts";
import type { ProcessWatch } from "../../../../src/engine/programs/process_watch.ts";

Deno.test("one watch follows the programs of all who start some, and ends with the last of them", () => {
  const steps: string[] = [];
  const given: Follower[] = [];
  const sharing = new WatchSharing((follower) => {
    given.push(follower);
    steps.push("open");
    return {
      begin: (job: number, leader: number, share?: RunShare) =>
        steps.push(`begin ${job} ${leader} ${share?.number}`),
      endLeft: (job: number) => steps.push(`endLeft ${job}`),
      abandon: (job: number) => steps.push(`abandon ${job}`),
      settle: (job: number) => (steps.push(`settle ${job}`), null),
      close: () => steps.push("close"),
    } as unknown as ProcessWatch;
  });
  const follow = (name: string, job: number): SharedWatch | null =>
    sharing.join({
      isUnderWay: (isJob) => isJob(job),
      onExceeded: (which, limit, share) => {
        if (which === job) steps.push(`${name}: ${limit} ${share}`);
      },
    });
  const [one, other] = [follow("one", 1), follow("other", 2)];
  one?.begin(1, 100, { number: 4, memory: 1, processes: 1, cpu: 1 });
  other?.begin(2, 200);
  one?.endLeft(1);
  one?.abandon(1);
  assertEquals(other?.settle(2), null);
  const [whole] = given;
  assertEquals([1, 2, 3].map((job) => whole?.isUnderWay((one) => one === job)), [
    true,
    true,
    false,
  ]);
  whole?.onExceeded(2, "memory", 4);
  assertEquals(steps, [
    "open",
    "begin 1 100 4",
    "begin 2 200 undefined",
    "endLeft 1",
    "abandon 1",
    "settle 2",
    "other: memory 4",
  ]);
  one?.close();
  one?.close();
  assertEquals(steps.includes("close"), false);
  other?.close();
  assertEquals(steps.at(-1), "close");
  // Who comes later gets a new one.
  follow("third", 3)?.close();
  assertEquals(steps.slice(-2), ["open", "close"]);
});

Deno.test("the first follower's system calls make the watch, where it has some", () => {
  const given: (WatchKernel | null)[] = [];
  const sharing = new WatchSharing((_, kernel) => {
    given.push(kernel);
    return { close: () => {} } as unknown as ProcessWatch;
  });
  const follower = { isUnderWay: () => false, onExceeded: () => {} };
  const kernel = { libc: {}, spawner: {} } as unknown as WatchKernel;
  const first = sharing.join(follower, kernel);
  assertEquals(sharing.join({ ...follower }) === null, false);
  assertEquals(given, [kernel]);
  first?.close();
  assertEquals(given.length, 1);
});

Deno.test("where programs cannot be watched nobody follows any", () => {
  const sharing = new WatchSharing(() => null);
  assertEquals(sharing.join({ isUnderWay: () => false, onExceeded: () => {} }), null);
});
