/** One run of programs: what they read and write, their time, and that they end with it. */

import type { ProgramLimit } from "../../core/tool.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { Capture } from "./_capture.ts";
import { openInput } from "./_input.ts";
import { Output } from "./_output.ts";
import { close, openPipe, setNonBlocking } from "../kernel/pipes.ts";
import type { OutputListener, OutputName } from "./output_listener.ts";
import type { ProgramShare } from "./_program_shares.ts";
import { type Ended, type OnGroup, Programs } from "./_programs.ts";
import type { Starter } from "./starter.ts";

/** How long the output of background programs is waited for once the run itself has ended. */
const DRAIN_MS = 250;
/** How long programs that were killed may take to be gone (they can hang in the kernel) before we answer. */
const KILLED_MS = 2_000;
/** A longer one would fire at once (HTML, timers: a 32-bit signed number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Why a run was ended before its end. */
export type StopReason = "timeout" | "cancel" | "refused" | {
  readonly limit: ProgramLimit;
  /** The number of the share that went over it. */
  readonly share: number;
};

/** What a run needs of its thread, and how far its output may go. */
export interface RunOptions {
  readonly starter: Starter;
  readonly onGroup: OnGroup;
  /** Told where somebody outside of the groups still holds the output; waited for, since what starts after it is none of those. */
  readonly onLeft: () => Promise<void>;
  readonly outputLimit: number;
  readonly killGraceMs: number;
  readonly timeoutMs: number;
  readonly stdin: Uint8Array | null;
  readonly listener: OutputListener | null;
  /** A descriptor that all output is written to as well; belongs to the run. */
  readonly spill: number | null;
  /** Aborted with "TIMEOUT", "RESOURCE_LIMIT:…" or anything else for a cancellation. */
  readonly signal: AbortSignal;
}

/** One run of programs: their output, their end, and what it takes to bring that about. */
export class Run {
  readonly programs: Programs;
  /** What programs get as 0, 1 and 2. */
  readonly descriptors: readonly [number, number, number];
  /** Resolves when it is to end before its end. */
  readonly stopping: Promise<void>;
  /** Resolves when what was killed has had its time to be gone. */
  readonly gone: Promise<null>;
  readonly stdout: Capture;
  readonly stderr: Capture;
  spilled = 0;
  /** Set where the spill could not be written whole. */
  spillFailed = false;
  readonly #options: RunOptions;
  readonly #libc: Libc;
  readonly #outputs: Output[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #timers: number[] = [];
  readonly #stopping = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<null>();
  readonly #onAbort: () => void;
  #reason: StopReason | null = null;
  #late: ProgramShare | null = null;
  #killed = false;
  #finished = false;
  #begun = false;
  /** Milliseconds of its time, and since when they pass; how many answers are waited for. */
  #left = 0;
  #counting = 0;
  #clock = 0;
  #waited = 0;
  #shared: number[];

