/** One line on the terminal that says what a long call is doing; written over, and gone when it ends. */

import type { JobEvent } from "../../engine/runner.ts";
import { clip, plain } from "../render/plain_text.ts";

/** Calls shorter than this show nothing. */
const PATIENCE_MS = 500;
const REFRESH_MS = 200;

/** Carriage return, erase to the end of the line (ECMA-48, EL). */
const ERASE = "\r\x1b[K";

/** Where the line is shown, and what it is of. */
export interface ProgressOptions {
  readonly title: string;
  /** Width of the terminal. */
  readonly columns: number;
  readonly write: (text: string) => void;
  /** Milliseconds, from whenever. */
  readonly now: () => number;
}

/** A line that is written over while a call runs, and is gone when it ends. */
export class ProgressLine {
  readonly #options: ProgressOptions;
  readonly #started: number;
  #said = "";
  #shown = false;
  #held = false;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#started = options.now();
  }

  /** Begins to refresh itself, until `end`. */
  start(): void {
    this.#timer ??= setInterval(() => this.show(), REFRESH_MS);
  }

  /** How far it has come, or the last line that the program wrote. */
  take(event: JobEvent): void {
    if (event.event === "progress") this.#said = event.message;
    else this.#said = event.data.trimEnd().split("\n").at(-1) ?? "";
  }

  /** Writes the line, once the call has taken its time. */
  show(): void {
    const { title, columns, write, now } = this.#options;
    const ms = now() - this.#started;
    if (this.#held || ms < PATIENCE_MS) return;
    const parts = [title, `${Math.floor(ms / 1000)} s`, this.#said].filter((part) => part !== "");
    const line = plain(parts.join("  ")).replaceAll(/[\n\t]/g, " ");
    // The last column stays free: a cursor behind it would be on the next line.
    write(`${ERASE}${clip(line, Math.max(1, columns - 1))}`);
    this.#shown = true;
  }

  /** Out of the way while somebody is asked; back afterwards. */
  async heldWhile<T>(work: () => Promise<T>): Promise<T> {
    this.#erase();
    this.#held = true;
    try {
      return await work();
    } finally {
      this.#held = false;
    }
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#erase();
    this.#held = true;
  }

  #erase(): void {
    if (this.#shown) this.#options.write(ERASE);
    this.#shown = false;
  }
}
