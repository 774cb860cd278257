/**
 * Whose turn it is to hear a pipe: one thread at a time reads standard input, the main one or one that only looks. What the
 * one has read and the other is to do lies in memory that both have; so does the lock of standard output, which both write.
 */

import { joinedBytes } from "../../core/bytes.ts";
import { createBell, ring } from "../../engine/pool/channel.ts";

// Words that both sides see.
const HOLDER = 0;
const STATE = 1; // of the listener
const CALLS = 2; // how many it has begun; wraps
const WATCHED = 3; // 1 while the main thread looks whether a call of it gets stuck
const TIMEOUT = 4; // of its call, in milliseconds
const START = 5; // of what was not answered of the input
const END = 6;
const SIGN = 7; // a {@linkcode Sign}, or 0
const NOTE = 8; // length of what goes with the turn
const LOCK = 9; // 0 free, 1 taken, 2 taken and waited for
const WORDS = 10;

const MAIN = 0;
const LISTENER = 1;

const WAITS = 0;
const RUNS = 1;
const TAKEN = 2;

/** Bytes of input that lie there: what is read at once, and as much of a line that has not ended. */
export const HELD_BYTES = 1 << 17;
const NOTE_BYTES = 1 << 13;

/** How often a call of the listener is looked at. */
const WATCH_MS = 50;
/** A call of it that takes so long, or its time and {@linkcode GRACE_MS}, is stuck, and is somebody else's. */
const STUCK_MS = 1_000;
const GRACE_MS = 250;
/** Looks at nothing new before it is not looked at any more. */
const IDLE_LOOKS = 10;

/** What came over the listener beside lines: the input has ended; nobody reads the output; it is of no use. */
export type Sign = "ended" | "unread" | "gone";
const SIGNS: readonly (Sign | null)[] = [null, "ended", "unread", "gone"];

/** The memory of both sides. */
export interface TurnMemory {
  readonly words: SharedArrayBuffer;
  readonly held: SharedArrayBuffer;
  readonly note: SharedArrayBuffer;
  /** Rung for the main thread. */
  readonly bell: SharedArrayBuffer;
}

/** It is the main thread's turn. */
export function createTurnMemory(): TurnMemory {
  return {
    words: new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT),
    held: new SharedArrayBuffer(HELD_BYTES),
    note: new SharedArrayBuffer(NOTE_BYTES),
    bell: createBell(),
  };
}

/** Both write standard output: one at a time, whole lines. */
export class OutputLock {
  readonly #words: Int32Array;

  constructor({ words }: Pick<TurnMemory, "words">) {
    this.#words = new Int32Array(words);
  }

