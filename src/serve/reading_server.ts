/**
 * Long lines read between others: parsing 16 MiB takes some 80 ms, of which each step is a turn of its own, and a ping that
 * comes behind such a line does not wait for it. All else keeps its order.
 */

import type { StayingRunner } from "../engine/runner.ts";
import { Turns } from "../engine/turns.ts";
import {
  isPing,
  type JsonLine,
  type LineProblem,
  readJsonLine,
  readJsonSteps,
} from "./json_line.ts";
import type { Counts, Give, LineServer } from "./line_loop.ts";
import type { Line } from "./line_splitter.ts";

/** Bytes of a line that is read in turns: shorter ones take a few milliseconds. */
const LONG = 1_000_000;
/** Bytes of lines that are read, or wait for that, before no more input is read. */
const MOST_HELD = 32 * (1 << 20);

/** A line that was read, so that who accepts it need not. */
export type ReadLine = Line & { readonly json?: JsonLine | LineProblem | null };

/** A server to which long lines come once they were read. */
export class ReadingServer implements LineServer {
  readonly #server: LineServer;
  readonly #unread: Line[] = [];
  #held = 0;
  #inputEnded = false;
  #refusing = false;

  constructor(server: LineServer) {
    this.#server = server;
  }

  get runner(): StayingRunner {
    return this.#server.runner;
  }

  get pending(): number {
    return this.#server.pending + this.#unread.length;
  }

  get held(): number {
    return this.#server.held + this.#held;
  }

  get full(): boolean {
    return this.#server.full || this.#held >= MOST_HELD;
  }

  get answering(): number {
    return this.#server.answering;
  }

  get settling(): boolean {
    return this.#server.settling;
  }

  get onAnswer(): () => void {
    return this.#server.onAnswer;
  }

  set onAnswer(told: () => void) {
    this.#server.onAnswer = told;
  }

  addCounts(counts: Counts): void {
    this.#server.addCounts?.(counts);
  }

  accept(line: Line, give: Give | null = null): void {
    const long = !("tooLong" in line) && line.bytes.length >= LONG;
    // Nothing that only looks overtakes what is being read.
    if (this.#unread.length === 0 && !long) return this.#server.accept(line, give);
    if (!("tooLong" in line)) {
      if (!long && isPing(readJsonLine(line.bytes))) return this.#server.accept(line);
      this.#held += line.bytes.length;
    }
    // Bytes of a line are valid until the next comes.
    this.#unread.push("tooLong" in line ? line : { bytes: line.bytes.slice() });
    if (this.#unread.length === 1) void this.#read();
  }

  async #read(): Promise<void> {
    for (let line = this.#unread[0]; line !== undefined; line = this.#unread[0]) {
      const read: ReadLine = "tooLong" in line
        ? line
        : { ...line, json: await inTurns(line.bytes) };
      while (this.#server.full && !this.#refusing) await roomMayBe();
      if (!("tooLong" in line)) this.#held -= line.bytes.length;
      this.#unread.shift();
      this.#server.accept(read);
      if (this.#refusing) this.#server.refuseWaiting();
      this.#server.onAnswer();
    }
    if (this.#inputEnded) this.#server.endInput();
    this.#server.onAnswer();
  }

  resume(): void {
    this.#server.resume();
  }

  endInput(): void {
    this.#inputEnded = true;
    if (this.#unread.length === 0) this.#server.endInput();
  }

  refuseWaiting(): void {
    this.#refusing = true;
    this.#server.refuseWaiting();
  }

  cancelAll(): void {
    this.#server.cancelAll();
  }
}

/** Soon enough for who waits behind requests of megabytes. */
function roomMayBe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

async function inTurns(bytes: Uint8Array): Promise<JsonLine | LineProblem | null> {
  const turns = new Turns();
  const steps = readJsonSteps(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turns.take();
  }
}
