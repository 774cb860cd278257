/** What goes out to one caller: lines that wait, written as far as he takes them, and never waited for. */

import { writeSome } from "../../host/kernel/pipes.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Output } from "../server.ts";

/** Bytes that wait before nothing new is begun for this caller. */
const HIGH = 1 << 20;
/** Below it there is room again. */
const LOW = HIGH / 4;

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

/** Lines on their way to one caller. `onChange`: called when there is something to send. */
export class Outbox implements Output {
  readonly #libc: Libc;
  readonly #descriptor: number;
  readonly #onChange: () => void;
  #lines: string[] = [];
  #units = 0;
  /** What was begun to be sent. */
  #rest: Uint8Array = NOTHING;
  #waiting: PromiseWithResolvers<void> | null = null;
  #closed = false;

  constructor(libc: Libc, descriptor: number, onChange: () => void) {
    this.#libc = libc;
    this.#descriptor = descriptor;
    this.#onChange = onChange;
  }

  /** Bytes that wait, as near as lengths of texts tell it. */
  get held(): number {
    return this.#rest.length + this.#units;
  }

  get full(): boolean {
    return this.held > HIGH;
  }

  room(): Promise<void> | null {
    if (!this.full || this.#closed) return null;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  write(line: string): void {
    if (this.#closed) return;
    this.#lines.push(line, "\n");
    this.#units += line.length + 1;
    this.#onChange();
  }

  /** Sends what goes at once; whether something of it went. What a broken connection does not take is for its end to tell. */
  flush(): boolean {
    const before = this.held;
    while (this.held > 0) {
      if (this.#rest.length === 0) {
        this.#rest = encoder.encode(this.#lines.join(""));
        this.#lines = [];
        this.#units = 0;
      }
      const sent = writeSome(this.#libc, this.#descriptor, this.#rest) ?? 0;
      if (sent === 0) break;
      this.#rest = sent === this.#rest.length ? NOTHING : this.#rest.subarray(sent);
    }
    if (this.held < LOW) this.#release();
    return this.held < before;
  }

  /** Nobody reads any more: what comes is dropped. */
  close(): void {
    this.#closed = true;
    this.#lines = [];
    this.#units = 0;
    this.#rest = NOTHING;
    this.#release();
  }

  #release(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}
