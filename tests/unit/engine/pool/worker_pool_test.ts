/** Which thread a call is given, when a thread is started, ended or replaced, and what its callers hear. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { jsonText, toJsonText } from "../../../../src/core/result.ts";
import type { SharedWatch } from "../../../../src/engine/programs/shared_watch.ts";
import { Clock } from "./_clock.ts";
import { jobOf, poolOf, StandInThreads } from "./_stand_in_threads.ts";

const BOUNDARY = { read: [], write: [], connect: [], spawn: null };

Deno.test("reads share a thread and stand in line there, writes have one of their own", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  const calls = [give(jobOf("read")), give(jobOf("write")), give(jobOf("read"))];
  assertEquals(threads.lanes, ["read", "write"]);
  assertEquals([threads.of(0).jobs, threads.of(1).jobs], [[1, 3], [2]]);
  assertEquals([pool.running, pool.threads], [3, 2]);
  threads.of(0).say({ kind: "ready", layers: ["policy", "landlock"], reasons: ["no bubblewrap"] });
  threads.of(0).say(
    { kind: "done", job: 1, error: null, usage: { bytes: 5 } },
    toJsonText({ text: "a" }),
  );
  await drain();
  const ended = calls.map(({ ended }) => ended());
  assertEquals(ended.map((one) => one && { ...one, output: jsonText(one.output) }), [
    {
      output: toJsonText({ text: "a" }),
      error: null,
      usage: {
        bytes: 5,
        layers: ["policy", "landlock"],
        layers_missing: ["no bubblewrap"],
      },
    },
    null,
    null,
  ]);
  assertEquals(pool.running, 2);
  await pool.close();
});

Deno.test("who calls on a closed pool is told so: nobody would hear a thread of it", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf();
  await pool.close();
  const late = give(jobOf("read"));
  await Promise.resolve();
  assertEquals([late.ended()?.error?.code, pool.running, threads.all.length], ["CANCELLED", 0, 0]);
});

Deno.test("long calls have a thread each, four at most; what waits goes on when one has ended", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  const calls = Array.from({ length: 6 }, () => give(jobOf("long")));
  assertEquals(threads.lanes, Array(4).fill("read-long"));
  threads.of(2).done(3);
  await drain();
  assertEquals(threads.of(2).jobs, [3, 5]);
  threads.of(0).done(1);
  await drain();
  assertEquals(threads.of(0).jobs, [1, 6]);
  assertEquals(threads.all.length, 4);
  assertEquals(calls.map(({ ended }) => ended() !== null), [
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
  await pool.close();
});

Deno.test("commands share a thread, as many at once as the policy lets, the rest in the order they came", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf({ sections: { limits: { concurrency: 2 } } });
  for (let count = 0; count < 5; count++) give(jobOf("spawn"));
  assertEquals([threads.lanes, threads.of(0).jobs], [["spawn"], [1, 2]]);
  threads.of(0).done(2);
  await drain();
  assertEquals(threads.of(0).jobs, [1, 2, 3]);
  threads.of(0).done(3);
  threads.of(0).done(1);
  await drain();
  assertEquals(threads.of(0).jobs, [1, 2, 3, 4, 5]);
  await pool.close();
});

Deno.test("where the boundary of a thread cannot be drawn nothing is started, and the call says why", async () => {
  using threads = new StandInThreads();
  const errors = [new ToolError("NATIVE_DENIED", "no bubblewrap here"), new TypeError("secret")];
  const { pool, give } = poolOf({
    boundaryOf: () => {
      throw errors.shift();
    },
  });
  const [told, hidden] = [await give(jobOf("spawn")).outcome, await give(jobOf("spawn")).outcome];
  assertEquals([told.error?.code, told.error?.message], ["NATIVE_DENIED", "no bubblewrap here"]);
  assertEquals(hidden.error?.code, "INTERNAL_ERROR");
  assert(!hidden.error?.message.includes("secret"));
  assertEquals([threads.all.length, pool.running], [0, 0]);
  await pool.close();
});

Deno.test("a thread whose boundary is no longer right gets no more calls, and ends with its last", async () => {
  using threads = new StandInThreads();
  let state = "one";
  const { pool, give, drain } = poolOf({ boundaryOf: () => ({ boundary: BOUNDARY, state }) });
  give(jobOf("read"));
  state = "two";
  give(jobOf("read"));
  assertEquals([threads.of(0).jobs, threads.of(1).jobs], [[1], [2]]);
  assertEquals(threads.of(0).terminated, false);
  threads.of(0).done(1);
  await drain();
  assertEquals([threads.of(0).terminated, pool.threads], [true, 1]);
  // One that has nothing to do ends at once.
  threads.of(1).done(2);
  await drain();
  state = "three";
  give(jobOf("read"));
  assertEquals([threads.of(1).terminated, threads.of(2).jobs], [true, [3]]);
  await pool.close();
});

Deno.test("writes keep their order across threads: the next begins when the old thread has ended", async () => {
  using threads = new StandInThreads();
  let state = "one";
  const { pool, give, drain } = poolOf({ boundaryOf: () => ({ boundary: BOUNDARY, state }) });
  give(jobOf("write"));
  state = "two";
  give(jobOf("write"));
  give(jobOf("write"));
  assertEquals(threads.all.length, 1);
  threads.of(0).done(1);
  await drain();
  assertEquals([threads.of(0).terminated, threads.of(1).jobs], [true, [2, 3]]);
  await pool.close();
});

Deno.test("a call that waits is cancelled at once, one that runs by its thread", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf({ sections: { limits: { concurrency: 1 } } });
  const [running, waiting] = [give(jobOf("spawn")), give(jobOf("spawn"))];
  waiting.cancel();
  assertEquals((await waiting.outcome).error?.code, "CANCELLED");
  running.cancel();
  running.cancel();
  assertEquals(threads.of(0).told("cancel"), [{ kind: "cancel", job: 1, reason: "CANCELLED" }]);
  await drain();
  assertEquals(running.ended(), null);
  threads.of(0).done(1);
  await drain();
  assertEquals([running.ended()?.error, threads.of(0).jobs, pool.running], [null, [1], 0]);
  await pool.close();
});

Deno.test("a call that overruns is asked to end, and then its thread is ended; those behind it go to the next", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf();
  const late = give(jobOf("read", { grant: { timeoutMs: 1 } }));
  const behind = give(jobOf("read"));
  threads.of(0).say({ kind: "ready", layers: ["policy"], reasons: [] });
  threads.of(0).work(1);
  const { error } = await late.outcome;
  assertEquals(error?.code, "TIMEOUT");
  assertStringIncludes(error?.message ?? "", "1 ms");
  assertEquals(threads.of(0).told("cancel").map(({ reason }) => reason), ["TIMEOUT"]);
  assertEquals([threads.of(0).terminated, threads.of(1).jobs], [true, [2]]);
  assertEquals(behind.ended(), null);
  await pool.close();
});

Deno.test("a call whose time is over in line behind another takes no thread with it", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf();
  const working = give(jobOf("read"));
  const late = give(jobOf("read", { grant: { timeoutMs: 1 } }));
  threads.of(0).say({ kind: "ready", layers: ["policy"], reasons: [] });
  threads.of(0).work(1);
  assertEquals((await late.outcome).error?.code, "TIMEOUT");
  assertEquals([threads.of(0).terminated, threads.all.length, working.ended()], [false, 1, null]);
  await pool.close();
});

Deno.test("a call that waits for a thread times out where it waits", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf({ sections: { limits: { concurrency: 1 } } });
  give(jobOf("spawn"));
  const late = give(jobOf("spawn", { grant: { timeoutMs: 1 } }));
  assertEquals((await late.outcome).error?.code, "TIMEOUT");
  assertEquals([threads.of(0).jobs, threads.of(0).told("cancel")], [[1], []]);
  await pool.close();
});

Deno.test("a thread that breaks is replaced, its calls say so, and what it had said by then counts", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  const [answered, lost] = [give(jobOf("read")), give(jobOf("read"))];
  threads.of(0).done(1);
  threads.of(0).break();
  await drain();
  assertEquals(answered.ended()?.error, null);
  assertEquals(lost.ended()?.error?.code, "INTERNAL_ERROR");
  assertStringIncludes(lost.ended()?.error?.message ?? "", "replaced");
  give(jobOf("read"));
  assertEquals([threads.of(1).jobs, pool.threads], [[3], 1]);
  await pool.close();
});

Deno.test("a thread that cannot be held as it must be answers its calls with that", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  const call = give(jobOf("read"));
  const error = {
    code: "NATIVE_DENIED",
    message: "no Landlock",
    details: null,
    rule: null,
  } as const;
  threads.of(0).say({ kind: "refused", error });
  await drain();
  assertEquals([call.ended()?.error, threads.of(0).terminated], [error, true]);
  await pool.close();
});

Deno.test("events are handed on, and output is acknowledged once it is; progress is not", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  const call = give(jobOf("spawn"));
  const progress = {
    event: "progress",
    done: 1,
    total: null,
    unit: "files",
    message: "1",
  } as const;
  threads.of(0).say({ kind: "event", job: 1, event: { event: "stdout", data: "abc" } });
  threads.of(0).say({ kind: "event", job: 1, event: progress });
  await drain();
  assertEquals(call.events, [{ event: "stdout", data: "abc" }, progress]);
  assertEquals(threads.of(0).told("taken"), [{ kind: "taken", job: 1, units: 3 }]);
  await pool.close();
});

Deno.test("a file that a program opens elsewhere is opened by the thread that writes, started where there is none", async () => {
  using threads = new StandInThreads();
  const { pool, give, drain } = poolOf();
  give(jobOf("spawn"));
  const file = { kind: "write", path: "/w/project/b" as never } as const;
  threads.of(0).say({ kind: "open", request: 7, file });
  await drain();
  assertEquals(threads.lanes, ["spawn", "write"]);
  const [asked] = threads.of(1).told("open");
  assertEquals(asked?.file, file);
  threads.of(1).say({ kind: "opened", request: asked?.request ?? 0, descriptor: 33 });
  await drain();
  assertEquals(threads.of(0).told("opened"), [{ kind: "opened", request: 7, descriptor: 33 }]);
  threads.of(0).say({ kind: "open", request: 8, file });
  give(jobOf("write"));
  await drain();
  assertEquals(threads.of(1).told("open").length, 2);
  assertEquals(threads.all.length, 2);
  await pool.close();
});

/** Notes what it is asked; runs are gone when the test says so. */
function standInWatch(gone: Promise<void> | null = null) {
  const steps: string[] = [];
  const watch: SharedWatch = {
    begin: (job, id, share) => steps.push(`begin ${job} ${id} ${share?.number}`),
    endLeft: (job) => steps.push(`endLeft ${job}`),
    abandon: (job) => steps.push(`abandon ${job}`),
    settle: (job) => {
      steps.push(`settle ${job}`);
      return gone;
    },
    close: () => steps.push("close"),
  };
  return { watch, steps };
}

