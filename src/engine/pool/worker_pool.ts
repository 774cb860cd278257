/**
 * Runs calls on worker threads that are held by every layer. Threads are pooled by what they may touch (a
 * lane), started when first needed, and ended and replaced when a call on them overruns.
 */

import type { ResultError } from "../../core/errors.ts";
import { JSON_NULL, resultError } from "../../core/result.ts";
import { Bell } from "./channel.ts";
import { ScanSharing } from "./_scan_sharing.ts";
import { JobQueues } from "./_job_queues.ts";
import { capacityOf, type Lane, laneOf, LANES, mostThreads } from "./lanes.ts";
import { Beginnings } from "./agreed_check.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { WantedFile } from "../../host/run/line/redirect.ts";
import { FileBroker } from "./_file_broker.ts";
import type { WorkerPoolOptions } from "./pool_options.ts";
import {
  askFor,
  asResultError,
  handOn,
  held,
  helpFor,
  type LaneBoundary,
  messageOf,
  type PendingJob,
  resolveFor,
  stopped,
  type Thread,
  watching,
} from "./pool_thread.ts";
import { Threads } from "./_threads.ts";
import { WaysOut } from "./_ways_out.ts";
import type { SharedWatch } from "../programs/shared_watch.ts";
import { decodeMessage, type FromWorker, type Share } from "./_protocol.ts";
import {
  type Job,
  type OnEvent,
  type Outcome,
  type Running,
  startsPrograms,
  type StayingRunner,
} from "../runner.ts";
import type { StopReason } from "./stop.ts";

/** How often deadlines are looked at: one timer for all calls is cheaper than one each. */
const TICK_MS = 20;
/** How long a call may take to end after it was asked to, before its thread is ended with it. */
const STOP_GRACE_MS = 250;
/**
 * How much longer where programs were killed: twice what their thread waits for the end of them and of their output (`KILLED_MS`
 * and `DRAIN_MS` of host/run/_run.ts), as it is not its own alone.
 */
const KILLED_GRACE_MS = 5_000;

