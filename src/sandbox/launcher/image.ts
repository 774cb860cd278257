/**
 * The executable file that a program is started through: a header, the launcher's code, the table of system calls, and
 * what these point to. Static, one segment that nobody can write to.
 */

import type { Architecture } from "../seccomp.ts";
import {
  assemble,
  CODE_OFFSET,
  ENTRY_SIZE,
  GO_ON,
  LISTINGS,
  TABLE_OFFSET,
} from "./_machine_code.ts";

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

/** Where a word is, or its number: for what has to know the address of something else. */
export type PlaceData = (word: Word) => number;

/** Room for the table: no list of steps is longer. */
const MOST_STEPS = 32;
const DATA_OFFSET = TABLE_OFFSET + MOST_STEPS * ENTRY_SIZE;
const WORD_SIZE = 8;
/** Arguments of a system call (syscall(2)). */
const MOST_WORDS = 6;
/** What is kept for the next image; a longer one (many arguments) gets a buffer of its own. */
const KEPT_BYTES = 256 * 1024;
/** More than any system takes for arguments and environment (a quarter of `_STK_LIM` * 3, 6 MiB; execve(2)). */
const MOST_BYTES = 8 * 1024 * 1024;

/** EM_X86_64, EM_AARCH64 (include/uapi/linux/elf-em.h) */
const MACHINES = { x86_64: 62, aarch64: 183 } as const;
/** The largest page of the architecture, which segments must lie at. */
const PAGES = { x86_64: 0x1000, aarch64: 0x10000 } as const;
/** ET_EXEC, EV_CURRENT, PT_LOAD, PT_GNU_STACK, PF_X, PF_W, PF_R (include/uapi/linux/elf.h) */
const ET_EXEC = 2;
const EV_CURRENT = 1;
const PT_LOAD = 1;
const PT_GNU_STACK = 0x6474e551;
const PF = { X: 1, W: 2, R: 4 } as const;
/** sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr) */
const HEADER_SIZE = 64;
const SEGMENT_SIZE = 56;

/**
 * Where images may lie: above what `vm.mmap_min_addr` forbids and what programs of 32 bits use, below the heap and the
 * stack of any layout (x86_64 has 47 bits; kernels of aarch64 are built with as few as 39).
 */
const BASES = {
  x86_64: { first: 0x1_0000_0000, bits: 45 },
  aarch64: { first: 0x1_0000_0000, bits: 37 },
} as const;

/** An address for an image, at random: a program cannot know where its own arguments were when it was started. */
export function randomBase(architecture: Architecture): number {
  const { first, bits } = BASES[architecture];
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  const random = (high % 2 ** (bits - 32)) * 2 ** 32 + low;
  return first + random - random % PAGES[architecture];
}

/** Makes images, one after the other: the bytes of one are valid until the next. */
export class ImageMaker {
  readonly #architecture: Architecture;
  readonly #code: Uint8Array;
  readonly #kept = new Uint8Array(KEPT_BYTES);

  constructor(architecture: Architecture) {
    this.#architecture = architecture;
    this.#code = assemble(LISTINGS[architecture]);
  }

  /** The file whose code does the steps in order; null where it would be longer than any system takes. */
  make(base: number, steps: (place: PlaceData) => readonly Step[]): Uint8Array | null {
    for (let bytes = this.#kept;; bytes = new Uint8Array(bytes.length * 4)) {
      const image = new Image(bytes, base);
      try {
        const list = steps((word) => image.place(word));
        return image.finish(this.#architecture, this.#code, list);
      } catch (error) {
        if (!(error instanceof Full)) throw error;
      }
      if (bytes.length >= MOST_BYTES) return null;
    }
  }
}

/** There is no room for more. */
class Full extends Error {
  override readonly name = "Full";
}

class Image {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #base: number;
  readonly #encoder = new TextEncoder();
  #end = DATA_OFFSET;

  constructor(bytes: Uint8Array, base: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
    this.#base = base;
  }

  place(word: Word): number {
    if (typeof word === "number") return word;
    if (typeof word === "string") return this.#placeText(word);
    if (word instanceof Uint8Array) {
      const offset = this.#take(word.length);
      this.#bytes.set(word, offset);
      return this.#base + offset;
    }
    const numbers = word.map((one) => this.place(one));
    const offset = this.#take(numbers.length * WORD_SIZE);
    numbers.forEach((number, index) => this.#put(offset + index * WORD_SIZE, number));
    return this.#base + offset;
  }

  #placeText(text: string): number {
    const offset = this.#end;
    const { read, written } = this.#encoder.encodeInto(text, this.#bytes.subarray(offset));
    if (read < text.length) throw new Full();
    this.#end += written;
    // Behind a text anything may stand: the kernel reads texts byte by byte.
    this.#bytes[this.#takeBytes(1)] = 0;
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

  #put(offset: number, number: number): void {
    // In two halves: making a BigInt of each costs as much as all else.
    this.#view.setUint32(offset, number >>> 0, true);
    this.#view.setInt32(offset + 4, Math.floor(number / 2 ** 32), true);
  }

  finish(architecture: Architecture, code: Uint8Array, steps: readonly Step[]): Uint8Array {
    if (steps.length > MOST_STEPS) throw new Error(`${steps.length} steps have no room`);
    steps.forEach(({ call, words, optional }, index) => {
      const entry = TABLE_OFFSET + index * ENTRY_SIZE;
      this.#view.setUint32(entry, call, true);
      this.#view.setUint32(entry + 4, optional === true ? GO_ON : 0, true);
      this.#put(entry + 8, index);
      for (let word = 0; word < MOST_WORDS; word++) {
        this.#put(entry + 16 + word * WORD_SIZE, this.place(words[word] ?? 0));
      }
    });
    this.#bytes.set(code, CODE_OFFSET);
    this.#putHeader(architecture);
    return this.#bytes.subarray(0, this.#end);
  }

  /** elf(5) */
  #putHeader(architecture: Architecture): void {
    const view = this.#view;
    // 64 bits, little endian, version 1.
    this.#bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, EV_CURRENT, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    view.setUint16(16, ET_EXEC, true);
    view.setUint16(18, MACHINES[architecture], true);
    view.setUint32(20, EV_CURRENT, true);
    this.#put(24, this.#base + CODE_OFFSET);
    this.#put(32, HEADER_SIZE);
    this.#put(40, 0);
    view.setUint32(48, 0, true);
    view.setUint16(52, HEADER_SIZE, true);
    view.setUint16(54, SEGMENT_SIZE, true);
    view.setUint16(56, 2, true);
    // No sections.
    this.#bytes.fill(0, 58, HEADER_SIZE);
    const page = PAGES[architecture];
    this.#putSegment(0, PT_LOAD, PF.R | PF.X, this.#base, this.#end, page);
    this.#putSegment(1, PT_GNU_STACK, PF.R | PF.W, 0, 0, 16);
  }

  #putSegment(
    index: number,
    type: number,
    flags: number,
    address: number,
    size: number,
    alignment: number,
  ): void {
    const offset = HEADER_SIZE + index * SEGMENT_SIZE;
    this.#view.setUint32(offset, type, true);
    this.#view.setUint32(offset + 4, flags, true);
    // From the beginning of the file; virtual and physical address, size in the file and in memory.
    [0, address, address, size, size, alignment].forEach((word, field) =>
      this.#put(offset + 8 + field * WORD_SIZE, word)
    );
  }
}
