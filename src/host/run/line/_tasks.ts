/** All that a line runs beside itself: begun, told of at its end, and ended with it. */

import { printable } from "../../../core/printable.ts";
import type { PlanNode, TimeLimit } from "../../../core/plan.ts";
import { signalNumber, SIGNALS } from "../../../sandbox/kernel/signals.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { openPipe } from "../../kernel/pipes.ts";
import type { Ended } from "../_programs.ts";
import { closeAll, copied, MOST_TASKS, Task } from "./_background.ts";
import { limit } from "./_limit.ts";
import type { LineHost } from "./line_host.ts";
import type { LineStreams } from "./_streams.ts";
import { Exit, type LineState, SUCCESS } from "./_state.ts";
import { Stopped } from "./_stopped.ts";

const FAILED = { code: 1, signal: null } as const;
/** timeout(1), EXIT STATUS */
const TIMED_OUT = { code: 124, signal: null } as const;
/** A longer one would fire at once (HTML, timers: a 32-bit signed number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Numbers of processes end below (PID_MAX_LIMIT, include/linux/threads.h): nobody has one from here on. */
const NO_PROCESS = 4 * 1024 * 1024;
/** How long what was killed may take to be gone (it can hang in the kernel). */
const KILLED_MS = 2_000;
/** bash takes them from here on downwards. */
const LAST_PIPE = 63;
const MOST_PIPES = 32;

/** Whether it may be one program and nothing else: what is none starts none. */
function isProgram(node: PlanNode): boolean {
  return node.kind === "simple" && node.calls !== true && node.feeds === undefined;
}

/** What running beside a line takes from it. */
export interface TaskParts {
  readonly host: LineHost;
  readonly line: string;
  /** Runs the node as a subshell. */
  run(node: PlanNode, state: LineState, place: LineStreams): Promise<Ended>;
  say(descriptor: number | undefined, text: string): Promise<number>;
}

