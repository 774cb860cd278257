/** The file of Toolgate's own code as the loader of the C library takes it: functions by name, and nothing to relocate. */

import type { Architecture } from "../seccomp.ts";
import { FUNCTIONS, LIBRARY_LISTINGS } from "./_library_code.ts";
import { assemble } from "./_machine_code.ts";

/** EM_X86_64, EM_AARCH64 (include/uapi/linux/elf-em.h) */
const MACHINES = { x86_64: 62, aarch64: 183 } as const;
/** The largest page of either architecture. The part that is written to lies that much higher than in the file. */
const PAGE = 0x10000;
/** ET_DYN, EV_CURRENT, PT_LOAD, PT_DYNAMIC, PT_GNU_STACK; PF_X, PF_W, PF_R (elf(5)) */
const ET_DYN = 3;
const EV_CURRENT = 1;
const PT = { LOAD: 1, DYNAMIC: 2, GNU_STACK: 0x6474e551 } as const;
const PF = { X: 1, W: 2, R: 4 } as const;
/** DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT (elf.h) */
const DT = { HASH: 4, STRTAB: 5, SYMTAB: 6, STRSZ: 10, SYMENT: 11 } as const;
/** STB_GLOBAL, STT_FUNC (elf.h) */
const GLOBAL_FUNCTION = (1 << 4) | 2;
/** sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr), sizeof(Elf64_Sym) */
const HEADER_SIZE = 64;
const SEGMENT_SIZE = 56;
const SYMBOL_SIZE = 24;
const SEGMENTS = 4;

/** The file. */
export function libraryOf(architecture: Architecture): Uint8Array {
  const code = FUNCTIONS.map((name) => assemble(LIBRARY_LISTINGS[architecture][name]));
  const names = new TextEncoder().encode(`\0${FUNCTIONS.join("\0")}\0`);
  const hash = HEADER_SIZE + SEGMENTS * SEGMENT_SIZE;
  // One bucket, with all of them in a chain: two counts, the first, and who follows each (none the last, and the null symbol).
  const symbols = aligned(hash + 4 * (3 + FUNCTIONS.length + 1));
  const strings = symbols + SYMBOL_SIZE * (FUNCTIONS.length + 1);
  const offsets = [aligned(strings + names.length)];
  for (const { length } of code) offsets.push(aligned((offsets.at(-1) ?? 0) + length));
  const dynamic = offsets.at(-1) ?? 0;
  const entries = [
    [DT.HASH, hash],
    [DT.STRTAB, strings],
    [DT.SYMTAB, symbols],
    [DT.STRSZ, names.length],
    [DT.SYMENT, SYMBOL_SIZE],
    [0, 0],
  ] as const;
  const bytes = new Uint8Array(dynamic + 16 * entries.length);
  const view = new DataView(bytes.buffer);
  const put = (offset: number, number: number): void => {
    view.setUint32(offset, number >>> 0, true);
    view.setUint32(offset + 4, Math.floor(number / 2 ** 32), true);
  };

  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, EV_CURRENT]);
  view.setUint16(16, ET_DYN, true);
  view.setUint16(18, MACHINES[architecture], true);
  view.setUint32(20, EV_CURRENT, true);
  put(32, HEADER_SIZE);
  view.setUint16(52, HEADER_SIZE, true);
  view.setUint16(54, SEGMENT_SIZE, true);
  view.setUint16(56, SEGMENTS, true);
  const size = bytes.length - dynamic;
  const segments = [
    [PT.LOAD, PF.R | PF.X, 0, 0, dynamic, PAGE],
    // The loader of older C libraries writes addresses into it.
    [PT.LOAD, PF.R | PF.W, dynamic, dynamic + PAGE, size, PAGE],
    [PT.DYNAMIC, PF.R | PF.W, dynamic, dynamic + PAGE, size, 8],
    [PT.GNU_STACK, PF.R | PF.W, 0, 0, 0, 16],
  ] as const;
  segments.forEach(([type, flags, offset, address, length, alignment], index) => {
    const at = HEADER_SIZE + index * SEGMENT_SIZE;
    view.setUint32(at, type, true);
    view.setUint32(at + 4, flags, true);
    [offset, address, address, length, length, alignment].forEach((word, field) =>
      put(at + 8 + field * 8, word)
    );
  });

  const chain = FUNCTIONS.map((_, index) => index + 2 > FUNCTIONS.length ? 0 : index + 2);
  [1, FUNCTIONS.length + 1, 1, 0, ...chain].forEach((word, index) =>
    view.setUint32(hash + index * 4, word, true)
  );
  let name = 1;
  FUNCTIONS.forEach((text, index) => {
    const at = symbols + SYMBOL_SIZE * (index + 1);
    view.setUint32(at, name, true);
    view.setUint8(at + 4, GLOBAL_FUNCTION);
    // Of a section: there is none, and any number but 0 will do.
    view.setUint16(at + 6, 1, true);
    put(at + 8, offsets[index] ?? 0);
    put(at + 16, code[index]?.length ?? 0);
    name += text.length + 1;
  });
  bytes.set(names, strings);
  code.forEach((one, index) => bytes.set(one, offsets[index]));
  entries.forEach(([tag, value], index) => {
    put(dynamic + index * 16, tag);
    put(dynamic + index * 16 + 8, value);
  });
  return bytes;
}

function aligned(offset: number): number {
  return Math.ceil(offset / 16) * 16;
}
