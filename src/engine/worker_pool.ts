/**
 * Runs calls on worker threads that are held by every layer. Threads are pooled by what they may touch (a
 * lane), started when first needed, and ended and replaced when a call on them overruns.
 */

import { type ResultError, ToolError } from "../core/errors.ts";
import { JSON_NULL, resultError } from "../core/result.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { PlacedPolicy } from "../policy/compile_lazily.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { Bell, createBell, createRingMemory, RingReader, RingWriter } from "./channel.ts";
import { type Lane, laneOf, LANES } from "./lanes.ts";
import { decodeMessage, encodeMessage, type FromWorker, type WorkerSetup } from "./protocol.ts";
import type { StopReason } from "./stop.ts";
import { NO_SURROUNDINGS, type ProgramSurroundings } from "./thread_parts.ts";
import type { Job, JobEvent, Outcome, Running, StayingRunner } from "./runner.ts";

/** Bytes of the ring to a worker and from it. A longer message passes in pieces. */
const RING_BYTES = { toWorker: 1 << 18, toMain: 1 << 20 } as const;
/** How often deadlines are looked at: one timer for all calls is cheaper than one each. */
const TICK_MS = 20;
/** How long a call may take to end after it was asked to, before its thread is ended with it. */
const STOP_GRACE_MS = 250;
/** A call in a `long` lane waits at most this many threads wide. */
const MAX_LONG_THREADS = 4;

/** Bundled builds have all their modules in one folder, the worker's entry among them. */
const WORKER = import.meta.resolve(Deno.build.standalone ? "./worker.js" : "./worker.ts");

interface PendingJob {
  readonly number: number;
  readonly job: Job;
  readonly onEvent: (event: JobEvent) => void;
  readonly settle: (outcome: Outcome) => void;
  /** `performance.now()` by which it should have ended. */
  readonly deadline: number;
  /** Set once it was asked to end, with the time by which its thread goes too. */
  stop: { readonly reason: StopReason; readonly by: number } | null;
}

interface Thread {
  readonly lane: Lane;
  /** What the boundary was made from: another value retires the thread. */
  readonly state: string;
  readonly worker: Worker;
  readonly inbox: RingWriter;
  readonly outbox: RingReader;
  readonly jobs: Map<number, PendingJob>;
  readonly groups: Set<number>;
  layers: readonly string[];
  reasons: readonly string[];
  retired: boolean;
}

/** The boundary of a lane, and a word that changes when it has to be drawn anew. */
export interface LaneBoundary {
  readonly boundary: Boundary;
  readonly state: string;
}

export interface WorkerPoolOptions {
  readonly rulebook: Rulebook;
  readonly policies: readonly PlacedPolicy[];
  /** Drawn when a thread is started; looked at again before each call of a lane whose state can change. */
  readonly boundaryOf: (lane: Lane, job: Job) => LaneBoundary;
  /** The runtime's set for a thread. */
  readonly permissionsOf: (boundary: Boundary) => Deno.PermissionOptions;
  /** Only threads that start programs need them. */
  readonly surroundings: () => ProgramSurroundings;
  readonly killGroup: (id: number) => void;
}

