/**
 * Waiting for the descriptors of programs: all that are watched in one ppoll(2). The first moments after something
 * began are waited for where they stand, since most programs end at once; after that a thread of its own sleeps.
 */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Spawner } from "../../sandbox/spawner.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close, noDescriptors } from "./pipes.ts";

/** include/uapi/asm-generic/poll.h */
export const READABLE = 0x1;
/** The same header. */
export const WRITABLE = 0x4;

/** How long after something began the event loop is held up, and how long at a stretch at the most. */
const HOT_MS = 2;
const LONGEST_HOT_MS = 10;
/** A sleep ends now and then by itself, so that a thread that was ended does not leave it behind for ever. */
const LONGEST_SLEEP_S = 1;
/** Continuations of what a turn has told, until they have begun what they will: turns of the microtask queue. */
const SETTLE_TURNS = 48;
/** sizeof(struct pollfd): descriptor (4), wanted (2), seen (2) (poll(2)). */
const ENTRY_SIZE = 8;
const SEEN_OFFSET = 6;

/** What is waited for, until `close`. */
export interface Watch {
  /** Stops and begins again to be told; while it rests a program that writes has to wait. */
  rest(resting: boolean): void;
  close(): void;
}

/** What is done when a descriptor is ready. `ALL_DONE`: nothing of it goes on afterwards. */
export type Tell = () => void | typeof ALL_DONE;

/** Nothing was begun that has continuations of its own. */
export const ALL_DONE = "all done";

interface Watched {
  readonly descriptor: number;
  readonly events: number;
  readonly tell: Tell;
  /** The end of a program, which what it wrote waits for while that is little. */
  readonly end: boolean;
  resting: boolean;
}

/** Tells when descriptors can be read or written, without holding up the thread: by a sleeping ppoll(2) elsewhere. */
export class Poller {
  readonly #libc: Libc;
  readonly #spawner: Spawner;
  readonly #watched = new Set<Watched>();
  /** What of it is looked at, as it is as long as nothing changes. */
  #looked: Looked | null = null;
  /** An eventfd(2) that ends a sleep. */
  readonly #wake: number;
  readonly #one = new Uint8Array(new BigUint64Array([1n]).buffer);
  readonly #count = new Uint8Array(8);
  readonly #limit = new BigInt64Array(2);
  readonly #limitBytes = new Uint8Array(this.#limit.buffer);
  #running = false;
  #asleep = false;
  #sleeping: Promise<number> = Promise.resolve(0);
  #woken = false;
  #hotUntil = 0;
  #hotSince = 0;
  #cooled: PromiseWithResolvers<void> | null = null;

  constructor(libc: Libc, spawner: Spawner) {
    this.#libc = libc;
    this.#spawner = spawner;
    this.#wake = libc.call(libc.numbers.eventfd2, 0, OPEN.CLOEXEC | OPEN.NONBLOCK);
    if (this.#wake < 0) throw noDescriptors();
  }

  /** Calls `tell` each time the descriptor is ready, or at its end, until the watch is closed. */
  watch(descriptor: number, events: number, tell: Tell): Watch {
    return this.#add({ descriptor, events, tell, end: false, resting: false });
  }

  /** As `watch`, of a program's end (pidfd_open(2)). */
  watchEnd(descriptor: number, tell: Tell): Watch {
    return this.#add({ descriptor, events: READABLE, tell, end: true, resting: false });
  }

  #add(watched: Watched): Watch {
    this.#watched.add(watched);
    this.#changed();
    return {
      rest: (resting) => {
        if (watched.resting === resting) return;
        watched.resting = resting;
        this.#changed();
      },
      close: () => {
        if (this.#watched.delete(watched)) this.#changed();
      },
    };
  }

  /** Something has begun that may end at once, or in so many milliseconds. */
  expectSoon(ms = HOT_MS): void {
    this.#hotUntil = performance.now() + ms;
  }

  /** What is waited for takes the event loop. */
  expectLater(): void {
    this.#hotUntil = 0;
  }

  /** Resolves when nothing is expected to happen at any moment: the thread is free for its event loop. */
  cooled(): Promise<void> {
    if (!this.#running || this.#asleep) return Promise.resolve();
    this.#cooled ??= Promise.withResolvers();
    return this.#cooled.promise;
  }

  #cool(): void {
    this.#cooled?.resolve();
    this.#cooled = null;
  }

  /** Resolves when nothing is slept on any more, where nothing is watched; else at once. */
  async awake(): Promise<void> {
    if (this.#asleep && this.#watched.size === 0) await this.#sleeping;
  }

  /** Lets the descriptors go. Nothing may be watched any more. */
  close(): void {
    if (this.#wake >= 0) close(this.#libc, this.#wake);
  }

  /** The set that is slept on is no longer the one that is watched (what it holds is open until it wakes). */
  #changed(): void {
    this.#looked = null;
    if (!this.#running) {
      this.#running = true;
      void this.#run();
    } else if (this.#asleep && !this.#woken) {
      this.#woken = true;
      this.#libc.transfer(this.#libc.numbers.write, this.#wake, this.#one, this.#one.length);
    }
  }

  async #run(): Promise<void> {
    // Who has just begun to watch has more to say first.
    await null;
    this.#hotSince = performance.now();
    while (this.#watched.size > 0) {
      const now = performance.now();
      const hot = now < this.#hotUntil && now - this.#hotSince < LONGEST_HOT_MS;
      if (!hot) this.#cool();
      const told = hot ? this.#turn(Math.min(this.#hotUntil - now, 1)) : await this.#sleep();
      if (!hot) this.#hotSince = performance.now();
      const turns = told === "done" ? 1 : told === "begun" ? SETTLE_TURNS : 0;
      for (let turn = 0; turn < turns; turn++) await null;
    }
    this.#running = false;
    this.#cool();
  }

  /**
   * Looks, waiting at most so long, and tells what there was to tell. Where programs are about to end their ends alone
   * are waited for: the pipes that they close on the way would wake it for nothing.
   */
  #turn(ms: number): Told {
    const { all, ends } = this.#looked ??= lookedOf([...this.#watched]);
    if (all.watched.length > MOST_AT_ONCE) return "nothing";
    if (ends.watched.length === 0) return this.#tellReady(all, ms);
    if (ends.watched.length === all.watched.length) return this.#tellReady(ends, ms);
    this.#ready(ends, ms);
    return this.#tellReady(all, 0);
  }