Deno.test("programs are watched from the first on, and a call answers when nothing of them is left", async () => {
  using threads = new StandInThreads();
  const gone = Promise.withResolvers<void>();
  const { watch, steps } = standInWatch(gone.promise);
  let asked = 0;
  const { pool, give, drain } = poolOf({
    watch: () => {
      asked++;
      return watch;
    },
  });
  give(jobOf("read"));
  assertEquals(asked, 0);
  const call = give(jobOf("spawn"));
  assertEquals(asked, 1);
  const share = { number: 3, memory: 1, processes: 1, cpu: 1 };
  threads.of(1).say({ kind: "group", job: 2, id: 4321, share });
  threads.of(1).say({ kind: "left", request: 7, job: 2 });
  threads.of(1).done(2);
  await drain();
  assertEquals([steps, call.ended()], [["begin 2 4321 3", "endLeft 2", "settle 2"], null]);
  assertEquals(threads.of(1).told("leftEnded"), [{ kind: "leftEnded", request: 7 }]);
  gone.resolve();
  await call.outcome;
  await pool.close();
  assertEquals(steps.at(-1), "close");
  // What has nothing to do is told to let go of what it holds, and not torn down.
  assertEquals([threads.of(1).told("end").length, threads.of(1).terminated], [1, false]);
  assertEquals(threads.of(0).terminated, true);
});

