/** The threads of the pool: how one is started, what is known of it, and what it asks and says. */

import { type ResultError, ToolError } from "../../core/errors.ts";
import { JSON_NULL, resultError, type Usage } from "../../core/result.ts";
import { readWebParts } from "../../host/network/web_parts.ts";
import type { PluginManifest } from "../../plugins/manifest.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { BegunThreads } from "./begun_threads.ts";
import { createBell, createRingMemory, RingReader, RingWriter } from "./channel.ts";
import { piecesOf, takeTexts } from "./_long_texts.ts";
import { type Lane, LANES } from "./lanes.ts";
import type { Follower } from "../programs/shared_watch.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../programs/no_program_environment.ts";
import { manifestOf } from "../plugin_registry.ts";
import {
  encodeMessage,
  type FromWorker,
  type Share,
  type ToWorker,
  type WorkerSetup,
} from "./_protocol.ts";
import {
  type Job,
  type JobEvent,
  notAsked,
  type OnEvent,
  type Outcome,
  startsPrograms,
} from "../runner.ts";
import { overLimit, stopError, type StopReason } from "./stop.ts";
import type { ProgramEnvironment } from "./thread_parts.ts";

/** Bytes of the ring to a worker and from it. A longer message passes in pieces. */
const RING_BYTES = { toWorker: 1 << 18, toMain: 1 << 20 } as const;

/** A call that was given to the pool. */
export interface PendingJob {
  readonly number: number;
  readonly job: Job;
  readonly onEvent: OnEvent;
  readonly settle: (outcome: Outcome) => void;
  /** `performance.now()` by which it should have ended; while somebody is asked, how much of its time is left. */
  deadline: number;
  /** Questions of it that wait for somebody's answer: its time stands still meanwhile. */
  asking: number;
  /** Set once it was asked to end, with the time by which its thread goes too. */
  stop: { readonly reason: StopReason; readonly by: number } | null;
  /** The number of the call that it helps, in place of running one; null for calls. */
  readonly helps: number | null;
}

/** What a thread is told of a call that it is given, and the long texts of its input, which follow. */
export function messageOf(
  { number, job }: PendingJob,
  share: Share | null,
): { readonly message: ToWorker; readonly texts: readonly string[] } {
  const { read, write, spawn, agreed, agreedCommands, connect, timeoutMs } = job.grant;
  const { input, texts } = takeTexts(job.input);
  const message: ToWorker = {
    kind: "job",
    job: number,
    tool: job.tool.name,
    manifest: manifestOf(job.tool),
    input,
    texts: texts.length,
    grant: {
      read,
      write,
      spawn,
      ...(agreed === undefined ? {} : { agreed }),
      ...(agreedCommands === undefined ? {} : { agreedCommands }),
      connect,
      timeoutMs,
    },
    preview: job.preview,
    stream: job.stream,
    subject: startsPrograms(job) || connect.length > 0 ? job.subject : null,
    share,
    agreed: job.agreed ?? [],
  };
  return { message, texts };
}

/** A job to help a call, which no caller waits for. */
export function helpFor({ number: helps, job, deadline }: PendingJob, number: number): PendingJob {
  return {
    number,
    job,
    deadline,
    helps,
    stop: null,
    asking: 0,
    onEvent: () => {},
    settle: () => {},
  };
}

/** A thread of the pool, seen from the main thread. */
export interface Thread {
  readonly lane: Lane;
  /** What the boundary was made from: another value retires the thread. */
  readonly state: string;
  readonly worker: Worker;
  readonly inbox: RingWriter;
  readonly outbox: RingReader;
  readonly jobs: Map<number, PendingJob>;
  /** `texts`: those that were taken out of the message. */
  readonly say: (message: ToWorker, texts?: readonly string[]) => void;
  layers: readonly string[];
  reasons: readonly string[];
  retired: boolean;
}

/** The boundary of a lane, and a word that changes when it has to be drawn anew. */
export interface LaneBoundary {
  readonly boundary: Boundary;
  readonly state: string;
}

/** What is the same for all threads of a pool. */
export interface ThreadOptions {
  readonly rulebook: Rulebook;
  readonly policies: readonly PlacedPolicy[];
  /** The custom tools that threads which are started now know. */
  readonly plugins?: () => readonly PluginManifest[];
  /** Only threads that start programs need them. */
  readonly programEnvironment: () => ProgramEnvironment;
}

/** What all threads of a pool are given in common. */
export interface PoolMemory {
  /** Rung by threads that have said something. */
  readonly bell: SharedArrayBuffer;
  /** Of those that scan. */
  readonly scanMemory: () => SharedArrayBuffer;
  /** What their workers are taken from. */
  readonly begun: BegunThreads;
}