export class WorkerPool implements StayingRunner {
  readonly bell: Bell;
  readonly #bellMemory = createBell();
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queues = new Map<Lane, PendingJob[]>();
  #lastNumber = 0;
  #timer: number | null = null;
  #running = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.bell = new Bell(this.#bellMemory);
  }

  /** Calls that have not answered. */
  get running(): number {
    return this.#running;
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#threads.size;
  }

  run(job: Job, onEvent: (event: JobEvent) => void): Running {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const pending: PendingJob = {
      number: ++this.#lastNumber,
      job,
      onEvent,
      settle: (outcome) => {
        this.#running--;
        resolve(outcome);
      },
      deadline: performance.now() + job.grant.timeoutMs,
      stop: null,
    };
    this.#running++;
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    this.#dispatch(laneOf(job), pending);
    return { outcome: promise, cancel: () => this.#stop(pending, "CANCELLED") };
  }

  /** Starts the thread of a lane ahead of its first call. */
  warm(lane: Lane, drawn: LaneBoundary): void {
    if (this.#of(lane).length === 0) this.#start(lane, drawn);
  }

  /** Takes in all that the threads have said. */
  drain(): void {
    this.bell.hear();
    for (const thread of this.#threads) {
      for (let text = thread.outbox.next(); text !== null; text = thread.outbox.next()) {
        this.#receive(thread, text);
      }
      thread.inbox.flush();
    }
  }

  /** Drains on the event loop until `done` settles: for callers without a loop of their own. */
  async drainUntil(done: Promise<unknown>): Promise<void> {
    let settled = false;
    const end = done.then(() => settled = true, () => settled = true);
    while (!settled) {
      await Promise.race([this.bell.wait(), end]);
      this.drain();
    }
  }

  close(): Promise<void> {
    // What has not begun must not begin now: an ended thread hands its queue to the next one.
    const waiting = [...this.#queues.values()].flat();
    this.#queues.clear();
    for (const { job, settle } of waiting) settle(stopped(job.tool.name, "CANCELLED", 0));
    for (const thread of [...this.#threads]) {
      this.#end(thread, resultError("CANCELLED", "toolgate is ending"));
    }
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    return Promise.resolve();
  }

  #of(lane: Lane): Thread[] {
    return [...this.#threads].filter((thread) => thread.lane === lane && !thread.retired);
  }

  #dispatch(lane: Lane, pending: PendingJob): void {
    let drawn: LaneBoundary;
    try {
      drawn = this.#options.boundaryOf(lane, pending.job);
    } catch (error) {
      pending.settle({ output: JSON_NULL, error: asResultError(error), usage: {} });
      return;
    }
    for (const thread of this.#of(lane)) {
      if (thread.state !== drawn.state) this.#retire(thread);
    }
    if (this.#mustWaitFor(lane)) {
      this.#enqueue(lane, pending);
      return;
    }
    const threads = this.#of(lane);
    const free = threads.find((thread) => thread.jobs.size < this.#capacity(lane));
    if (free !== undefined) {
      this.#give(free, pending);
    } else if (threads.length < this.#mostThreads(lane)) {
      this.#give(this.#start(lane, drawn), pending);
    } else {
      this.#enqueue(lane, pending);
    }
  }

  /** The order of writes holds across threads too: the next one starts when the retired one has ended. */
  #mustWaitFor(lane: Lane): boolean {
    return lane === "write" &&
      [...this.#threads].some((thread) => thread.lane === lane && thread.retired);
  }

  #enqueue(lane: Lane, pending: PendingJob): void {
    const queue = this.#queues.get(lane) ?? [];
    queue.push(pending);
    this.#queues.set(lane, queue);
  }

  /** Calls that a thread of the lane is given at once. */
  #capacity(lane: Lane): number {
    if (LANES[lane].exclusive) return 1;
    // A sequential thread works on one call at a time, however many lie in its ring.
    return LANES[lane].sequential ? Infinity : this.#options.rulebook.settings.limits.concurrency;
  }

  #mostThreads(lane: Lane): number {
    const { concurrency } = this.#options.rulebook.settings.limits;
    return LANES[lane].exclusive ? Math.min(MAX_LONG_THREADS, concurrency) : 1;
  }

  #give(thread: Thread, pending: PendingJob): void {
    const { job } = pending;
    const { read, write, spawn, connect, timeoutMs } = job.grant;
    thread.jobs.set(pending.number, pending);
    thread.inbox.send(encodeMessage({
      kind: "job",
      job: pending.number,
      tool: job.tool.name,
      input: job.input,
      grant: { read, write, spawn, connect, timeoutMs },
      preview: job.preview,
      stream: job.stream,
    }));
  }

  #start(lane: Lane, { boundary, state }: LaneBoundary): Thread {
    const toWorker = createRingMemory(RING_BYTES.toWorker, createBell());
    const toMain = createRingMemory(RING_BYTES.toMain, this.#bellMemory);
    const worker = new Worker(WORKER, {
      type: "module",
      name: lane,
      deno: { permissions: this.#options.permissionsOf(boundary) },
    });
    const thread: Thread = {
      lane,
      state,
      worker,
      inbox: new RingWriter(toWorker),
      outbox: new RingReader(toMain),
      jobs: new Map(),
      groups: new Set(),
      layers: [],
      reasons: [],
      retired: false,
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.drain();
      this.#end(
        thread,
        resultError("INTERNAL_ERROR", "the thread that ran this call broke; it was replaced"),
      );
    };
    const setup: WorkerSetup = {
      toWorker,
      toMain,
      boundary,
      sandbox: this.#options.rulebook.settings.sandbox,
      surroundings: lane === "spawn" ? this.#options.surroundings() : NO_SURROUNDINGS,
      policies: this.#options.policies,
      sequential: LANES[lane].sequential,
      scans: LANES[lane].exclusive,
    };
    worker.postMessage(setup);
    this.#threads.add(thread);
    return thread;
  }

  #receive(thread: Thread, text: string): void {
    const { message, output } = decodeMessage<FromWorker>(text);
    switch (message.kind) {
      case "ready":
        thread.layers = message.layers;
        thread.reasons = message.reasons;
        break;
      case "refused":
        this.#end(thread, message.error);
        break;
      case "event":
        thread.jobs.get(message.job)?.onEvent(message.event);
        break;
      case "group":
        if (message.alive) thread.groups.add(message.id);
        else thread.groups.delete(message.id);
        break;
      case "done": {
        const pending = thread.jobs.get(message.job);
        thread.jobs.delete(message.job);
        pending?.settle({
          output,
          error: message.error,
          usage: { ...message.usage, layers: thread.layers },
        });
        this.#next(thread);
        break;
      }
    }
  }

  /** Gives a thread that has room what waits for its lane, or ends it where it was retired. */
  #next(thread: Thread): void {
    if (thread.retired) {
      if (thread.jobs.size > 0) return;
      this.#end(thread, resultError("INTERNAL_ERROR", "a retired thread was given work"));
      return;
    }
    if (thread.jobs.size >= this.#capacity(thread.lane)) return;
    const waiting = this.#queues.get(thread.lane)?.shift();
    if (waiting !== undefined) this.#give(thread, waiting);
  }

  #retire(thread: Thread): void {
    thread.retired = true;
    this.#next(thread);
  }

  #stop(pending: PendingJob, reason: StopReason): void {
    if (pending.stop !== null) return;
    const grace = pending.job.grant.spawn.length > 0 ? pending.job.grant.killGraceMs + 1_000 : 0;
    pending.stop = { reason, by: performance.now() + STOP_GRACE_MS + grace };
    for (const thread of this.#threads) {
      if (!thread.jobs.has(pending.number)) continue;
      thread.inbox.send(encodeMessage({ kind: "cancel", job: pending.number, reason }));
      return;
    }
    for (const queue of this.#queues.values()) {
      const at = queue.indexOf(pending);
      if (at === -1) continue;
      queue.splice(at, 1);
      pending.settle(stopped(pending.job.tool.name, reason, pending.job.grant.timeoutMs));
    }
  }

  #tick(): void {
    const now = performance.now();
    for (const queue of this.#queues.values()) {
      for (const pending of [...queue]) {
        if (now > pending.deadline) this.#stop(pending, "TIMEOUT");
      }
    }
    for (const thread of [...this.#threads]) {
      for (const pending of [...thread.jobs.values()]) {
        if (pending.stop === null && now > pending.deadline) this.#stop(pending, "TIMEOUT");
        if (pending.stop !== null && now > pending.stop.by) this.#overrun(thread, pending);
      }
    }
    if (this.#running === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** Ends the thread with the call that did not end; calls that it had not begun go to its successor. */
  #overrun(thread: Thread, pending: PendingJob): void {
    this.drain();
    if (!thread.jobs.delete(pending.number)) return;
    const { tool, grant } = pending.job;
    pending.settle(stopped(tool.name, pending.stop?.reason ?? "TIMEOUT", grant.timeoutMs));
    const { sequential } = LANES[thread.lane];
    const ready = thread.layers.length > 0;
    // It was still in line behind a call whose time is not over. Asked to end, it will not begin.
    if (sequential && ready && thread.inbox.current !== pending.number) return;
    const rest = sequential ? [...thread.jobs.values()] : [];
    for (const { number } of rest) thread.jobs.delete(number);
    this.#end(
      thread,
      resultError(
        "EXECUTION_ERROR",
        "the thread that ran this call was ended with another call that overran",
      ),
    );
    for (const job of rest) this.#dispatch(thread.lane, job);
  }

  #end(thread: Thread, error: ResultError): void {
    if (!this.#threads.delete(thread)) return;
    thread.worker.terminate();
    for (const id of thread.groups) this.#options.killGroup(id);
    for (const pending of thread.jobs.values()) {
      pending.settle({ output: JSON_NULL, error, usage: { layers: thread.layers } });
    }
    thread.jobs.clear();
    const queue = this.#queues.get(thread.lane) ?? [];
    this.#queues.delete(thread.lane);
    for (const pending of queue) this.#dispatch(thread.lane, pending);
  }
}

function stopped(tool: string, reason: StopReason, timeoutMs: number): Outcome {
  const message = reason === "TIMEOUT"
    ? `${tool}: no answer in ${timeoutMs} ms; it was ended`
    : `${tool}: cancelled; it was ended`;
  return { output: JSON_NULL, error: resultError(reason, message), usage: {} };
}

function asResultError(error: unknown): ResultError {
  return error instanceof ToolError
    ? error.toResultError()
    : resultError("INTERNAL_ERROR", "the boundary of a thread could not be drawn");
}
