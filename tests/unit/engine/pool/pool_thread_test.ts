import { assert, assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { BegunThreads } from "../../../../src/engine/pool/begun_threads.ts";
import { createBell } from "../../../../src/engine/pool/channel.ts";
import type { Lane } from "../../../../src/engine/pool/lanes.ts";
import {
  asResultError,
  held,
  helpFor,
  messageOf,
  type PendingJob,
  startThread,
  stopped,
} from "../../../../src/engine/pool/pool_thread.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../../../../src/engine/programs/no_program_environment.ts";
import type { Job } from "../../../../src/engine/runner.ts";
import { rulebook } from "../../policy/_fixtures.ts";
import { jobOf, StandInThreads } from "./_stand_in_threads.ts";

function pendingOf(job: Job, number = 5): PendingJob {
  return {
    number,
    job,
    onEvent: () => {},
    settle: () => {},
    deadline: 9,
    stop: null,
    asking: 0,
    helps: null,
  };
}

Deno.test("a thread is told what differs between calls, and for whom only where programs may start", () => {
  const { message: reading, texts } = messageOf(pendingOf(jobOf("read", { stream: true })), null);
  assertEquals(texts, []);
  assert(reading.kind === "job");
  assertEquals(Object.keys(reading.grant).toSorted(), [
    "connect",
    "read",
    "spawn",
    "timeoutMs",
    "write",
  ]);
  const { job, tool, input, preview, stream, subject, manifest, share } = reading;
  assertEquals([job, tool, input, preview, stream, subject, manifest, share], [
    5,
    "look",
    { path: "a" },
    false,
    true,
    null,
    null,
    null,
  ]);
  const { message: starting } = messageOf(pendingOf(jobOf("spawn")), null);
  assert(starting.kind === "job");
  assertEquals(starting.subject?.agent, "root");
  const { message: shared } = messageOf(pendingOf(jobOf("long")), { side: "front", ticket: 5 });
  assert(shared.kind === "job");
  assertEquals(shared.share, { side: "front", ticket: 5 });
  // It can cross to a thread.
  structuredClone(JSON.parse(JSON.stringify(starting)));
});

Deno.test("help for a call is a job of its own with the call's time, and nobody waits for it", () => {
  const call = pendingOf(jobOf("long"));
  const help = helpFor(call, 6);
  assertEquals([help.number, help.helps, help.deadline, help.stop], [6, 5, 9, null]);
  assert(help.job === call.job);
  assertEquals([
    help.onEvent({ event: "stdout", data: "" }),
    help.settle(stopped("a", "TIMEOUT", 1)),
  ], [
    undefined,
    undefined,
  ]);
});

Deno.test("a thread is started with what its lane takes, and no more", () => {
  using threads = new StandInThreads();
  const memory = new SharedArrayBuffer(8);
  const environment = { ...NO_PROGRAM_ENVIRONMENT, marker: "of programs" };
  const broken: unknown[] = [];
  for (const lane of ["read", "read-long", "write", "spawn"] as const satisfies readonly Lane[]) {
    const boundary = { read: [], write: [], connect: [], spawn: null };
    const thread = startThread(
      {
        rulebook: rulebook([{ sandbox: { kernel: "required" } }]),
        policies: [],
        programEnvironment: () => environment,
      },
      lane,
      { boundary, state: "state" },
      {
        bell: createBell(),
        scanMemory: () => memory,
        begun: new BegunThreads((of) => of === boundary ? { read: true } : "none"),
      },
      (which) => broken.push(which),
    );
    const { setup, permissions } = threads.of(threads.all.length - 1);
    const programs = lane === "spawn";
    const scans = lane === "read-long";
    assertEquals(setup.programEnvironment, programs ? environment : NO_PROGRAM_ENVIRONMENT, lane);
    assertEquals([setup.scans, setup.scanMemory === memory], [scans, scans], lane);
    assertEquals(setup.sequential, lane !== "spawn", lane);
    assertEquals([setup.sandbox.kernel, permissions], ["required", { read: true }]);
    assertEquals([thread.state, thread.retired, thread.layers], ["state", false, []]);
    threads.of(threads.all.length - 1).break();
    assert(broken.at(-1) === thread);
  }
});

Deno.test("what a thread that was told to stop or could not be had answers", () => {
  const cases = [
    ["CANCELLED", "CANCELLED", "cancelled"],
    ["TIMEOUT", "TIMEOUT", "77 ms"],
    ["RESOURCE_LIMIT:memory", "RESOURCE_LIMIT", "limits.memory"],
  ] as const;
  for (const [reason, code, words] of cases) {
    const { error, output, usage } = stopped("look", reason, 77);
    assertEquals([error?.code, output, usage], [code, "null", {}] as never);
    assert(error?.message.startsWith("look: ") && error.message.includes(words), error?.message);
  }
  const denied = new ToolError("NATIVE_DENIED", "why");
  assertEquals(asResultError(denied), denied.toResultError());
  assertEquals(asResultError(new Error("/secret")).code, "INTERNAL_ERROR");
  assert(!asResultError(new Error("/secret")).message.includes("/secret"));
});

Deno.test("what held a call is told, and what would have but cannot only where there is such", () => {
  const thread = { layers: ["policy", "runtime"], reasons: [] as readonly string[] };
  assertEquals(held(thread as never), { layers: ["policy", "runtime"] });
  assertEquals(held({ ...thread, reasons: ["no Landlock"] } as never), {
    layers: ["policy", "runtime"],
    layers_missing: ["no Landlock"],
  });
});