  /** Whether it was free, and is the caller's now. */
  tryTake(): boolean {
    return Atomics.compareExchange(this.#words, LOCK, 0, 1) === 0;
  }

  /** Waits for it, on the event loop. */
  async take(): Promise<void> {
    while (Atomics.exchange(this.#words, LOCK, 2) !== 0) {
      const waiting = Atomics.waitAsync(this.#words, LOCK, 2);
      if (waiting.async) await waiting.value;
    }
  }

  /** Waits for it where it stands. */
  takeBlocking(): void {
    if (this.tryTake()) return;
    while (Atomics.exchange(this.#words, LOCK, 2) !== 0) Atomics.wait(this.#words, LOCK, 2);
  }

  free(): void {
    if (Atomics.exchange(this.#words, LOCK, 0) === 2) Atomics.notify(this.#words, LOCK, 1);
  }
}

/** What the main thread is given with its turn. */
export interface Given {
  /** What came in and nobody has answered, from the beginning of a line; valid for good. */
  readonly bytes: Uint8Array;
  readonly sign: Sign | null;
  /** As the listener wrote it; null where it could not say any. */
  readonly note: string | null;
}

/** The main thread's side. */
export class MainTurn {
  readonly #words: Int32Array;
  readonly #held: Uint8Array;
  readonly #note: Uint8Array;
  #isMain = true;
  #timer: number | null = null;

  constructor({ words, held, note }: TurnMemory) {
    this.#words = new Int32Array(words);
    this.#held = new Uint8Array(held);
    this.#note = new Uint8Array(note);
  }

  /** Whether the main thread hears. */
  get isMain(): boolean {
    return this.#isMain;
  }

  /** Lets the listener hear. `pieces`: what is to be done first. False where that is too much: nothing changes. */
  give(pieces: readonly Uint8Array[]): boolean {
    const bytes = joinedBytes([...pieces]);
    if (bytes.length > HELD_BYTES / 2) return false;
    this.#held.set(bytes);
    Atomics.store(this.#words, START, 0);
    Atomics.store(this.#words, END, bytes.length);
    this.#isMain = false;
    Atomics.store(this.#words, HOLDER, LISTENER);
    Atomics.notify(this.#words, HOLDER);
    return true;
  }

  /** What it is given, where the listener has given the turn back; null where it has not, or the turn was here. */
  take(): Given | null {
    if (this.#isMain || Atomics.load(this.#words, HOLDER) !== MAIN) return null;
    this.#isMain = true;
    this.#unwatch();
    const note = new TextDecoder().decode(
      this.#note.slice(0, Atomics.load(this.#words, NOTE)),
    );
    return {
      bytes: this.#unanswered(),
      sign: SIGNS[Atomics.load(this.#words, SIGN)] ?? null,
      note,
    };
  }

  /** As `take`, from a listener that is no more. */
  seize(): Given | null {
    const given = this.take();
    if (given !== null || this.#isMain) return given;
    this.#isMain = true;
    this.#unwatch();
    Atomics.store(this.#words, HOLDER, MAIN);
    Atomics.store(this.#words, LOCK, 0);
    return { bytes: this.#unanswered(), sign: "gone", note: null };
  }

  /** Looks now and then, while the listener has calls, whether one of them gets stuck; then it will never answer it, and `onStuck` is told. */
  watch(onStuck: () => void): void {
    if (this.#isMain || this.#timer !== null || Atomics.load(this.#words, WATCHED) === 0) return;
    let calls = -1;
    let since = 0;
    let idle = 0;
    this.#timer = setInterval(() => {
      const now = performance.now();
      const begun = Atomics.load(this.#words, CALLS);
      const runs = Atomics.load(this.#words, STATE) === RUNS;
      if (begun !== calls) {
        [calls, since, idle] = [begun, now, 0];
      } else if (!runs && ++idle >= IDLE_LOOKS) {
        this.#unwatch();
        // It may have begun one since.
        if (Atomics.load(this.#words, CALLS) !== calls) this.#rewatch(onStuck);
      } else if (runs && now - since > this.#patience) {
        const was = Atomics.compareExchange(this.#words, STATE, RUNS, TAKEN);
        if (was === RUNS) onStuck();
      }
    }, WATCH_MS);
  }

  #rewatch(onStuck: () => void): void {
    Atomics.store(this.#words, WATCHED, 1);
    this.watch(onStuck);
  }

  get #patience(): number {
    return Math.min(STUCK_MS, Atomics.load(this.#words, TIMEOUT) + GRACE_MS);
  }

  #unwatch(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    Atomics.store(this.#words, WATCHED, 0);
  }

  #unanswered(): Uint8Array {
    return this.#held.slice(Atomics.load(this.#words, START), Atomics.load(this.#words, END));
  }
}

/** The listener's side. */
export class ListenerTurn {
  readonly #words: Int32Array;
  readonly #held: Uint8Array;
  readonly #note: Uint8Array;
  readonly #bell: Int32Array;

  constructor({ words, held, note, bell }: TurnMemory) {
    this.#words = new Int32Array(words);
    this.#held = new Uint8Array(held);
    this.#note = new Uint8Array(note);
    this.#bell = new Int32Array(bell);
  }

  /** Waits for the turn where it stands, and puts what is to be done first into `input`: how many bytes that are. */
  wait(input: Uint8Array): number {
    while (Atomics.load(this.#words, HOLDER) !== LISTENER) {
      Atomics.wait(this.#words, HOLDER, MAIN);
    }
    const end = Atomics.load(this.#words, END);
    input.set(this.#held.subarray(0, end));
    return end;
  }

  /** What was read lies at `at` of the input, up to `end`. */
  read(input: Uint8Array, at: number, end: number): void {
    this.#held.set(input.subarray(at, end), at);
    Atomics.store(this.#words, END, end);
  }

  /** What lay from `from` on lies at the beginning now. */
  move(from: number): void {
    const end = Atomics.load(this.#words, END);
    this.#held.copyWithin(0, from, end);
    Atomics.store(this.#words, END, end - from);
    Atomics.store(this.#words, START, 0);
  }

  /** The input is answered as far as that. */
  answered(upTo: number): void {
    Atomics.store(this.#words, START, upTo);
  }

  /** A call begins, which may take so many milliseconds. */
  begin(timeoutMs: number): void {
    Atomics.store(this.#words, TIMEOUT, Math.min(timeoutMs, 0x7fff_ffff));
    Atomics.store(this.#words, STATE, RUNS);
    Atomics.add(this.#words, CALLS, 1);
    if (Atomics.load(this.#words, WATCHED) !== 0) return;
    Atomics.store(this.#words, WATCHED, 1);
    ring(this.#bell);
  }

  /** It has ended. False where it took too long: it is somebody else's, and so is all that this thread had. */
  end(): boolean {
    return Atomics.compareExchange(this.#words, STATE, RUNS, WAITS) === RUNS;
  }

  /** Gives the turn to the main thread for good, whoever's it is, with all that was not answered. */
  resign(): void {
    while (Atomics.load(this.#words, HOLDER) !== LISTENER) {
      Atomics.wait(this.#words, HOLDER, MAIN);
    }
    this.give(Atomics.load(this.#words, START), "gone", "{}");
  }

  /** Gives the turn to the main thread, with what was not answered from `from` on. A note that is too long is left out. */
  give(from: number, sign: Sign | null, note: string): void {
    const bytes = new TextEncoder().encode(note);
    const fits = bytes.length <= NOTE_BYTES;
    if (fits) this.#note.set(bytes);
    Atomics.store(this.#words, NOTE, fits ? bytes.length : 0);
    Atomics.store(this.#words, START, from);
    Atomics.store(this.#words, SIGN, SIGNS.indexOf(sign));
    Atomics.store(this.#words, HOLDER, MAIN);
    ring(this.#bell);
  }
}
