/** Tells from the first bytes of an executable which target it was made for. */

import type { Target } from "./target.ts";

/** `e_machine` of ELF (`EM_X86_64`, `EM_AARCH64` of elf.h), a `u16` at byte 18. */
const ELF_MACHINES: ReadonlyMap<number, Target> = new Map([
  [62, "x86_64-unknown-linux-gnu"],
  [183, "aarch64-unknown-linux-gnu"],
]);

/** `cputype` of Mach-O (`CPU_TYPE_X86_64`, `CPU_TYPE_ARM64` of mach/machine.h), a `u32` at byte 4. */
const MACHO_CPUS: ReadonlyMap<number, Target> = new Map([
  [0x0100_0007, "x86_64-apple-darwin"],
  [0x0100_000c, "aarch64-apple-darwin"],
]);

/** The target, or null where the bytes start no executable of any. */
export function executableTarget(start: Uint8Array): Target | null {
  if (start.length < 64) return null;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  // "\x7fELF" of elf.h, MH_MAGIC_64 of mach-o/loader.h, "MZ" of the PE format's DOS header.
  if (view.getUint32(0) === 0x7f45_4c46) return ELF_MACHINES.get(view.getUint16(18, true)) ?? null;
  if (view.getUint32(0, true) === 0xfeed_facf) {
    return MACHO_CPUS.get(view.getUint32(4, true)) ?? null;
  }
  if (view.getUint16(0) === 0x4d5a) return "x86_64-pc-windows-msvc";
  return null;
}
