/** Connecting for programs where nobody else has to wait for it. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { OwnCalls } from "../../sandbox/launcher/own_calls.ts";
import { type Poller, WRITABLE } from "../kernel/poller.ts";
import type { Concurrency } from "./_concurrency.ts";

/** What it takes. */
export interface ConnectingParts {
  readonly libc: Libc;
  /** See `OwnCalls`: a program can make its socket one that waits at any moment. */
  readonly waiting: OwnCalls["waiting"];
  readonly poller: Poller;
  /** Of the call's programs. */
  readonly concurrency: Concurrency;
  /** Of the programs of all calls. */
  readonly concurrencyOfAll: Concurrency;
}

/** F_GETFL, F_SETFL (asm-generic/fcntl.h), SO_ERROR (asm-generic/socket.h) */
const F_GETFL = 3;
const F_SETFL = 4;
const SO_ERROR = 4;
/** Between tries to connect where there is no room. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;
const SOL_SOCKET = 1;
/** Where an option lies, and its length behind it. */
const PLACE = 1024;
const LENGTH_PLACE = PLACE + 8;

/** The connections of the programs of one listener. */
export class Connecting {
  readonly #parts: ConnectingParts;
  /** What ends each wait. */
  readonly #ends = new Set<() => void>();
  #closed = false;

  constructor(parts: ConnectingParts) {
    this.#parts = parts;
  }

  /** As connect(2) of a socket that waits, or of one that does not. */
  connect(copy: number, address: Uint8Array): Promise<number> {
    return this.#connect(copy, address, false);
  }

  /** As connect(2) of a socket that waits, whether it does or not. */
  connectWhole(copy: number, address: Uint8Array): Promise<number> {
    return this.#connect(copy, address, true);
  }

  async #connect(copy: number, address: Uint8Array, whole: boolean): Promise<number> {
    const { libc, concurrency, concurrencyOfAll, waiting } = this.#parts;
    const { connect, fcntl } = libc.numbers;
    const flags = libc.call(fcntl, copy, F_GETFL);
    const waits = flags >= 0 && (flags & OPEN.NONBLOCK) === 0;
    const begin = async (): Promise<number> => {
      if (waits) libc.call(fcntl, copy, F_SETFL, flags | OPEN.NONBLOCK);
      const result = await waiting(connect, copy, address, address.length);
      if (waits) libc.call(fcntl, copy, F_SETFL, flags);
      return result;
    };
    const inTurn = () => concurrencyOfAll.run(begin, -ERRNO.EINTR);
    for (let pause = FIRST_PAUSE_MS;; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const result = await concurrency.run(inTurn, -ERRNO.EINTR);
      if (!waits && !(whole && result === -ERRNO.EINPROGRESS)) return result;
      if (result === -ERRNO.EINPROGRESS) {
        return await this.#untilWritable(copy) ? -this.#errorOf(copy) : -ERRNO.EINTR;
      }
      // A socket in a folder has room for no more: nobody tells when it has.
      if (result !== -ERRNO.EAGAIN) return result;
      if (!await this.#pause(pause)) return -ERRNO.EINTR;
    }
  }

  /** False where nobody waits any more. */
  #untilWritable(copy: number): Promise<boolean> {
    return this.#until((tell) => {
      const watch = this.#parts.poller.watch(copy, WRITABLE, tell);
      return () => watch.close();
    });
  }

  #pause(ms: number): Promise<boolean> {
    return this.#until((tell) => {
      const timer = setTimeout(tell, ms);
      return () => clearTimeout(timer);
    });
  }

  #until(begin: (tell: () => void) => () => void): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const settle = (told: boolean): void => {
      end();
      this.#ends.delete(stop);
      resolve(told);
    };
    const stop = () => settle(false);
    this.#ends.add(stop);
    const end = begin(() => settle(true));
    return promise;
  }

  /** Nobody waits for anything any more. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#ends]) end();
  }

  /** What became of a connection: an error number, or 0. */
  #errorOf(socket: number): number {
    const { libc: { struct, structAddress, numbers, call } } = this.#parts;
    struct.setInt32(LENGTH_PLACE, 4, true);
    const [place, length] = [structAddress + PLACE, structAddress + LENGTH_PLACE];
    const asked = call(numbers.getsockopt, socket, SOL_SOCKET, SO_ERROR, place, length);
    return asked < 0 ? -asked : struct.getInt32(PLACE, true);
  }
}
