/** System calls through the C library: the few symbols that Landlock, seccomp and the file handles need. */

import { nameBytes } from "../../core/name_text.ts";
import { ERRNO } from "./errno.ts";
import { type Syscalls, syscallsOf } from "./_syscalls.ts";

/** A number, or an address (all below 2^53), as system calls take them. */
type Word = number | bigint;

/**
 * System calls of this thread. Results are as the kernel gives them: at least 0, or an error number with
 * its sign turned (`-ERRNO.ENOENT`). Nothing here needs the `ffi` permission once it was opened.
 * Not to be shared between threads: the arena belongs to one.
 */
export interface Libc {
  readonly numbers: Syscalls;
  call(number: number, a?: Word, b?: Word, c?: Word, d?: Word, e?: Word): number;
  /** As `call`, for six arguments, and for results beyond 32 bits (offsets in files). Slower. */
  callWide(
    number: number,
    a?: Word,
    b?: Word,
    c?: Word,
    d?: Word,
    e?: Word,
    f?: Word,
  ): number;
  /** `read`, `write` and `getdents64`: the call whose second argument is a buffer of ours. */
  transfer(number: number, descriptor: number, buffer: Uint8Array, count: number): number;
  /**
   * Puts a NUL-terminated path into one of two places and gives its address, valid until the next path in
   * that place. What is no UTF-8 is as `nameText` has it. Throws a `TypeError` for what no system call can take (NUL,
   * the text of no name, over 4,095 bytes).
   */
  path(text: string, place?: 0 | 1): number;
  /** What is done once a file by those who go through many. */
  readonly files: FileCalls;
  /** What is done to the audit log several times a call. */
  readonly logs: LogCalls;
  /** Room for structures, at `structAddress`: `STRUCT_SIZE` bytes, free between calls. */
  readonly struct: DataView;
  readonly structBytes: Uint8Array;
  readonly structAddress: number;
}

/** `openat`, `read` and `close`, with results as those of {@linkcode Libc}. */
export interface FileCalls {
  open(directory: number, name: string, flags: number): number;
  read(descriptor: number, buffer: Uint8Array): number;
  close(descriptor: number): number;
}

/** `flock`, `lseek` to the end and `write`, with results as those of {@linkcode Libc}. */
export interface LogCalls {
  flock(descriptor: number, operation: number): number;
  /** Where the file ends. */
  end(descriptor: number): number;
  write(descriptor: number, bytes: Uint8Array): number;
}

/** SEEK_END (include/uapi/linux/fs.h) */
const SEEK_END = 2;

/** PATH_MAX with its NUL (linux/limits.h). */
const PATH_MAX = 4096;
const STRUCT_OFFSET = 2 * PATH_MAX;
/** Room for the longest structure that is passed: extended attributes of 64 KiB (XATTR_SIZE_MAX, linux/limits.h). */
export const STRUCT_SIZE = 64 * 1024;
const ERRNO_OFFSET = STRUCT_OFFSET + STRUCT_SIZE;
const ARENA_SIZE = ERRNO_OFFSET + 8;

/**
 * 64-bit parameters are given as `bigint`. Deno takes numbers too, which code that is not compiled makes quicker; but
 * compiled code was compiled for `bigint` (V8's fast calls know no other), and is thrown away at each call with a
 * number, with all that it was inlined into, to be compiled anew.
 */
interface Symbols {
  syscall(number: bigint, a: bigint, b: bigint, c: bigint, d: bigint, e: bigint): number;
  wide(
    number: bigint,
    a: bigint,
    b: bigint,
    c: bigint,
    d: bigint,
    e: bigint,
    f: bigint,
  ): bigint;
  transfer(number: bigint, descriptor: bigint, buffer: Uint8Array, count: bigint): number;
  memcpy(to: bigint, from: bigint, count: bigint): void;
  __errno_location(): bigint;
}

/** The functions of the library behind {@linkcode FileCalls}. */
interface FileSymbols {
  openat(directory: number, name: Uint8Array, flags: number): number;
  read(descriptor: number, buffer: Uint8Array, count: bigint): number;
  close(descriptor: number): number;
}

/** Those behind {@linkcode LogCalls}. */
interface LogSymbols {
  flock(descriptor: number, operation: number): number;
  lseek(descriptor: number, offset: bigint, whence: number): bigint;
  write(descriptor: number, buffer: Uint8Array, count: bigint): number;
}

const WORDS = ["i64", "i64", "i64", "i64", "i64", "i64"] as const;

