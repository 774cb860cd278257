/** The life of a pipe: lines come in, lines go out, threads answer in between, and it sleeps until one of them has something. */

import { readInput } from "../host/standard_input.ts";
import type { LookingEngine } from "../engine/looking_engine.ts";
import type { StayingRunner } from "../engine/runner.ts";
import { type Line, LineSplitter } from "./line_splitter.ts";
import type { LineWriter } from "./line_writer.ts";
import type { Readiness } from "../host/kernel/readiness.ts";
import type { Listening } from "./listener/listening.ts";
import type { Given } from "./listener/turn.ts";

/** Bytes asked of standard input at once: a pipe's capacity (pipe(7)). */
const INPUT_BYTES = 1 << 16;
/**
 * How long the loop blocks for the next request of a caller that takes turns before it waits on the event loop. Timers and signals are late by as much at the most.
 */
const TURN_MS = 1;
/** The same for the turn to come back from whoever only looks. */
const GIVEN_MS = 1;
/** The same for the answer of a thread: one that starts a program takes longer than one that reads a file. */
const ANSWER_MS = 2;
/** Bytes of answers that wait for company at most. */
const BATCH_BYTES = 1 << 15;
/** Continuations of an answer that has arrived, until it is written: a few turns of the microtask queue. */
const SETTLE_TURNS = 8;

const LINE_END = new Uint8Array([0x0a]);

/** What speaks over a pipe: the operations of `serve`, or MCP. */
export interface LineServer {
  readonly runner: StayingRunner;
  /** Requests without an answer. */
  readonly pending: number;
  /** Bytes of those requests. */
  readonly held: number;
  /** Whether reading on has to wait. */
  readonly full: boolean;
  /** Requests whose answers are being made on this very thread. */
  readonly answering: number;
  /** Whether some request is neither on a thread nor answered: its answer is being made. */
  readonly settling: boolean;
  /** Called when something was written. */
  onAnswer: () => void;
  /** `give`: for a line that a thread which only looks may answer as well, now. */
  accept(line: Line, give?: Give | null): void;
  /** What such a thread has answered. */
  addCounts?(counts: Counts): void;
  /** There is room again for answers, where the way out had none. */
  resume(): void;
  /** The input has ended: nobody will say anything any more. */
  endInput(): void;
  /** Answers what has not begun; there will be no turn for it. */
  refuseWaiting(why?: string): void;
  cancelAll(): void;
}

/** Gives a line away, and all behind it. False where that cannot be, and it is the server's own. */
export type Give = (line: Line) => boolean;

/** Calls that were answered, as the engine counts them. */
export type Counts = ReturnType<LookingEngine["takeCounts"]>;

/** Reads lines, hands them to a server and writes its answers, until the input ends and all is answered. */
export class LineLoop {
  readonly #server: LineServer;
  readonly #writer: LineWriter;
  readonly #readiness: Readiness;
  readonly #splitter: LineSplitter;
  readonly #input = new Uint8Array(INPUT_BYTES);
  #reading = false;
  /** Whether the turn was given away just now. */
  #gave = false;
  /** Whether the bell of whoever has it wakes the loop. */
  #awaitsTurn = false;
  /** Whose bell wakes the loop, while it is waited for. */
  #awaited: StayingRunner | null = null;
  #open = true;
  #abandoned = false;
  /**
   * Everything that may end a wait resolves this one, and each wait has its own: `Promise.race` would leave a
   * reaction on every promise that lives longer than the wait, for each request.
   */
  #wake = Promise.withResolvers<void>();
  /** Who hears in turns with this loop; null where it hears alone. */
  readonly #listening: Listening | null;

  constructor(
    server: LineServer,
    writer: LineWriter,
    readiness: Readiness,
    { requestBytes, listening = null }: {
      readonly requestBytes: number;
      readonly listening?: Listening | null;
    },
  ) {
    this.#server = server;
    this.#writer = writer;
    this.#readiness = readiness;
    this.#listening = listening;
    this.#splitter = new LineSplitter(requestBytes);
    server.onAnswer = () => this.#wake.resolve();
  }

