/** Reading the names in the calls of programs: from their own memory, once each. */

import { ERRNO } from "../kernel/errno.ts";

/** Reads texts of other processes. */
export interface MemoryReader {
  /** The text at an address, without its NUL; or an error number with its sign turned, as `Notifications.text`. */
  text(thread: number, address: bigint): string | number;
  /** So many bytes at an address; null where not all of them are there. */
  bytes(thread: number, address: bigint, size: number): Uint8Array | null;
}

/** PATH_MAX with its NUL (include/uapi/linux/limits.h) */
const PATH_MAX = 4096;
/** The smallest page: what lies behind it may not be there. */
const PAGE = 4096n;
/** sizeof(struct iovec): address and length. */
const PLACE_SIZE = 16;
/** What is read at first: few names are longer. */
const USUAL = 256;
/** EILSEQ (asm-generic/errno.h): file systems that want text answer it to a name that is none. */
const EILSEQ = 84;

const SYMBOLS = {
  process_vm_readv: {
    parameters: ["i32", "buffer", "i64", "buffer", "i64", "i64"],
    result: "i32",
  },
} as const;

/** The functions of the library behind it; 64-bit words as bigint, see `Libc`. */
interface Symbols {
  process_vm_readv(
    thread: number,
    own: Uint8Array,
    owns: bigint,
    theirs: Uint8Array,
    count: bigint,
    flags: bigint,
  ): number;
}

/** Null where the C library cannot be called. To be opened before `ffi` is given up. */
export function openMemoryReader(): MemoryReader | null {
  const symbols = loadSymbols();
  if (symbols === null) return null;
  const bytes = new Uint8Array(PATH_MAX);
  const address = BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)));
  const own = new BigUint64Array(2);
  const theirs = new BigUint64Array(4);
  const ownBytes = new Uint8Array(own.buffer);
  const theirBytes = new Uint8Array(theirs.buffer, 0, 2 * PLACE_SIZE);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** How many bytes came. */
  const read = (thread: number, from: bigint, size: number): number => {
    own[0] = address;
    own[1] = BigInt(size);
    // A part in a page that is not there does not take the one before it along.
    const first = PAGE - from % PAGE;
    theirs[0] = from;
    theirs[1] = first < BigInt(size) ? first : BigInt(size);
    theirs[2] = from + theirs[1];
    theirs[3] = BigInt(size) - theirs[1];
    const count = theirs[3] === 0n ? 1n : 2n;
    return symbols.process_vm_readv(thread, ownBytes, 1n, theirBytes, count, 0n);
  };
  return {
    bytes(thread, from, size) {
      const all = new Uint8Array(size);
      for (let at = 0; at < size;) {
        const wanted = Math.min(size - at, PATH_MAX);
        if (read(thread, from + BigInt(at), wanted) !== wanted) return null;
        all.set(bytes.subarray(0, wanted), at);
        at += wanted;
      }
      return all;
    },
    text(thread, from) {
      let count = read(thread, from, USUAL);
      let end = count < 0 ? -1 : indexOfNul(bytes, count);
      if (count === USUAL && end < 0) {
        count = read(thread, from, PATH_MAX);
        end = count < 0 ? -1 : indexOfNul(bytes, count);
      }
      // Which error it was, errno alone would tell: one that may not be looked at, or an address of nothing.
      if (count < 0) return -ERRNO.EPERM;
      if (end < 0) return count === PATH_MAX ? -ERRNO.ENAMETOOLONG : -ERRNO.EFAULT;
      try {
        return decoder.decode(bytes.subarray(0, end));
      } catch {
        return -EILSEQ;
      }
    },
  };
}

function indexOfNul(bytes: Uint8Array, count: number): number {
  const at = bytes.indexOf(0);
  return at < count ? at : -1;
}

function loadSymbols(): Symbols | null {
  if (Deno.build.os !== "linux") return null;
  try {
    return Deno.dlopen("libc.so.6", SYMBOLS).symbols as unknown as Symbols;
  } catch {
    return null;
  }
}