/** What is loaded of the library at once. */
export interface LibcOptions {
  /** Three symbols more, for threads that search: each of their calls then saves 0.3 µs, half of what it costs here. */
  readonly quickFiles?: boolean;
  /** The same for the audit log of many calls. */
  readonly quickLogs?: boolean;
  /**
   * Only what a few calls take; the rest when one fails, which is then made once more. For processes that keep `ffi` and
   * end soon.
   */
  readonly late?: boolean;
}

/**
 * Opens the C library of this thread. Null where there is no glibc, the architecture has no table, or `ffi`
 * is not granted (which in a compiled binary must be granted without paths: the name is looked up by the
 * loader). Few symbols on purpose: each costs about 0.15 ms.
 */
export function openLibc(options: LibcOptions = {}): Libc | null {
  const numbers = syscallsOf(Deno.build.arch);
  if (Deno.build.os !== "linux" || numbers === null) return null;
  const symbols = options.late === true ? lateSymbols() : loadSymbols(SYMBOLS) as Symbols | null;
  if (symbols === null) return null;
  const quick = options.quickFiles === true
    ? loadSymbols(FILE_SYMBOLS) as FileSymbols | null
    : null;
  const { flock, lseek, write } =
    (options.quickLogs === true ? loadSymbols(LOG_SYMBOLS) as LogSymbols | null : null) ?? {
      flock: (descriptor: number, operation: number) =>
        symbols.syscall(BigInt(numbers.flock), BigInt(descriptor), BigInt(operation), 0n, 0n, 0n),
      lseek: (descriptor: number, offset: bigint, whence: number) =>
        symbols.wide(
          BigInt(numbers.lseek),
          BigInt(descriptor),
          offset,
          BigInt(whence),
          0n,
          0n,
          0n,
        ),
      write: (descriptor: number, buffer: Uint8Array, count: bigint) =>
        symbols.transfer(BigInt(numbers.write), BigInt(descriptor), buffer, count),
    };

  const arena = new Uint8Array(ARENA_SIZE);
  const address = Number(Deno.UnsafePointer.value(Deno.UnsafePointer.of(arena)));
  let errnoAddress = 0n;
  const struct = new DataView(arena.buffer, STRUCT_OFFSET, STRUCT_SIZE);
  const errnoView = new DataView(arena.buffer, ERRNO_OFFSET, 8);
  const places = [arena.subarray(0, PATH_MAX), arena.subarray(PATH_MAX, 2 * PATH_MAX)] as const;
  const encoder = new TextEncoder();

  // The error number is this thread's own variable, so its address stays; copying it is one call.
  const failure = (): number => {
    errnoAddress ||= symbols.__errno_location();
    symbols.memcpy(BigInt(address + ERRNO_OFFSET), errnoAddress, 4n);
    return -(errnoView.getInt32(0, true) || ERRNO.EIO);
  };

  const putOdd = (name: Uint8Array, bytes: Uint8Array): void => {
    if (name.length >= PATH_MAX) throw new TypeError("a path is too long");
    bytes.set(name);
    bytes[name.length] = 0;
  };

  const put = (text: string, place: 0 | 1): void => {
    const bytes = places[place];
    if (putAscii(text, bytes)) return;
    if (text.includes("\0")) throw new TypeError("a path holds a NUL");
    if (!text.isWellFormed()) return putOdd(nameBytes(text), bytes);
    const { read, written } = encoder.encodeInto(text, bytes);
    if (read < text.length || written >= PATH_MAX) throw new TypeError("a path is too long");
    bytes[written] = 0;
  };

  const { openat, read, close } = quick ?? {
    openat: (directory: number, name: Uint8Array, flags: number) =>
      symbols.transfer(BigInt(numbers.openat), BigInt(directory), name, BigInt(flags)),
    read: (descriptor: number, buffer: Uint8Array, count: bigint) =>
      symbols.transfer(BigInt(numbers.read), BigInt(descriptor), buffer, count),
    close: (descriptor: number) =>
      symbols.syscall(BigInt(numbers.close), BigInt(descriptor), 0n, 0n, 0n, 0n),
  };
  // One buffer is read into many times: its length is made a `bigint` once.
  let room = 0;
  let roomWord = 0n;
  const files: FileCalls = {
    open(directory, name, flags) {
      put(name, 0);
      const result = openat(directory, places[0], flags);
      return result === -1 ? failure() : result;
    },
    read(descriptor, buffer) {
      if (buffer.length !== room) {
        room = buffer.length;
        roomWord = BigInt(room);
      }
      const result = read(descriptor, buffer, roomWord);
      return result === -1 ? failure() : result;
    },
    close(descriptor) {
      const result = close(descriptor);
      return result === -1 ? failure() : result;
    },
  };

  const logs: LogCalls = {
    flock(descriptor, operation) {
      const result = flock(descriptor, operation);
      return result === -1 ? failure() : result;
    },
    end(descriptor) {
      const result = Number(lseek(descriptor, 0n, SEEK_END));
      return result === -1 ? failure() : result;
    },
    write(descriptor, bytes) {
      const result = write(descriptor, bytes, BigInt(bytes.length));
      return result === -1 ? failure() : result;
    },
  };

  return {
    numbers,
    files,
    logs,
    struct,
    structBytes: arena.subarray(STRUCT_OFFSET, ERRNO_OFFSET),
    structAddress: address + STRUCT_OFFSET,
    call(number, a = 0, b = 0, c = 0, d = 0, e = 0) {
      const result = symbols.syscall(
        BigInt(number),
        BigInt(a),
        BigInt(b),
        BigInt(c),
        BigInt(d),
        BigInt(e),
      );
      return result === -1 ? failure() : result;
    },
    callWide(number, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0) {
      const result = symbols.wide(
        BigInt(number),
        BigInt(a),
        BigInt(b),
        BigInt(c),
        BigInt(d),
        BigInt(e),
        BigInt(f),
      );
      return result === -1n ? failure() : Number(result);
    },
    transfer(number, descriptor, buffer, count) {
      const result = symbols.transfer(
        BigInt(number),
        BigInt(descriptor),
        buffer,
        BigInt(count),
      );
      return result === -1 ? failure() : result;
    },
    path(text, place = 0) {
      put(text, place);
      return address + place * PATH_MAX;
    },
  };
}

