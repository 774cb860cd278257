/**
 * A thread that hears the pipe while nothing comes but calls that only look, and answers them where it is: no other thread is
 * asked. With the first line that is anything else it gives the turn to the main thread, and that line, and all behind it.
 */

import type { LookingEngine } from "../../engine/looking_engine.ts";
import type { StandardPipe } from "../../host/kernel/standard_pipe.ts";
import { writeResult } from "../../core/result.ts";
import type { PipeAgent } from "../_operations.ts";
import { readRequest } from "../_read_request.ts";
import { LineBuffer } from "../line_buffer.ts";
import { isLook, LONGEST_LOOK } from "./look.ts";
import { HELD_BYTES, type ListenerTurn, type OutputLock, type Sign } from "./turn.ts";

/** Bytes asked of standard input at once: a pipe's capacity (pipe(7)). */
const INPUT_BYTES = 1 << 16;
/** Bytes of answers that wait for company at most. */
const BATCH_BYTES = 1 << 15;
/** Without input for so long it lets its event loop have a turn, for what the runtime does when nothing else is to be done. */
const IDLE_MS = 1_000;
const NEWLINE = 0x0a;

/** What it hears and answers with. */
export interface ListenerParts {
  readonly engine: Pick<
    LookingEngine,
    "look" | "looks" | "timeoutOf" | "takeCounts" | "requestBytes"
  >;
  readonly agent: PipeAgent;
  readonly turn: ListenerTurn;
  readonly pipe: StandardPipe;
  readonly lock: Pick<OutputLock, "takeBlocking" | "free">;
}

/** How a line was taken: answered, not for this thread, or by now another's. */
type Taken = "answered" | "other" | "lost";

/** How the turn goes back: from where on the input is not answered. */
interface GivenBack {
  readonly from: number;
  readonly sign: Sign | null;
}

/** Hears until its thread is ended. */
export class Listener {
  readonly #parts: ListenerParts;
  readonly #input = new Uint8Array(HELD_BYTES);
  readonly #lines = new LineBuffer();
  /** Bytes of the longest line that is for this thread, ended or not. */
  readonly #longest: number;
  /** Bytes of the input that are there. */
  #end = 0;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#longest = Math.min(LONGEST_LOOK, parts.engine.requestBytes);
  }

  /** Ends only where one of its calls took too long, and all of this became somebody else's. */
  async run(): Promise<void> {
    const { turn, engine } = this.#parts;
    for (;;) {
      this.#end = turn.wait(this.#input);
      const given = await this.#hear();
      if (given === null) return;
      turn.give(given.from, given.sign, JSON.stringify(engine.takeCounts()));
    }
  }

  /** Until the turn is to be given back: from where on of the input. */
  async #hear(): Promise<GivenBack | null> {
    const { turn } = this.#parts;
    for (;;) {
      let at = 0;
      for (let end = this.#lineEnd(at); end !== -1; end = this.#lineEnd(at)) {
        const taken = await this.#take(this.#input.subarray(at, end));
        if (taken === "lost") return null;
        if (taken === "other") return this.#flushed(at) ?? { from: at, sign: null };
        at = end + 1;
        const broken = this.#lines.length < BATCH_BYTES ? null : this.#flushed(at);
        if (broken !== null) return broken;
      }
      const broken = this.#flushed(at);
      if (broken !== null) return broken;
      this.#input.copyWithin(0, at, this.#end);
      this.#end -= at;
      turn.move(at);
      if (this.#end > this.#longest) return { from: 0, sign: null };
      const sign = await this.#read();
      if (sign !== "read") return { from: 0, sign };
    }
  }

  #lineEnd(from: number): number {
    // Behind what is there lie 128 KiB that nobody has to look through.
    const end = this.#input.subarray(from, this.#end).indexOf(NEWLINE);
    return end === -1 ? -1 : from + end;
  }

  /** Waits for more. Null where it was woken to give the turn back. */
  async #read(): Promise<Sign | "read" | null> {
    const { pipe, turn } = this.#parts;
    for (let ms: number | undefined = IDLE_MS;;) {
      if (!pipe.isReadable(ms)) {
        if (pipe.wasWoken()) return null;
        await new Promise((resolve) => setTimeout(resolve, 0));
        ms = undefined;
        continue;
      }
      const room = this.#input.subarray(this.#end, this.#end + INPUT_BYTES);
      const count = pipe.read(room);
      if (count === 0) return "ended";
      if (count === null) continue;
      turn.read(this.#input, this.#end, this.#end + count);
      this.#end += count;
      return "read";
    }
  }

  async #take(line: Uint8Array): Promise<Taken> {
    const { engine, agent, turn } = this.#parts;
    if (line.length > this.#longest) return "other";
    const request = readRequest(line, agent.name);
    if (request === null) return "answered";
    if (!isLook(request, agent, (tool) => engine.looks(tool))) return "other";
    turn.begin(engine.timeoutOf(request.call.tool));
    const result = await engine.look(request.call);
    if (!turn.end()) return "lost";
    if (result === null) return "other";
    writeResult(this.#lines, request.id, result);
    return "answered";
  }

  /** Writes out what was answered, as far as `upTo` of the input. Null where somebody reads it. */
  #flushed(upTo: number): GivenBack | null {
    const { lock, pipe, turn } = this.#parts;
    if (this.#lines.length > 0) {
      lock.takeBlocking();
      const isRead = pipe.write(this.#lines.bytes);
      lock.free();
      this.#lines.drop(this.#lines.length);
      if (!isRead) return { from: upTo, sign: "unread" };
    }
    turn.answered(upTo);
    return null;
  }
}
