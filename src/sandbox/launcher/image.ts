/**
 * The executable file that a program is started through: a header, the launcher's code, the table of system calls, and
 * what these point to. Static, one segment that nobody can write to.
 */

import type { Architecture } from "../seccomp.ts";
import { assemble, CODE_OFFSET, LISTINGS, TABLE_OFFSET } from "./_machine_code.ts";
import { Full, type Step, Table } from "./_table.ts";

/** Room for the table: no list of steps is longer. */
const MOST_STEPS = 32;
const PLACE = { offset: TABLE_OFFSET, most: MOST_STEPS };
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
const WORD_SIZE = 8;

/**
 * Where images may lie: above what `vm.mmap_min_addr` forbids and what programs of 32 bits use, below the heap and the
 * stack of any layout (x86_64 has 47 bits; kernels of aarch64 are built with as few as 39).
 */
const BASES = {
  x86_64: { first: 0x1_0000_0000, bits: 45 },
  aarch64: { first: 0x1_0000_0000, bits: 37 },
} as const;

/** An address for an image, at random as those of other programs are. */
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

  constructor(architecture: Architecture, listings = LISTINGS) {
    this.#architecture = architecture;
    this.#code = assemble(listings[architecture]);
  }

  /** The file whose code does the steps in order; null where it would be longer than any system takes. */
  make(base: number, steps: readonly Step[]): Uint8Array | null {
    for (let bytes = this.#kept;; bytes = new Uint8Array(bytes.length * 4)) {
      const table = new Table(bytes, base, PLACE);
      try {
        table.putSteps(steps);
        bytes.set(this.#code, CODE_OFFSET);
        putHeader(table, base, this.#architecture);
        return bytes.subarray(0, table.end);
      } catch (error) {
        if (!(error instanceof Full)) throw error;
      }
      if (bytes.length >= MOST_BYTES) return null;
    }
  }
}

/** elf(5) */
function putHeader(table: Table, base: number, architecture: Architecture): void {
  const { view } = table;
  // 64 bits, little endian, version 1.
  [0x7f, 0x45, 0x4c, 0x46, 2, 1, EV_CURRENT].forEach((byte, at) => view.setUint8(at, byte));
  for (let at = 7; at < 16; at++) view.setUint8(at, 0);
  view.setUint16(16, ET_EXEC, true);
  view.setUint16(18, MACHINES[architecture], true);
  view.setUint32(20, EV_CURRENT, true);
  table.put(24, base + CODE_OFFSET);
  table.put(32, HEADER_SIZE);
  table.put(40, 0);
  view.setUint32(48, 0, true);
  view.setUint16(52, HEADER_SIZE, true);
  view.setUint16(54, SEGMENT_SIZE, true);
  view.setUint16(56, 2, true);
  // No sections.
  for (let at = 58; at < HEADER_SIZE; at++) view.setUint8(at, 0);
  const page = PAGES[architecture];
  putSegment(table, 0, PT_LOAD, PF.R | PF.X, base, table.end, page);
  putSegment(table, 1, PT_GNU_STACK, PF.R | PF.W, 0, 0, 16);
}

function putSegment(
  table: Table,
  index: number,
  type: number,
  flags: number,
  address: number,
  size: number,
  alignment: number,
): void {
  const offset = HEADER_SIZE + index * SEGMENT_SIZE;
  table.view.setUint32(offset, type, true);
  table.view.setUint32(offset + 4, flags, true);
  // From the beginning of the file; virtual and physical address, size in the file and in memory.
  [0, address, address, size, size, alignment].forEach((word, field) =>
    table.put(offset + 8 + field * WORD_SIZE, word)
  );
}