/** Longer texts are quicker to encode than to go through. */
const SHORT = 256;

/** Puts a text that every byte of is a letter of its own, with a NUL behind; false where it is another, or longer. */
function putAscii(text: string, bytes: Uint8Array): boolean {
  const { length } = text;
  if (length > SHORT) return false;
  for (let at = 0; at < length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === 0 || letter > 0x7f) return false;
    bytes[at] = letter;
  }
  bytes[length] = 0;
  return true;
}

/** `syscall(2)` three times in all, with as many shapes of arguments: both Linux ABIs pass variadic integers like others. */
const FIRST_SYMBOLS = { syscall: { parameters: WORDS, result: "i32" } } as const;

const FURTHER_SYMBOLS = {
  wide: { name: "syscall", parameters: [...WORDS, "i64"], result: "i64" },
  memcpy: { parameters: ["i64", "i64", "i64"], result: "void" },
  __errno_location: { parameters: [], result: "i64" },
} as const;

const SYMBOLS = {
  ...FIRST_SYMBOLS,
  transfer: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64"], result: "i32" },
  ...FURTHER_SYMBOLS,
} as const;

/** `int` as it is: 64-bit parameters are what makes a call slow. No buffer has 2^31 bytes, so that no result has more. */
const FILE_SYMBOLS = {
  openat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "i64"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

const LOG_SYMBOLS = {
  flock: { parameters: ["i32", "i32"], result: "i32" },
  lseek: { parameters: ["i32", "i64", "i32"], result: "i64" },
  write: { parameters: ["i32", "buffer", "i64"], result: "i32" },
} as const;

/** The further ones are loaded by the first call that fails: that sets the error number, so the call is made again. */
function lateSymbols(): Symbols | null {
  const first = loadSymbols(FIRST_SYMBOLS) as Pick<Symbols, "syscall"> | null;
  if (first === null) return null;
  let loaded: Omit<Symbols, "syscall" | "transfer"> | null = null;
  const further = () => loaded ??= loadSymbols(FURTHER_SYMBOLS) as NonNullable<typeof loaded>;
  const made = (call: () => number): number => {
    const result = call();
    if (result !== -1 || loaded !== null) return result;
    further();
    return call();
  };
  return {
    syscall: (...words) => made(() => first.syscall(...words)),
    transfer: (number, descriptor, { buffer, byteOffset }, count) => {
      // Of the buffer: V8 keeps short arrays where it moves things until somebody asks for that.
      const start = Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer as ArrayBuffer));
      const address = BigInt(start) + BigInt(byteOffset);
      return made(() => first.syscall(number, descriptor, address, count, 0n, 0n));
    },
    wide: (...words) => further().wide(...words),
    memcpy: (...words) => further().memcpy(...words),
    __errno_location: () => further().__errno_location(),
  };
}

function loadSymbols(symbols: Deno.ForeignLibraryInterface): unknown {
  try {
    return Deno.dlopen("libc.so.6", symbols).symbols;
  } catch {
    return null;
  }
}