Deno.test("programs that go over a limit end their call, and those whose thread is gone are ended", async () => {
  using threads = new StandInThreads();
  const { watch, steps } = standInWatch();
  let follow: Parameters<NonNullable<Parameters<typeof poolOf>[0]>["watch"] & object>[0] | null =
    null;
  const { pool, give, drain } = poolOf({
    watch: (given) => {
      follow = given;
      return watch;
    },
  });
  const call = give(jobOf("spawn"));
  assert(follow !== null);
  const { onExceeded, isUnderWay } = follow as Parameters<
    NonNullable<Parameters<typeof poolOf>[0]>["watch"] & object
  >[0];
  assertEquals([isUnderWay((job) => job === 1), isUnderWay((job) => job === 2)], [true, false]);
  onExceeded(1, "memory", 2);
  onExceeded(9, "memory", 0);
  assertEquals(threads.of(0).told("cancel").map(({ reason }) => reason), [
    "RESOURCE_LIMIT:memory:2",
  ]);
  threads.of(0).break();
  await drain();
  assertEquals(call.ended()?.error?.code, "INTERNAL_ERROR");
  assertEquals(steps, ["abandon 1", "settle 1"]);
  await pool.close();
});

Deno.test("closing ends all that runs and all that waits, once", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf({ sections: { limits: { concurrency: 1 } } });
  const calls = [give(jobOf("spawn")), give(jobOf("spawn")), give(jobOf("read"))];
  await pool.close();
  for (const { outcome } of calls) assertEquals((await outcome).error?.code, "CANCELLED");
  assertEquals([pool.running, pool.threads], [0, 0]);
  assertEquals(threads.all.map(({ terminated }) => terminated), [true, true]);
  assertEquals(threads.of(0).jobs, [1]);
  await pool.close();
});