  /** Throws RESOURCE_LIMIT where there are too many open files. */
  constructor(options: RunOptions) {
    const { starter, outputLimit, stdin, signal } = options;
    this.#options = options;
    this.#libc = starter.libc;
    this.stopping = this.#stopping.promise;
    this.gone = this.#gone.promise;
    this.stdout = new Capture(outputLimit);
    this.stderr = new Capture(outputLimit);
    const { onGroup } = options;
    const onTimed = (ended: Promise<Ended>, share: ProgramShare) => this.#time(ended, share);
    this.programs = new Programs({ ...starter, onGroup, onTimed });
    this.#shared = [];
    try {
      let input = starter.nothing;
      if (stdin !== null) {
        const opened = openInput(starter.libc, starter.poller, stdin);
        this.onEnd(opened.stop);
        input = opened.read;
        this.#shared.push(input);
      }
      const stdout = this.#collect("stdout", this.stdout);
      this.descriptors = [input, stdout, this.#collect("stderr", this.stderr)];
    } catch (error) {
      this.#letGo();
      throw error;
    }
    this.#onAbort = () => this.stop(reasonOf(signal));
    signal.addEventListener("abort", this.#onAbort);
    this.#left = options.timeoutMs;
    this.#count();
    if (signal.aborted) this.#onAbort();
  }

  /** Lets its time go on from where it stood. */
  #count(): void {
    this.#counting = performance.now();
    const limit = Math.min(this.#left, LONGEST_TIMER_MS);
    this.#clock = setTimeout(() => this.stop("timeout"), limit);
  }

  /** A program that runs longer than its rule lets it ends the run; it runs on while answers are waited for. */
  #time(ended: Promise<Ended>, share: ProgramShare): void {
    const stop = () => {
      if (this.#reason === null) this.#late = share;
      this.stop("timeout");
    };
    const timer = setTimeout(stop, Math.min(share.timeoutMs ?? Infinity, LONGEST_TIMER_MS));
    this.onEnd(() => clearTimeout(timer));
    void ended.then(() => clearTimeout(timer));
  }

  /** What the program that ran longer than its rule lets it was given; null where none did. */
  get late(): ProgramShare | null {
    return this.#late;
  }

  /** Waits for somebody's answer: no time of the run passes meanwhile. Ends with the run. Programs run on. */
  async waiting<T>(answer: Promise<T>): Promise<T | null> {
    if (this.#waited++ === 0) {
      clearTimeout(this.#clock);
      this.#left -= performance.now() - this.#counting;
    }
    try {
      return await Promise.race([answer, this.stopping.then(() => null)]);
    } finally {
      if (--this.#waited === 0 && !this.#finished && this.#reason === null) this.#count();
    }
  }

  /** The writing end of a pipe that is read into `capture`. */
  #collect(name: OutputName, capture: Capture): number {
    const { starter, listener } = this.#options;
    const pipe = openPipe(this.#libc);
    setNonBlocking(this.#libc, pipe.read);
    this.#shared.push(pipe.write);
    // Characters that a read cuts in two are told with the next.
    const decoder = listener === null ? null : new TextDecoder("utf-8", { ignoreBOM: true });
    const tell = (bytes: Uint8Array | null): void => {
      if (listener === null || decoder === null) return;
      const text = bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
      if (text === "" || listener.tell(name, text) || this.#killed) return;
      for (const output of this.#outputs) output.rest(true);
      listener.whenRoom(() => this.#wake());
    };
    const output = new Output(starter, pipe.read, (bytes) => {
      capture.add(bytes);
      this.#spill(bytes);
      tell(bytes);
    });
    void output.ended.then(() => tell(null));
    this.#outputs.push(output);
    return pipe.write;
  }

  #wake(): void {
    for (const output of this.#outputs) output.rest(false);
  }

  #spill(bytes: Uint8Array): void {
    const { spill } = this.#options;
    if (spill === null || this.spillFailed) return;
    for (let done = 0; done < bytes.length;) {
      const rest = bytes.subarray(done);
      const count = this.#libc.transfer(this.#libc.numbers.write, spill, rest, rest.length);
      if (count <= 0) {
        this.spillFailed = true;
        return;
      }
      done += count;
      this.spilled += count;
    }
  }

  /** Why it was ended; null where it was not. */
  get reason(): StopReason | null {
    return this.#reason;
  }

  /** Whether anything has happened. */
  get started(): boolean {
    return this.#begun || this.programs.started;
  }

  begin(): void {
    this.#begun = true;
  }

  onEnd(action: () => void): void {
    this.#ends.push(action);
  }

  /** Nobody but the programs that run has the ends of the pipes from now on. */
  release(): void {
    for (const descriptor of this.#shared.splice(0)) close(this.#libc, descriptor);
  }

  /** SIGTERM to all, and after the grace SIGKILL. What went over a limit is killed at once. */
  stop(reason: StopReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#stopping.resolve();
    if (typeof reason === "object") return this.#kill();
    this.programs.signal("SIGTERM");
    // One that was stopped hears nothing before it goes on.
    this.programs.signal("SIGCONT");
    this.#timers.push(setTimeout(() => this.#kill(), this.#options.killGraceMs));
  }

  /** What is still in the pipes then is all that comes: it is read whether there is room for it or not. */
  #kill(): void {
    this.#killed = true;
    this.programs.signal("SIGKILL");
    this.#wake();
    if (this.#finished) return;
    this.#timers.push(setTimeout(() => this.#gone.resolve(null), KILLED_MS));
  }

  /** To be called when the last command has ended, or could not begin: leaves nothing open and nothing running. */
  async finish(): Promise<void> {
    this.#finished = true;
    clearTimeout(this.#clock);
    this.#timers.forEach(clearTimeout);
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    for (const end of this.#ends) end();
    this.release();
    // What was to end ends whole, also those of its programs that took SIGTERM for no reason to.
    if (this.#reason !== null) this.#kill();
    const ended = Promise.all(this.#outputs.map((output) => output.ended));
    if (!this.#isClosed && !await within(DRAIN_MS, ended) && !this.#takesRest()) {
      this.#kill();
      await this.#options.onLeft();
      if (!await within(DRAIN_MS, ended)) this.#takesRest();
    }
    this.#letGo();
    this.programs.release();
    // What was closed while it was slept on is only closed when that has ended.
    await this.#options.starter.poller.awake();
  }

  get #isClosed(): boolean {
    return this.#outputs.every((output) => output.closed);
  }

  /** Reads what lies there without having been told; whether that was all that will come. */
  #takesRest(): boolean {
    for (const output of this.#outputs) output.takeRest();
    return this.#isClosed;
  }

  #letGo(): void {
    this.release();
    for (const output of this.#outputs) output.close();
    if (this.#options.spill !== null) close(this.#libc, this.#options.spill);
  }
}

function reasonOf({ reason }: AbortSignal): StopReason {
  if (reason === "TIMEOUT") return "timeout";
  const [, limit, share = "0"] =
    /^RESOURCE_LIMIT:(memory|processes|cpu)(?::(\d+))?$/.exec(String(reason)) ?? [];
  return limit === undefined ? "cancel" : { limit: limit as ProgramLimit, share: Number(share) };
}

/** Whether the promise settled in time. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
