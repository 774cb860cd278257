/** A table of system calls in memory, and what its words point to: what the launcher's code goes through. */

import { joinedNameBytes } from "../../core/name_text.ts";
import { ENTRY_SIZE, GO_ON } from "./_machine_code.ts";

/**
 * One word of a call: a number, or what it points to: bytes, text with its closing NUL, or a list of words of 64 bits
 * (a structure, or a list of pointers).
 */
export type Word = number | Uint8Array | string | readonly Word[];

/** One system call. */
export interface Step<Name extends string = string> {
  /** What it is there for, told where it fails. */
  readonly name: Name;
  readonly call: number;
  /** At most six; those that are not given are 0. */
  readonly words: readonly Word[];
  /** It goes on where this fails. */
  readonly optional?: true;
}

const WORD_SIZE = 8;
/** Arguments of a system call (syscall(2)). */
const MOST_WORDS = 6;
const ENCODER = new TextEncoder();

/** There is no room for more. */
export class Full extends Error {
  override readonly name = "Full";
}

/** Where a table stands in its bytes, and how long it may be; what it points to follows. */
export interface TablePlace {
  readonly offset: number;
  readonly most: number;
}

/** Fills memory that lies, or will lie, at an address. What the kernel sees of it is `bytes` up to `end`. */
export class Table {
  readonly view: DataView;
  readonly #bytes: Uint8Array;
  readonly #base: number;
  readonly #place: TablePlace;
  #end: number;

  constructor(bytes: Uint8Array, base: number, place: TablePlace) {
    this.#bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#base = base;
    this.#place = place;
    this.#end = place.offset + place.most * ENTRY_SIZE;
  }

  /** Behind the last byte that was taken. */
  get end(): number {
    return this.#end;
  }

  /** Throws `Full` where they do not fit into the bytes. */
  putSteps(steps: readonly Step[]): void {
    const { offset, most } = this.#place;
    if (steps.length > most) throw new Error(`${steps.length} steps have no room`);
    const { view } = this;
    steps.forEach(({ call, words, optional }, index) => {
      const entry = offset + index * ENTRY_SIZE;
      view.setUint32(entry, call, true);
      view.setUint32(entry + 4, optional === true ? GO_ON : 0, true);
      this.put(entry + 8, index);
      for (let word = 0; word < MOST_WORDS; word++) {
        this.put(entry + 16 + word * WORD_SIZE, this.#placed(words[word] ?? 0));
      }
    });
  }

  put(offset: number, number: number): void {
    // In two halves: making a BigInt of each costs as much as all else.
    this.view.setUint32(offset, number >>> 0, true);
    this.view.setInt32(offset + 4, Math.floor(number / 2 ** 32), true);
  }

  #placed(word: Word): number {
    if (typeof word === "number") return word;
    if (typeof word === "string") return this.#placeText(word);
    if (word instanceof Uint8Array) {
      const offset = this.#take(word.length);
      this.#bytes.set(word, offset);
      return this.#base + offset;
    }
    const numbers = word.map((one) => this.#placed(one));
    const offset = this.#take(numbers.length * WORD_SIZE);
    numbers.forEach((number, index) => this.put(offset + index * WORD_SIZE, number));
    return this.#base + offset;
  }

  #placeText(text: string): number {
    if (!text.isWellFormed()) return this.#placeBytes(joinedNameBytes(text));
    const offset = this.#end;
    const { read, written } = ENCODER.encodeInto(text, this.#bytes.subarray(offset));
    if (read < text.length) throw new Full();
    this.#end += written;
    // Behind a text anything may stand: the kernel reads texts byte by byte.
    this.#bytes[this.#takeBytes(1)] = 0;
    return this.#base + offset;
  }

  #placeBytes(text: Uint8Array): number {
    const offset = this.#takeBytes(text.length + 1);
    this.#bytes.set(text, offset);
    this.#bytes[offset + text.length] = 0;
    return this.#base + offset;
  }

  #take(size: number): number {
    this.#end = Math.ceil(this.#end / WORD_SIZE) * WORD_SIZE;
    return this.#takeBytes(size);
  }

  #takeBytes(size: number): number {
    const offset = this.#end;
    if (offset + size > this.#bytes.length) throw new Full();
    this.#end += size;
    return offset;
  }
}