/** Those of one line. */
export class Tasks {
  readonly #parts: TaskParts;
  /** With the words that tell of each. */
  readonly #tasks = new Map<Task, { readonly shown: string | null; done: Promise<unknown> }>();
  /** Descriptors of these. */
  readonly #copies = new Set<readonly number[]>();
  /** What is written into by commands of the line, to its end. */
  readonly #drains: Promise<unknown>[] = [];
  readonly #late: (() => void)[] = [];
  #over = false;
  #failure: unknown = null;
  #idle = 0;

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  /** Whether the line has ended: nothing begins any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Calls it once nothing is told through it any more. */
  release(release: () => void): void {
    if (this.#tasks.size === 0 || this.#over) release();
    else this.#late.push(release);
  }

  /** Waits for what the line writes into, which is part of its commands. Throws what stopped one of them. */
  async drained(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    await Promise.race([Promise.all(this.#drains), this.#parts.host.stopping]);
  }

  /** Nothing begins any more, and who reads the answer is told what was ended. */
  async end(descriptors: readonly number[]): Promise<void> {
    const { host, say } = this.#parts;
    const left = [...this.#tasks].filter(([task]) => task.status === null);
    const told = left.flatMap(([task, { shown }]) => shown === null || task.told ? [] : [shown]);
    if (told.length > 0 && !host.stopped()) {
      const said = told.map((one) => `ended with the call, which leaves nothing running: ${one}`);
      await say(descriptors[2], `${said.join("\n")}\n`);
    }
    this.#over = true;
    for (const [task] of left) task.signal(SIGNALS.SIGKILL);
    // Gone before the run is over, which reaps those that have ended.
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.resolve(), KILLED_MS);
    await Promise.race([Promise.all(left.map(([, { done }]) => done)), late.promise]);
    clearTimeout(timer);
    for (const release of this.#late.splice(0)) release();
    for (const copies of this.#copies) closeAll(host, copies);
    this.#copies.clear();
  }

  /** `<(…)`: the pipe's name, as bash has it, and its other end in the hands of the body. */
  beside(
    access: "read" | "write",
    body: PlanNode,
    state: LineState,
    [stdin = CLOSED, stdout = CLOSED, stderr = CLOSED]: readonly number[],
    pipes: Map<string, number>,
  ): string {
    const { host } = this.#parts;
    if (pipes.size === MOST_PIPES) throw limit(`${MOST_PIPES} process substitutions in a command`);
    const pipe = openPipe(host.libc);
    const [mine, its] = access === "read" ? [pipe.read, pipe.write] : [pipe.write, pipe.read];
    const name = `/dev/fd/${LAST_PIPE - pipes.size}`;
    pipes.set(name, mine);
    const around = copied(host, [stdin, stdout, stderr]);
    const descriptors = access === "read"
      ? [around[0]!, its, around[2]!]
      : [its, around[1]!, around[2]!];
    const copies = access === "read"
      ? [its, around[0]!, around[2]!]
      : [its, around[1]!, around[2]!];
    closeAll(host, [around[access === "read" ? 1 : 0]!]);
    const task = this.#begin(body, state.substitution(), descriptors, copies, null);
    if (access === "write") this.#drains.push(task.done);
    return name;
  }

  /** `… &` */
  async background(
    { body, position }: Extract<PlanNode, { readonly kind: "background" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const { host, line } = this.#parts;
    const copy = state.copy();
    copy.inner = true;
    const around = copied(host, place.descriptors);
    // Without job control it reads nothing (bash(1), JOB CONTROL; POSIX, 2.9.3).
    const descriptors = [host.nothing, ...around.slice(1)];
    const shown = printable(line.slice(position), 40);
    const { task, done } = this.#begin(body, copy, descriptors, around, shown);
    const number = state.jobs.nextNumber();
    const first = await Promise.race([task.first, host.gone]);
    const id = first ?? NO_PROCESS + ++this.#idle;
    state.lastJob = id;
    state.jobs.add({
      ...{ number, id, ended: done, status: () => task.status },
      signal: (signal) => task.signal(signal),
    });
    state.status = SUCCESS;
  }

  /**
   * Runs what the state stands in for and waits for it, for so long at most, as timeout(1) does it. `fromStart`: from when its
   * first program was started, however long judging took.
   */
  async limited(
    state: LineState,
    limit: TimeLimit,
    run: () => Promise<Ended>,
    fromStart = false,
  ): Promise<Ended> {
    const around = state.task;
    const task = new Task(this.#parts.host, { within: around, timed: true });
    state.task = task;
    const timers: number[] = [];
    const after = (ms: number, number: number): void => {
      timers.push(setTimeout(() => task.signal(number), Math.min(ms, LONGEST_TIMER_MS)));
    };
    const signal = signalNumber(limit.signal) ?? SIGNALS.SIGTERM;
    const begin = (): void => {
      if (limit.ms === 0 || task.status !== null) return;
      after(limit.ms, signal);
      if (limit.killAfterMs !== null) after(limit.ms + limit.killAfterMs, SIGNALS.SIGKILL);
    };
    if (fromStart) void task.first.then(begin);
    else begin();
    try {
      const status = await run();
      const ending = task.ownEnding;
      if (ending === null) return status;
      return limit.preserves || ending.signal === "SIGKILL" ? ending : TIMED_OUT;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      state.task = around;
      task.ended(SUCCESS);
    }
  }

  /** The same for one command of the state's own shell. */
  async limitedCommand(
    state: LineState,
    limit: TimeLimit,
    run: () => Promise<void>,
  ): Promise<Ended> {
    return await this.limited(state, limit, async () => {
      try {
        await run();
      } catch (error) {
        // The time was over before it had begun.
        if (!(error instanceof Exit) || state.task?.ownEnding === null) throw error;
      }
      return state.status;
    }, true);
  }

  /** Runs the node beside what follows, with descriptors that are let go of at its end. */
  #begin(
    node: PlanNode,
    state: LineState,
    descriptors: readonly number[],
    copies: readonly number[],
    shown: string | null,
  ): { readonly task: Task; readonly done: Promise<Ended> } {
    const { host } = this.#parts;
    if (this.#tasks.size >= MOST_TASKS) throw limit(`${MOST_TASKS} commands beside each other`);
    const within = state.task?.timed ?? null;
    const task = new Task(host, { program: isProgram(node), within });
    const known: { readonly shown: string | null; done: Promise<unknown> } = {
      shown,
      done: task.first,
    };
    this.#tasks.set(task, known);
    this.#copies.add(copies);
    state.task?.hasBeside(task);
    state.task = task;
    const run = async (): Promise<Ended> => {
      let status: Ended = FAILED;
      try {
        const place = { descriptors, release: () => {}, tested: false };
        status = await this.#parts.run(node, state, place);
      } catch (error) {
        // Nobody looks at it later: what stops one of them stops the line.
        if (!(error instanceof Stopped)) this.#failure ??= error;
        if (!(error instanceof Stopped)) host.stop();
      } finally {
        task.ended(task.ending ?? status);
        this.#tasks.delete(task);
        if (this.#copies.delete(copies)) closeAll(host, copies);
      }
      return task.status ?? status;
    };
    const done = run();
    known.done = done;
    return { task, done };
  }
}