  #tellReady(set: Entries, ms: number): Told {
    const seen = this.#ready(set, ms);
    return seen === null ? "nothing" : this.#tell(set.watched, seen);
  }

  /** The entries as ppoll(2) left them; null where none is ready. */
  #ready({ watched, bytes }: Entries, ms: number): Uint8Array | null {
    const { numbers, struct, structAddress, structBytes } = this.#libc;
    // The time limit lies behind the entries.
    structBytes.set(bytes, LIMIT_SIZE);
    struct.setUint32(0, 0, true);
    struct.setUint32(4, 0, true);
    struct.setUint32(8, Math.floor(ms * 1e6), true);
    struct.setUint32(12, 0, true);
    const ready = this.#libc.call(
      numbers.ppoll,
      structAddress + LIMIT_SIZE,
      watched.length,
      structAddress,
      0,
      0,
    );
    // Telling uses the same memory.
    return ready <= 0 ? null : structBytes.slice(LIMIT_SIZE, LIMIT_SIZE + bytes.length);
  }

  async #sleep(): Promise<Told> {
    const wake: Watched = {
      descriptor: this.#wake,
      events: READABLE,
      end: false,
      resting: false,
      tell: () => {
        this.#libc.transfer(this.#libc.numbers.read, this.#wake, this.#count, this.#count.length);
      },
    };
    const all = [...awake([...this.#watched]), wake];
    const entries = encode(all);
    this.#limit[0] = BigInt(LONGEST_SLEEP_S);
    this.#asleep = true;
    this.#sleeping = this.#spawner.poll(
      this.#libc.numbers.ppoll,
      entries,
      all.length,
      this.#limitBytes,
    );
    const ready = await this.#sleeping;
    this.#asleep = false;
    this.#woken = false;
    return ready > 0 ? this.#tell(all, entries) : "nothing";
  }

  #tell(set: readonly Watched[], entries: Uint8Array): Told {
    let told: Told = "nothing";
    set.forEach((watched, index) => {
      const seen = index * ENTRY_SIZE + SEEN_OFFSET;
      if (entries[seen] === 0 && entries[seen + 1] === 0) return;
      // It may have been closed, or put to rest, by one that was told before it.
      if (watched.descriptor !== this.#wake && !this.#watched.has(watched)) return;
      if (watched.resting) return;
      const isDone = watched.tell() === ALL_DONE;
      if (!isDone) told = "begun";
      else if (told === "nothing") told = "done";
    });
    return told;
  }
}

/** What a look came to: whether there was something to tell, and whether that began something. */
type Told = "nothing" | "done" | "begun";

/** What is looked at in one call, as struct pollfd one behind the other. */
interface Entries {
  readonly watched: readonly Watched[];
  readonly bytes: Uint8Array;
}

interface Looked {
  readonly all: Entries;
  readonly ends: Entries;
}

function lookedOf(watched: readonly Watched[]): Looked {
  const all = awake(watched);
  const ends = all.filter(({ end }) => end);
  return {
    all: { watched: all, bytes: encode(all) },
    ends: { watched: ends, bytes: encode(ends) },
  };
}

function awake(watched: readonly Watched[]): readonly Watched[] {
  return watched.filter(({ resting }) => !resting);
}

/** sizeof(struct timespec) */
const LIMIT_SIZE = 16;
const MOST_AT_ONCE = 1024;

function encode(set: readonly Watched[]): Uint8Array {
  const entries = new Uint8Array(Math.max(set.length, 1) * ENTRY_SIZE);
  const view = new DataView(entries.buffer);
  set.forEach(({ descriptor, events }, index) => {
    view.setInt32(index * ENTRY_SIZE, descriptor, true);
    view.setInt16(index * ENTRY_SIZE + 4, events, true);
  });
  return entries;
}
