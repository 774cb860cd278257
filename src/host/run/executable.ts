/** What an executable file says of its own start: its loader, or the program that it is a script of. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";

/** `interpreter`: the loader of a program that is linked to libraries, or what a script's first line names. */
export interface ExecutableFacts {
  readonly kind: "program" | "script";
  readonly interpreter: string | null;
  /** What env(1) as the interpreter of a script is to find and start. */
  readonly named?: string;
}

/** BINPRM_BUF_SIZE is 256 (include/uapi/linux/binfmts.h); where a linker puts the name of the loader is within this. */
const HEAD_BYTES = 4096;
/** PT_INTERP (include/uapi/linux/elf.h) */
const PT_INTERP = 3;
/** ELFCLASS64 (the same header) */
const CLASS_64 = 2;

/** Null where it cannot be read, or is neither. */
export function executableFacts(libc: Libc, path: string): ExecutableFacts | null {
  const { numbers } = libc;
  const flags = OPEN.RDONLY | OPEN.CLOEXEC | OPEN.NONBLOCK;
  const descriptor = libc.call(numbers.openat, AT_FDCWD, libc.path(path), flags);
  if (descriptor < 0) return null;
  const head = new Uint8Array(HEAD_BYTES);
  let count: number;
  do count = libc.transfer(numbers.read, descriptor, head, head.length); while (
    count === -ERRNO.EINTR
  );
  libc.call(numbers.close, descriptor);
  return count <= 0 ? null : factsIn(head.subarray(0, count));
}

/** Of the first bytes of a file: elf(5), and the first line of a script (execve(2)). */
export function factsIn(head: Uint8Array): ExecutableFacts | null {
  const text = new TextDecoder("latin1");
  if (head[0] === 0x23 && head[1] === 0x21) {
    const [line = ""] = text.decode(head.subarray(2, 256)).split("\n");
    const [interpreter = "", ...words] = line.trim().split(/[ \t]+/);
    if (!interpreter.startsWith("/")) return { kind: "script", interpreter: null };
    // `env -S VAR=value name arguments`
    const named = interpreter.endsWith("/env")
      ? words.find((word) => !word.startsWith("-") && !word.includes("="))
      : undefined;
    return { kind: "script", interpreter, ...(named === undefined ? {} : { named }) };
  }
  if (text.decode(head.subarray(0, 4)) !== "\x7fELF" || head.length < 64) return null;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const wide = head[4] === CLASS_64;
  const word = (at: number) =>
    wide ? Number(view.getBigUint64(at, true)) : view.getUint32(at, true);
  const table = word(wide ? 32 : 28);
  const size = view.getUint16(wide ? 54 : 42, true);
  const entries = view.getUint16(wide ? 56 : 44, true);
  for (let entry = 0; entry < entries; entry++) {
    const at = table + entry * size;
    if (at + 56 > head.length) break;
    if (view.getUint32(at, true) !== PT_INTERP) continue;
    const start = word(at + (wide ? 8 : 4));
    const end = start + word(at + (wide ? 32 : 16)) - 1;
    return { kind: "program", interpreter: text.decode(head.subarray(start, end)) || null };
  }
  return { kind: "program", interpreter: null };
}
