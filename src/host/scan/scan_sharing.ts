/**
 * What lies between a thread that scans and one that helps it: a ring of slots in shared memory. The scanning thread
 * puts work into a slot, the helper puts the answer into the same one, each in turn; nobody ever waits for the other
 * but a helper that has nothing to do.
 */

// Words of the shared memory. A ticket stands for one call: that of another one is nobody's.
const PRESENT = 0; // ticket of the helper that is there, 0 for none
const OFFERED = 1; // runs put into slots so far
const ANSWERED = 2; // runs answered so far
const CLOSED = 3; // last ticket whose call needs no more help
const SLEEPING = 4; // 1 while the helper waits for work
const WORDS = 5;

// Words of a slot, before the bytes of its work and of the answer.
const TICKET = 0;
const WANTED = 1;
const LENGTH = 2;
const ANSWER_LENGTH = 3;
const SLOT_WORDS = 4;

/** So many that the helper has work while the scan goes through directories with few files. */
const SLOTS = 24;
/** A directory's path (PATH_MAX) and the names of a run, none of them longer than 255 bytes (NAME_MAX). */
const WORK_BYTES = 8 * 1024;
/** Few answers hold more than some matches, or the measures of some files; work whose answer has no room is done by who gave it. */
const ANSWER_BYTES = 96 * 1024;
const NO_ANSWER = -1;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
const SLOT_BYTES = SLOT_WORDS * WORD_BYTES + WORK_BYTES + ANSWER_BYTES;
const MEMORY_BYTES = WORDS * WORD_BYTES + SLOTS * SLOT_BYTES;

/** How long a helper sleeps at most before it looks whether its own call goes on. */
const SLEEP_MS = 20;

/** The memory in which two threads share one scan at a time. */
export function createScanMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(MEMORY_BYTES);
}

interface Slot {
  readonly words: Int32Array;
  readonly work: Uint8Array;
  readonly answer: Uint8Array;
}

function wordsOf(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, 0, WORDS);
}

function slotsOf(memory: SharedArrayBuffer): readonly Slot[] {
  return Array.from({ length: SLOTS }, (_, index) => {
    const start = WORDS * WORD_BYTES + index * SLOT_BYTES;
    const work = start + SLOT_WORDS * WORD_BYTES;
    return {
      words: new Int32Array(memory, start, SLOT_WORDS),
      work: new Uint8Array(memory, work, WORK_BYTES),
      answer: new Uint8Array(memory, work + WORK_BYTES, ANSWER_BYTES),
    };
  });
}

function slotAt(slots: readonly Slot[], count: number): Slot {
  return slots[count % SLOTS] as Slot;
}

/** How many bytes the text has; negative where there is no room for them. */
function putText(text: string, bytes: Uint8Array): number {
  const { read, written } = ENCODER.encodeInto(text, bytes);
  return read < text.length ? NO_ANSWER : written;
}

/** Decoders take no shared memory. */
function textIn(bytes: Uint8Array, length: number): string {
  return DECODER.decode(bytes.slice(0, length));
}

/** The side of the thread that scans. */
export class ScanGiver {
  readonly #words: Int32Array;
  readonly #slots: readonly Slot[];
  readonly #ticket: number;
  readonly #call: () => void;
  #offered = 0;
  #collected = 0;
  #called = false;

  /** `call`: asks for a helper, which may come some time later. */
  constructor(memory: SharedArrayBuffer, ticket: number, call: () => void) {
    this.#words = wordsOf(memory);
    this.#slots = slotsOf(memory);
    this.#ticket = ticket;
    this.#call = call;
  }

  /** Asks for a helper, once. */
  call(): void {
    if (this.#called) return;
    this.#called = true;
    this.#call();
  }

  /** Whether a helper is there and a slot is free. */
  get ready(): boolean {
    return Atomics.load(this.#words, PRESENT) === this.#ticket &&
      this.#offered - this.#collected < SLOTS;
  }

  /** Only where it is `ready`. False for work that is too long. */
  offer(work: string, wanted: number): boolean {
    const slot = slotAt(this.#slots, this.#offered);
    const length = putText(work, slot.work);
    if (length < 0) return false;
    slot.words.set([this.#ticket, wanted, length, NO_ANSWER]);
    Atomics.store(this.#words, OFFERED, ++this.#offered);
    if (Atomics.load(this.#words, SLEEPING) === 1) Atomics.notify(this.#words, OFFERED);
    return true;
  }

  /** The next answer, in the order of offers; null for work that came to nothing; undefined where there is none yet. */
  collect(): string | null | undefined {
    if (this.#collected === this.#offered) return undefined;
    if (Atomics.load(this.#words, ANSWERED) <= this.#collected) return undefined;
    const { words, answer } = slotAt(this.#slots, this.#collected++);
    const length = words[ANSWER_LENGTH] as number;
    return words[TICKET] !== this.#ticket || length < 0 ? null : textIn(answer, length);
  }

  /** The helper may go. */
  close(): void {
    Atomics.store(this.#words, CLOSED, this.#ticket);
    Atomics.notify(this.#words, OFFERED);
  }
}

/** The side of the thread that helps. */
export class ScanTaker {
  readonly #words: Int32Array;
  readonly #slots: readonly Slot[];
  readonly #ticket: number;

  constructor(memory: SharedArrayBuffer, ticket: number) {
    this.#words = wordsOf(memory);
    this.#slots = slotsOf(memory);
    this.#ticket = ticket;
  }

  /**
   * Answers work until the scan is closed. `pause` is called before each, and every 20 ms where there is none: what it
   * throws ends the help. What `answer` throws does so too, and leaves its work to the other side.
   */
  serve(answer: (work: string, wanted: number) => string, pause: () => void): void {
    const words = this.#words;
    // Nobody looks at these before the helper is there.
    Atomics.store(words, OFFERED, 0);
    Atomics.store(words, ANSWERED, 0);
    Atomics.store(words, PRESENT, this.#ticket);
    try {
      // Tickets rise: a later one was closed after this.
      for (let answered = 0; Atomics.load(words, CLOSED) < this.#ticket;) {
        pause();
        if (Atomics.load(words, OFFERED) === answered) this.#sleep(answered);
        else {
          this.#answer(slotAt(this.#slots, answered), answer);
          Atomics.store(words, ANSWERED, ++answered);
        }
      }
    } finally {
      this.leave();
    }
  }

  /** It is gone; for one that was ended within, too. */
  leave(): void {
    Atomics.store(this.#words, PRESENT, 0);
  }

  #sleep(offered: number): void {
    Atomics.store(this.#words, SLEEPING, 1);
    Atomics.wait(this.#words, OFFERED, offered, SLEEP_MS);
    Atomics.store(this.#words, SLEEPING, 0);
  }

  #answer(slot: Slot, answer: (work: string, wanted: number) => string): void {
    const { words } = slot;
    if (words[TICKET] !== this.#ticket) return;
    const work = textIn(slot.work, words[LENGTH] as number);
    words[ANSWER_LENGTH] = putText(answer(work, words[WANTED] as number), slot.answer);
  }
}

/** What a call has of a shared scan: the one who gives work away, or the one who takes it. */
export type ScanShare = ScanGiver | ScanTaker;