  /** Takes no more requests; those that run have `graceMs` to end, then they are cancelled. */
  stop(graceMs: number): void {
    this.#open = false;
    this.#server.endInput();
    this.#server.refuseWaiting();
    this.#listening?.recall();
    this.#wake.resolve();
    setTimeout(() => this.#server.cancelAll(), graceMs);
    // What does not end when it is cancelled is ended with the process; so is a reader that never reads.
    setTimeout(() => {
      this.#abandoned = true;
      this.#wake.resolve();
    }, 2 * graceMs + 1_000);
  }

  /** True when every request was answered to a reader that was there. */
  async run(): Promise<boolean> {
    while (!this.#abandoned) {
      // It can be another one than a turn ago: MCP roots that narrow the workspace take a new engine.
      const { runner } = this.#server;
      runner.drain();
      this.#takeTurn();
      // Threads hear of what was begun, and answers that are made reach the writer, so that they go out in one write.
      let turns = 0;
      do await null; while (this.#isSettling && ++turns < SETTLE_TURNS);
      // What has come in is read before what is ready goes out: many answers then share a write.
      if (this.#writer.waiting < BATCH_BYTES && this.#readAhead(0)) continue;
      if (this.#writer.flush() !== null) await this.#flush();
      if (this.#writer.broken) {
        this.#server.cancelAll();
        return false;
      }
      const idle = this.#server.pending === 0;
      if (!this.#open && idle && this.#writer.waiting === 0 && this.#hears) return true;
      if (this.#gave) {
        this.#gave = false;
        if (idle && this.#listening?.bell.waitBlocking(GIVEN_MS)) continue;
      }
      if (this.#writer.waiting > 0 || (idle && this.#readAhead(TURN_MS))) continue;
      if (!this.#reading && runner.running > 0) {
        const soon = runner.answersSoon(ANSWER_MS);
        if (soon instanceof Promise ? await soon : soon) continue;
      }
      await this.#waitForAnything();
    }
    return false;
  }

  get #isSettling(): boolean {
    return this.#server.settling || this.#server.answering > 0;
  }

  /** Until all has gone out: a reader that does not read stops the loop here. */
  async #flush(): Promise<void> {
    let flushing = false;
    while (this.#writer.waiting > 0 && !this.#writer.broken && !this.#abandoned) {
      // What is written while a flush ends is not of it: another one takes it along.
      if (!flushing) {
        const flushed = this.#writer.flush();
        if (flushed === null) return;
        flushing = true;
        void flushed.then(() => {
          flushing = false;
          this.#wake.resolve();
        });
      }
      await this.#nextWake();
    }
  }

  /** Reads without the event loop where bytes are known to be there; true when it did. */
  #readAhead(ms: number): boolean {
    if (!this.#mayRead || this.#reading || !this.#readiness.readable(ms)) return false;
    this.#take(Deno.stdin.readSync(this.#input));
    return true;
  }

  /** Reading on while the queue is full would only move the caller's backlog into this process. */
  get #mayRead(): boolean {
    return this.#open && this.#hears && !this.#server.full;
  }

  /** Whether it is this loop's turn to read. */
  get #hears(): boolean {
    return this.#listening?.isMain ?? true;
  }

  /** Does what whoever only looks has left, where it is this loop's turn again. */
  #takeTurn(): void {
    const given = this.#listening?.take() ?? null;
    if (given === null) return;
    if (given.note !== null && given.note !== "") {
      this.#server.addCounts?.(JSON.parse(given.note) as Counts);
    }
    if (given.sign === "unread") this.#writer.break();
    this.#takeGiven(given);
  }

  #takeGiven({ bytes, sign }: Given): void {
    if (!this.#open) return;
    // The first of them is why the turn came back; and what is over is so for whoever hears.
    this.#takeLines(bytes, sign === null ? 1 : Infinity);
    if (sign === "ended") this.#take(null);
  }

  /** `own`: how many of the lines are for this loop, whoever else may answer them. */
  #takeLines(chunk: Uint8Array, own: number): void {
    let count = 0;
    for (const line of this.#splitter.push(chunk)) {
      this.#server.accept(line, count++ < own || this.#listening === null ? null : this.#give);
      if (!this.#hears) return;
    }
  }

  readonly #give: Give = (line) => {
    if (this.#listening === null || "tooLong" in line) return false;
    this.#gave = this.#listening.give([line.bytes, LINE_END, this.#splitter.rest]);
    return this.#gave;
  };

  async #waitForAnything(): Promise<void> {
    const { runner } = this.#server;
    if (this.#awaited !== runner) {
      this.#awaited = runner;
      void runner.bell.wait().then(() => {
        if (this.#awaited === runner) this.#awaited = null;
        this.#wake.resolve();
      });
    }
    if (!this.#hears && !this.#awaitsTurn) {
      this.#awaitsTurn = true;
      void this.#listening?.bell.wait().then(() => {
        this.#awaitsTurn = false;
        this.#wake.resolve();
      });
    }
    if (this.#mayRead && !this.#reading) {
      this.#reading = true;
      const taken = (count: number | null) => {
        this.#reading = false;
        this.#take(count);
        this.#wake.resolve();
      };
      void readInput(this.#input).then(taken, () => taken(null));
    }
    await this.#nextWake();
  }

  async #nextWake(): Promise<void> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers<void>();
  }

  #take(count: number | null): void {
    if (!this.#open) return;
    if (count === null) {
      const last = this.#splitter.end();
      if (last !== null) this.#server.accept(last);
      this.#open = false;
      this.#server.endInput();
      return;
    }
    this.#takeLines(this.#input.subarray(0, count), 0);
  }
}