Deno.test("a thread that was begun is told what it is for by its first call, and ends with the pool where none comes", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf();
  const drawn = { boundary: BOUNDARY, state: "fixed" };
  for (const lane of ["read", "spawn"] as const) pool.begin(lane, drawn);
  // By these names they load what a first call needs.
  const lanes = ["read begun", "spawn begun"];
  assertEquals([threads.lanes, pool.threads], [lanes, 0]);
  give(jobOf("read"));
  pool.begin("read", drawn);
  assertEquals([threads.lanes, pool.threads, threads.of(0).jobs], [lanes, 1, [1]]);
  pool.makeSpares("/made");
  await pool.close();
  assertEquals(threads.all.map(({ terminated }) => terminated), [true, false]);
  // That of programs ends itself, with what it has open.
  assertEquals(threads.all.map(({ ahead }) => ahead.map(({ spareIn }) => spareIn)), [
    [],
    ["/made", null],
  ]);
});

Deno.test("a thread is warmed once, and a caller without a loop of its own is drained for", async () => {
  using threads = new StandInThreads();
  const { pool } = poolOf();
  pool.warm("read", { boundary: BOUNDARY, state: "fixed" });
  pool.warm("read", { boundary: BOUNDARY, state: "fixed" });
  assertEquals(threads.lanes, ["read"]);
  const { outcome } = pool.run(jobOf("read"), () => {});
  const draining = pool.drainUntil(outcome);
  assertEquals(threads.of(0).jobs, [1]);
  threads.of(0).done(1, toJsonText("drained"));
  await draining;
  assertEquals(jsonText((await outcome).output), toJsonText("drained"));
  await pool.close();
});

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