/** The threads of all lanes, and what they say. */
export class WorkerPool implements Omit<StayingRunner, "answersSoon"> {
  readonly bell: Bell;
  readonly #options: WorkerPoolOptions;
  readonly #threads: Threads;
  readonly #queues = new JobQueues();
  readonly #scanSharing: ScanSharing;
  #timer: number | null = null;
  #running = 0;
  readonly #fileBroker = new FileBroker<Thread>();
  readonly #beginnings = new Beginnings<Thread>();
  readonly #waysOut: WaysOut;
  #closed = false;
  /** Undefined before the first program. */
  #watch: SharedWatch | null | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#waysOut = new WaysOut(options.rulebook);
    this.#scanSharing = new ScanSharing({
      processors: navigator.hardwareConcurrency,
      isReady: () => this.#threads.of("read-help").length > 0,
      give: (call) => this.#giveHelp(call),
      take: (help) => this.#stop(help, "CANCELLED"),
    });
    this.#threads = new Threads(options, {
      scanMemory: () => this.#scanSharing.memory,
      onBroken: (broken) => {
        this.drain();
        const what = "the thread that ran this call broke; it was replaced";
        void this.#end(broken, resultError("INTERNAL_ERROR", what));
      },
    });
    this.bell = new Bell(this.#threads.bell);
  }

  /** Calls that have not answered. */
  get running(): number {
    return this.#running;
  }

  /** Calls that wait for a thread. */
  get queued(): number {
    return this.#queues.all().length;
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#threads.all.size;
  }

  run(job: Job, onEvent: OnEvent): Running {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const number = this.#options.number();
    const pending: PendingJob = {
      number,
      job,
      onEvent,
      settle: (outcome) => {
        this.#running--;
        this.#scanSharing.end(number);
        resolve(outcome);
      },
      deadline: performance.now() + job.grant.timeoutMs,
      stop: null,
      asking: 0,
      helps: null,
    };
    this.#running++;
    if (this.#closed) {
      // Nobody would hear a thread of it any more.
      pending.settle(stopped(job.tool.name, "CANCELLED", 0));
    } else {
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
      this.#dispatch(laneOf(job), pending);
    }
    return { outcome: promise, cancel: () => this.#stop(pending, "CANCELLED") };
  }

  /** Starts the thread of a lane ahead of its first call. */
  warm(lane: Lane, drawn: LaneBoundary): void {
    if (this.#closed || this.#threads.of(lane).length > 0) return;
    // Whoever needs it is told why there is none.
    this.#start(lane, { ...drawn, ahead: true }, () => {});
  }

  /** Begins the thread of a lane before there is what its boundary names. */
  begin(lane: Lane, drawn: LaneBoundary): void {
    if (!this.#closed) this.#threads.begin(lane, drawn);
  }

  /** Has the one that was begun for programs make what they may become in this folder: see `BegunThreads`. */
  makeSpares(folder: string): void {
    this.#threads.makeSpares(folder);
  }

  /** Takes in all that the threads have said. */
  drain(): void {
    this.bell.hear();
    for (const thread of this.#threads.all) {
      for (let bytes = thread.outbox.next(); bytes !== null; bytes = thread.outbox.next()) {
        this.#receive(thread, bytes);
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

  async close(): Promise<void> {
    this.#closed = true;
    // What has not begun must not begin now: an ended thread hands its queue to the next one.
    for (const { job, settle } of this.#queues.take()) {
      settle(stopped(job.tool.name, "CANCELLED", 0));
    }
    this.#threads.close();
    const ended = resultError("CANCELLED", "toolgate is ending");
    await Promise.all([...this.#threads.all].map((thread) => this.#end(thread, ended)));
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#watch?.close();
    await this.#waysOut.close();
  }

  #dispatch(lane: Lane, pending: PendingJob): void {
    let drawn: LaneBoundary;
    try {
      drawn = this.#options.boundaryOf(lane, pending.job);
    } catch (error) {
      pending.settle({ output: JSON_NULL, error: asResultError(error), usage: {} });
      return;
    }
    let threads = this.#threads.of(lane);
    const outdated = threads.filter(({ state }) => state !== drawn.state);
    if (outdated.length > 0) {
      for (const thread of outdated) this.#retire(thread);
      threads = this.#threads.of(lane);
    }
    if (this.#mustWaitFor(lane)) {
      this.#queues.add(lane, pending);
      return;
    }
    const free = threads.find((thread) => this.#hasRoom(thread));
    if (free !== undefined) this.#give(free, pending);
    else if (threads.length < mostThreads(lane, this.#concurrency)) {
      const refused = (error: ResultError) =>
        pending.settle({ output: JSON_NULL, error, usage: {} });
      const thread = this.#start(lane, drawn, refused);
      if (thread !== null) this.#give(thread, pending);
    } else this.#queues.add(lane, pending);
  }

  /** The order of writes holds across threads too: the next one starts when the retired one has ended. */
  #mustWaitFor(lane: Lane): boolean {
    return lane === "write" &&
      [...this.#threads.all].some((thread) => thread.lane === lane && thread.retired);
  }

  get #concurrency(): number {
    return this.#options.rulebook.settings.limits.concurrency;
  }

  #hasRoom({ lane, jobs }: Thread): boolean {
    return jobs.size < capacityOf(lane, this.#concurrency);
  }

  #give(thread: Thread, pending: PendingJob): void {
    thread.jobs.set(pending.number, pending);
    this.#beginnings.take(thread, pending.job, (changed) => this.#begin(thread, pending, changed));
  }

  /** `changed`: why it is refused. */
  #begin(thread: Thread, pending: PendingJob, changed: ResultError | null): void {
    // It may have been ended while what was agreed to was looked at.
    if (thread.jobs.get(pending.number) !== pending) return;
    const { job: { tool, grant }, stop } = pending;
    if (changed !== null || stop !== null) {
      thread.jobs.delete(pending.number);
      pending.settle(
        stop === null
          ? { output: JSON_NULL, error: changed, usage: {} }
          : stopped(tool.name, stop.reason, grant.timeoutMs),
      );
      this.#next(thread);
      return;
    }
    const { message, texts } = messageOf(pending, this.#shareOf(thread, pending));
    thread.say(message, texts);
  }

  /** Of a call that was just given to a thread. */
  #shareOf({ lane }: Thread, pending: PendingJob): Share | null {
    const ticket = pending.helps ?? pending.number;
    if (pending.helps !== null) return { side: "back", ticket };
    if (!LANES[lane].exclusive) return null;
    const busy = this.#threads.of(lane).filter(({ jobs }) => jobs.size > 0);
    return this.#scanSharing.begin(pending, busy.length === 1) ? { side: "front", ticket } : null;
  }

  #giveHelp(call: PendingJob): PendingJob {
    const help = helpFor(call, this.#options.number());
    this.#dispatch("read-help", help);
    return help;
  }

  #start(
    lane: Lane,
    drawn: LaneBoundary & { readonly ahead?: boolean },
    refused: (error: ResultError) => void,
  ): Thread | null {
    // Before the first program: what that orphans at once would be gone from under this process.
    if (LANES[lane].programs) this.#watching();
    return this.#threads.start(lane, drawn, refused);
  }

  #receive(thread: Thread, bytes: Uint8Array): void {
    const { message, output } = decodeMessage<FromWorker>(bytes, thread.outbox.giveBack);
    switch (message.kind) {
      case "ready":
        thread.layers = message.layers;
        thread.reasons = message.reasons;
        break;
      case "refused":
        void this.#end(thread, message.error);
        break;
      case "event":
        handOn(thread, message.job, message.event);
        break;
      case "long":
        this.#scanSharing.call(message.job);
        break;
      case "group":
        this.#watch?.begin(message.job, message.id, message.share);
        break;
      case "open":
        this.#openFor(thread, message.request, message.file);
        break;
      case "opened":
        this.#fileBroker.answer(message.request, message.descriptor);
        break;
      case "ask":
        void askFor(thread, message);
        break;
      case "resolve":
        void resolveFor(thread, message.request, message.host);
        break;
      case "connects":
      case "dials":
      case "disconnects":
        void this.#waysOut.answer(thread, message);
        break;
      case "left":
        // Whatever the job starts after it has asked cannot be told from what left its groups.
        this.#watch?.endLeft(message.job);
        thread.say({ kind: "leftEnded", request: message.request });
        break;
      case "done": {
        const pending = thread.jobs.get(message.job);
        thread.jobs.delete(message.job);
        const { error, usage } = message;
        const outcome = { output, error, usage: { ...usage, ...held(thread) } };
        const gone = this.#watch?.settle(message.job) ?? null;
        const left = this.#waysOut.settled(message.job, outcome);
        if (gone === null && left === null) pending?.settle(outcome);
        else void Promise.all([gone, left]).then(([, told]) => pending?.settle(told ?? outcome));
        this.#next(thread);
        break;
      }
    }
  }

  /** By the thread that writes files. */
  #openFor(thread: Thread, request: number, file: WantedFile): void {
    const refused = () => thread.say({ kind: "opened", request, descriptor: -ERRNO.EMFILE });
    const opener = this.#threads.of("write")[0] ??
      this.#start("write", this.#options.writing(), refused);
    if (opener !== null) this.#fileBroker.ask(thread, request, file, opener);
  }

  #watching(): void {
    const stop = (pending: PendingJob, reason: StopReason) => this.#stop(pending, reason);
    this.#watch ??= this.#options.watch(watching(this.#threads.all, stop));
  }

  /** Gives a thread that has room what waits for its lane, or ends it where it was retired. */
  #next(thread: Thread): void {
    if (thread.retired) {
      if (thread.jobs.size > 0) return;
      void this.#end(thread, resultError("INTERNAL_ERROR", "a retired thread was given work"));
      return;
    }
    if (!this.#hasRoom(thread)) return;
    const waiting = this.#queues.next(thread.lane);
    if (waiting !== undefined) this.#give(thread, waiting);
  }

  #retire(thread: Thread): void {
    thread.retired = true;
    this.#next(thread);
  }

  #stop(pending: PendingJob, reason: StopReason): void {
    if (pending.stop !== null) return;
    const grace = startsPrograms(pending.job) ? pending.job.grant.killGraceMs + KILLED_GRACE_MS : 0;
    pending.stop = { reason, by: performance.now() + STOP_GRACE_MS + grace };
    for (const thread of this.#threads.all) {
      if (!thread.jobs.has(pending.number)) continue;
      thread.say({ kind: "cancel", job: pending.number, reason });
      return;
    }
    if (this.#queues.remove(pending)) {
      pending.settle(stopped(pending.job.tool.name, reason, pending.job.grant.timeoutMs));
    }
  }

  #tick(): void {
    const now = performance.now();
    this.#scanSharing.tick(now);
    for (const pending of this.#queues.all()) {
      if (now > pending.deadline) this.#stop(pending, "TIMEOUT");
    }
    for (const thread of [...this.#threads.all]) {
      for (const pending of [...thread.jobs.values()]) {
        const late = pending.asking === 0 && now > pending.deadline;
        if (pending.stop === null && late) this.#stop(pending, "TIMEOUT");
        if (pending.stop !== null && now > pending.stop.by) this.#overrun(thread, pending);
      }
    }
    const helping = this.#threads.of("read-help").some(({ jobs }) => jobs.size > 0);
    if (this.#running === 0 && !helping && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** Ends the thread with the call that did not end; calls that it had not begun go to its successor. */
  #overrun(thread: Thread, pending: PendingJob): void {
    this.drain();
    if (!thread.jobs.delete(pending.number)) return;
    void this.#waysOut.settle(pending.number);
    const { tool, grant } = pending.job;
    pending.settle(stopped(tool.name, pending.stop?.reason ?? "TIMEOUT", grant.timeoutMs));
    const { sequential } = LANES[thread.lane];
    // It was still in line behind a call whose time is not over. Asked to end, it will not begin.
    if (sequential && thread.layers.length > 0 && thread.inbox.current !== pending.number) return;
    const rest = sequential ? [...thread.jobs.values()] : [];
    for (const { number } of rest) thread.jobs.delete(number);
    void this.#end(
      thread,
      resultError(
        "EXECUTION_ERROR",
        "the thread that ran this call was ended with another call that overran",
      ),
    );
    for (const job of rest) this.#dispatch(thread.lane, job);
  }

  /** Resolves when nothing of what it started is left. */
  async #end(thread: Thread, error: ResultError): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    // One that starts programs has descriptors of its own to let go; it ends when it has.
    if (LANES[thread.lane].programs && thread.jobs.size === 0) thread.say({ kind: "end" });
    else thread.worker.terminate();
    const jobs = [...thread.jobs.values()];
    thread.jobs.clear();
    this.#fileBroker.forget(thread);
    for (const pending of this.#queues.take(thread.lane)) this.#dispatch(thread.lane, pending);
    for (const { number } of jobs) this.#watch?.abandon(number);
    await Promise.all(jobs.map(async ({ number, settle }) => {
      await this.#watch?.settle(number);
      const outcome = { output: JSON_NULL, error, usage: held(thread) };
      settle(await this.#waysOut.settled(number, outcome) ?? outcome);
    }));
  }
}
