/** What programs write: read as it comes, kept within its limit, told to who listens, spilled where asked. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { close, readSome } from "../kernel/pipes.ts";
import { type Poller, READABLE, type Watch } from "../kernel/poller.ts";

/** A pipe's capacity (pipe(7)). */
const BUFFER_BYTES = 1 << 16;
/** Reads in a row before others have their turn. */
const MOST_READS = 16;

/** The reading end of a pipe, read until its end. The bytes are valid until the next. */
export class Output {
  readonly #libc: Libc;
  readonly #descriptor: number;
  readonly #take: (bytes: Uint8Array) => void;
  readonly #watch: Watch;
  readonly #buffer: Uint8Array;
  readonly #done = Promise.withResolvers<void>();
  #resting = false;
  #open = true;

  /** `descriptor`: does not block, and belongs to this from now on. */
  constructor(
    { libc, poller, buffer }: {
      readonly libc: Libc;
      readonly poller: Poller;
      readonly buffer: Uint8Array;
    },
    descriptor: number,
    take: (bytes: Uint8Array) => void,
  ) {
    this.#libc = libc;
    this.#descriptor = descriptor;
    this.#take = take;
    this.#buffer = buffer;
    this.#watch = poller.watch(descriptor, READABLE, () => this.#read());
  }

  /** Resolves when all writers have closed it, or `close` has. */
  get ended(): Promise<void> {
    return this.#done.promise;
  }

  get closed(): boolean {
    return !this.#open;
  }

  /** Reads no more until it is told to: who writes then waits. */
  rest(resting: boolean): void {
    this.#resting = resting;
    if (this.#open) this.#watch.rest(resting);
  }

  /**
   * Reads what is there, 1 MiB at most, as much as any pipe holds (pipe(7)): on a busy machine nobody may have been told of it
   * for long.
   */
  takeRest(): void {
    this.#read();
  }

  #read(): void {
    for (let reads = 0; reads < MOST_READS && this.#open && !this.#resting; reads++) {
      const count = readSome(this.#libc, this.#descriptor, this.#buffer);
      if (count === null) return;
      if (count === 0) return this.close();
      this.#take(this.#buffer.subarray(0, count));
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#watch.close();
    close(this.#libc, this.#descriptor);
    this.#done.resolve();
  }
}

/** For the outputs of a thread: what was read has been taken before the next read. */
export function createBuffer(): Uint8Array {
  return new Uint8Array(BUFFER_BYTES);
}
