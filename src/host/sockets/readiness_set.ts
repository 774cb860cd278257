/** Which of many descriptors can be read or written, asked of the kernel at once: epoll(7). */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Spawner } from "../../sandbox/spawner.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close, noDescriptors } from "../kernel/pipes.ts";

/** include/uapi/linux/eventpoll.h */
const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DEL = 2;
const EPOLL_CTL_MOD = 3;
const EPOLLIN = 0x1;
const EPOLLOUT = 0x4;
const EPOLLERR = 0x8;
const EPOLLHUP = 0x10;
/** Events taken at once; what is left comes with the next look. */
const MOST_EVENTS = 256;
/** A sleep ends now and then by itself, so that one that nobody wakes is not for ever. */
const LONGEST_SLEEP_S = 30;
/** poll.h */
const POLLIN = 1;
const POLL_ENTRY = 8;

/** What is told of a descriptor. */
export interface Ready {
  readonly descriptor: number;
  readonly readable: boolean;
  /** Nobody is at the other end any more, in either direction. */
  readonly gone: boolean;
}

/** What is wanted of a descriptor; that its other end is gone is told in any case. */
export interface Wanted {
  readonly read: boolean;
  readonly write: boolean;
}

/** A set of descriptors that are waited for together. */
export class ReadinessSet {
  readonly #libc: Libc;
  readonly #spawner: Spawner;
  readonly #set: number;
  /** An eventfd(2) that ends a sleep. */
  readonly #wake: number;
  /** sizeof(struct epoll_event): packed on x86_64 alone (the header above). */
  readonly #size = Deno.build.arch === "x86_64" ? 12 : 16;
  #sleeping: Promise<void> | null = null;

  /** Throws RESOURCE_LIMIT where there are too many open files. */
  constructor(libc: Libc, spawner: Spawner) {
    this.#libc = libc;
    this.#spawner = spawner;
    this.#set = libc.call(libc.numbers.epollCreate1, OPEN.CLOEXEC);
    this.#wake = libc.call(libc.numbers.eventfd2, 0, OPEN.CLOEXEC | OPEN.NONBLOCK);
    if (this.#set < 0 || this.#wake < 0) throw noDescriptors();
  }

  /** Whether it could be added. */
  add(descriptor: number, wanted: Wanted): boolean {
    return this.#control(EPOLL_CTL_ADD, descriptor, wanted) === 0;
  }

  change(descriptor: number, wanted: Wanted): void {
    this.#control(EPOLL_CTL_MOD, descriptor, wanted);
  }

  remove(descriptor: number): void {
    this.#control(EPOLL_CTL_DEL, descriptor, { read: false, write: false });
  }

  /** Those that are ready, waiting at most so many milliseconds where it stands. */
  look(ms: number): readonly Ready[] {
    const { numbers, struct, structAddress } = this.#libc;
    const count = this.#libc.call(
      numbers.epollPwait,
      this.#set,
      structAddress,
      MOST_EVENTS,
      ms,
      0,
    );
    const found: Ready[] = [];
    for (let i = 0; i < count; i++) {
      const events = struct.getUint32(i * this.#size, true);
      found.push({
        descriptor: struct.getInt32((i + 1) * this.#size - 8, true),
        readable: (events & EPOLLIN) !== 0,
        gone: (events & (EPOLLHUP | EPOLLERR)) !== 0,
      });
    }
    return found;
  }

  /** Resolves when one is ready, on the event loop; also now and then when none is. */
  wait(): Promise<void> {
    this.#sleeping ??= this.#sleep().finally(() => this.#sleeping = null);
    return this.#sleeping;
  }

  /** Whether somebody sleeps on it. */
  get asleep(): boolean {
    return this.#sleeping !== null;
  }

  async #sleep(): Promise<void> {
    const entries = new Uint8Array(2 * POLL_ENTRY);
    const view = new DataView(entries.buffer);
    [this.#set, this.#wake].forEach((descriptor, i) => {
      view.setInt32(i * POLL_ENTRY, descriptor, true);
      view.setInt16(i * POLL_ENTRY + 4, POLLIN, true);
    });
    // The kernel leaves there what is left of the time (ppoll(2), "C library/kernel differences").
    const limit = new Uint8Array(new BigInt64Array([BigInt(LONGEST_SLEEP_S), 0n]).buffer);
    await this.#spawner.poll(this.#libc.numbers.ppoll, entries, 2, limit);
  }

  /** Lets its own descriptors go, once nobody sleeps on them. */
  async close(): Promise<void> {
    const one = new Uint8Array(new BigUint64Array([1n]).buffer);
    this.#libc.transfer(this.#libc.numbers.write, this.#wake, one, one.length);
    await this.#sleeping;
    close(this.#libc, this.#set);
    close(this.#libc, this.#wake);
  }

  #control(operation: number, descriptor: number, { read, write }: Wanted): number {
    const { numbers, struct, structAddress } = this.#libc;
    struct.setUint32(0, (read ? EPOLLIN : 0) | (write ? EPOLLOUT : 0), true);
    struct.setInt32(this.#size - 8, descriptor, true);
    struct.setInt32(this.#size - 4, 0, true);
    return this.#libc.call(numbers.epollCtl, this.#set, operation, descriptor, structAddress);
  }
}