/** Starts a thread. `ahead`: nobody waits for it yet. `onBroken`: it threw what nobody caught. */
export function startThread(
  options: ThreadOptions,
  lane: Lane,
  { boundary, state, ahead = false }: LaneBoundary & { readonly ahead?: boolean },
  { bell, scanMemory, begun }: PoolMemory,
  onBroken: (thread: Thread) => void,
): Thread {
  const toWorker = createRingMemory(RING_BYTES.toWorker, createBell());
  const toMain = createRingMemory(RING_BYTES.toMain, bell);
  const worker = begun.take(lane, boundary);
  const inbox = new RingWriter(toWorker);
  const thread: Thread = {
    lane,
    state,
    worker,
    inbox,
    outbox: new RingReader(toMain),
    jobs: new Map(),
    say: (message, texts = []) =>
      inbox.send(encodeMessage(message), texts.length === 0 ? undefined : piecesOf(texts)),
    layers: [],
    reasons: [],
    retired: false,
  };
  worker.onerror = (event) => {
    event.preventDefault();
    onBroken(thread);
  };
  const setup: WorkerSetup = {
    toWorker,
    toMain,
    boundary,
    sandbox: options.rulebook.settings.sandbox,
    programEnvironment: LANES[lane].programs
      ? options.programEnvironment()
      : NO_PROGRAM_ENVIRONMENT,
    policies: options.policies,
    plugins: options.plugins?.() ?? [],
    sequential: LANES[lane].sequential,
    scans: LANES[lane].scans,
    web: lane === "network" || boundary.connect.length > 0
      ? readWebParts(options.rulebook.settings.web)
      : null,
    scanMemory: LANES[lane].scans ? scanMemory() : null,
    ahead,
  };
  worker.postMessage(setup);
  return thread;
}

/** What held a call, and what would have but cannot here. */
export function held({ layers, reasons }: Thread): Usage {
  return { layers, ...(reasons.length === 0 ? {} : { layers_missing: reasons }) };
}

/** The outcome of a call that was ended in place of its tool. */
export function stopped(tool: string, reason: StopReason, timeoutMs: number): Outcome {
  const error = stopError(tool, reason, timeoutMs).toResultError();
  return { output: JSON_NULL, error, usage: {} };
}

/** Why a thread could not be had for a call. */
export function asResultError(error: unknown): ResultError {
  return error instanceof ToolError
    ? error.toResultError()
    : resultError("INTERNAL_ERROR", "the boundary of a thread could not be drawn");
}

/** Hands on what a call said, and tells its thread when that was taken. */
export function handOn(thread: Thread, job: number, event: JobEvent): void {
  const room = thread.jobs.get(job)?.onEvent(event);
  if (event.event === "progress") return;
  // The loop that drains writes out what it has before it drains again: this is as far as its reader is.
  const units = event.data.length;
  const taken = () => thread.say({ kind: "taken", job, units });
  if (room instanceof Promise) void room.then(taken);
  else taken();
}

/** What a watch over the programs of these threads asks and tells: whether calls are under way, and which to stop. */
export function watching(
  threads: ReadonlySet<Thread>,
  stop: (pending: PendingJob, reason: StopReason) => void,
): Follower {
  return {
    isUnderWay: (isJob) =>
      [...threads].some(({ lane, jobs }) => LANES[lane].programs && [...jobs.keys()].some(isJob)),
    onExceeded: (job, limit, share) => {
      for (const { jobs } of threads) {
        const pending = jobs.get(job);
        if (pending !== undefined) stop(pending, overLimit(limit, share));
      }
    },
  };
}

/** Asks whoever agrees to what a call runs. The time that somebody takes to answer is not the call's. */
export async function askFor(
  { say, jobs }: Thread,
  { job, request, question }: Extract<FromWorker, { readonly kind: "ask" }>,
): Promise<void> {
  const pending = jobs.get(job);
  if (pending === undefined) return;
  const { tool, ask } = pending.job;
  // While it stands still, what is left of it stands in the place of its end.
  if (pending.asking++ === 0) pending.deadline -= performance.now();
  const answer = await (ask?.(question) ?? notAsked(tool.name));
  if (--pending.asking === 0) pending.deadline += performance.now();
  say({ kind: "asked", request, answer });
}

/** Looks a name up for a thread that connects, which cannot: it is held to addresses. */
export async function resolveFor({ say }: Thread, request: number, host: string): Promise<void> {
  const { resolveHost } = await import("../../host/network/resolve.ts");
  say({ kind: "resolved", request, resolved: await resolveHost(host) });
}
