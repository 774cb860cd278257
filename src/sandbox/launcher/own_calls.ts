/** Toolgate's own code, loaded: system calls whose results come in one step, and starts without a file of their own. */

import type { Libc } from "../kernel/libc.ts";
import type { Architecture } from "../seccomp.ts";
import { createMemoryStore } from "./image_file.ts";
import { libraryOf } from "./_library.ts";

/** Functions of the library. Results are as the kernel gives them. */
export interface OwnCalls {
  call(
    number: number,
    a: number,
    b: number,
    c: number,
    d: number,
    e: number,
    f: number,
  ): number;
  /** As `call`, for results beyond 32 bits. */
  wide(
    number: number,
    a: number,
    b: number,
    c: number,
    d: number,
    e: number,
    f: number,
  ): number;
  transfer(number: number, descriptor: number, buffer: Uint8Array, count: number): number;
  /** As `transfer`, on a thread of its own, which may sleep in it. */
  waiting(number: number, descriptor: number, buffer: Uint8Array, count: number): Promise<number>;
  /** Starts what the block says: the number of the process, or an error number with its sign turned. */
  start(block: Uint8Array): number;
  /** Memory for what is to be started, and its address, which can only be asked for while `ffi` is granted. */
  readonly block: Uint8Array;
  readonly address: number;
}

/** Room for what most programs are started with; what takes more is started by a file. */
const BLOCK_BYTES = 256 * 1024;

const SIX_WORDS = ["i32", "f64", "f64", "f64", "f64", "f64", "f64"] as const;

const SYMBOLS = {
  call: { parameters: SIX_WORDS, result: "i32" },
  wide: { parameters: SIX_WORDS, result: "f64" },
  transfer: { parameters: ["i32", "i32", "buffer", "i32"], result: "i32" },
  waiting: {
    name: "transfer",
    parameters: ["i32", "i32", "buffer", "i32"],
    result: "i32",
    nonblocking: true,
  },
  start: { parameters: ["buffer"], result: "i32" },
} as const;

/**
 * Null where memory of ours may not be executed (`vm.memfd_noexec`, some security modules), /proc is not there, or `ffi`
 * is not granted: to be opened before it is given up.
 */
export function openOwnCalls(libc: Libc): OwnCalls | null {
  const architecture = Deno.build.arch as Architecture;
  const file = createMemoryStore(libc, architecture).put(libraryOf(architecture));
  if (typeof file === "number") return null;
  try {
    const { symbols } = Deno.dlopen(file.path, SYMBOLS);
    const block = new Uint8Array(BLOCK_BYTES);
    const address = Number(Deno.UnsafePointer.value(Deno.UnsafePointer.of(block)));
    return { ...symbols, block, address } as unknown as OwnCalls;
  } catch {
    return null;
  } finally {
    file.close();
  }
}

/** The same library by calls of our own: each result in one step, and no number made into a BigInt on the way. */
export function withOwnCalls(libc: Libc, own: OwnCalls | null): Libc {
  if (own === null) return libc;
  return {
    ...libc,
    call: (number, a = 0, b = 0, c = 0, d = 0, e = 0) =>
      own.call(number, Number(a), Number(b), Number(c), Number(d), Number(e), 0),
    callWide: (number, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0) =>
      own.wide(number, Number(a), Number(b), Number(c), Number(d), Number(e), Number(f)),
    transfer: (number, descriptor, buffer, count) =>
      own.transfer(number, descriptor, buffer, count),
  };
}
