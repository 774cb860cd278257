/** What the loader reads of an executable: for which machine it is, which loader it names, which libraries it needs. */

/** Of elf.h: types of program headers, tags of the dynamic section. */
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;

export interface Elf {
  readonly machine: number;
  readonly interpreter: string;
  readonly needed: readonly string[];
}

/** Throws Error where the bytes are no 64-bit little-endian ELF file with a dynamic section. */
export function readElf(bytes: Uint8Array): Elf {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x7f45_4c46 || view.getUint16(4) !== 0x0201) throw new Error("no ELF");
  const word = (at: number) => Number(view.getBigUint64(at, true));
  // e_phoff, e_phentsize and e_phnum of the file's header; p_offset, p_vaddr and p_filesz of each.
  const headers = Array.from({ length: view.getUint16(56, true) }, (_, index) => {
    const at = word(32) + index * view.getUint16(54, true);
    const type = view.getUint32(at, true);
    return { type, offset: word(at + 8), address: word(at + 16), size: word(at + 32) };
  });
  const only = (type: number) => {
    const header = headers.find((one) => one.type === type);
    if (header === undefined) throw new Error(`no program header of type ${type}`);
    return header;
  };
  const text = (at: number) => {
    const end = bytes.indexOf(0, at);
    return new TextDecoder().decode(bytes.subarray(at, end));
  };
  const dynamic = only(PT_DYNAMIC);
  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return [view.getBigUint64(at, true), word(at + 8)] as const;
  });
  const strings = entries.find(([tag]) => tag === DT_STRTAB)?.[1] ?? 0;
  const segment = headers.find(({ type, address, size }) =>
    type === PT_LOAD && strings >= address && strings < address + size
  );
  if (segment === undefined) throw new Error("the names of libraries are not in the file");
  const names = segment.offset + strings - segment.address;
  return {
    machine: view.getUint16(18, true),
    interpreter: text(only(PT_INTERP).offset),
    needed: entries.filter(([tag]) => tag === DT_NEEDED).map(([, at]) => text(names + at)).sort(),
  };
}
