/** Starting programs through the C library: with descriptors of ours, and without copying this process first. */

import { ERRNO } from "./kernel/errno.ts";

/** What a program starts with. */
export interface ProgramStart {
  /** Absolute path of the executable; links are followed. */
  readonly path: string;
  /** `argv[0]` first. Text without NUL. */
  readonly argv: readonly string[];
  /** `NAME=value` each. Text without NUL. */
  readonly environment: readonly string[];
  /** A descriptor of the directory that it starts in; null for this process's own. */
  readonly directory: number | null;
  /** What become its descriptors 0, 1, 2 and up: each above 2, or `CLOSED`. All others must be close-on-exec. */
  readonly descriptors: readonly number[];
}

/** In place of a descriptor: the program gets none of that number. */
export const CLOSED = -1;

/** Programs of this thread, and system calls that may block. To be opened before `ffi` is given up. */
export interface Spawner {
  /**
   * Starts a program as leader of a session and a process group of its own (setsid(2)), no signal blocked or
   * ignored: its process number, or an error number with its sign turned. It inherits what holds the calling thread.
   */
  start(start: ProgramStart): number;
  /** A system call on a thread of its own: its result, or -1. The buffer is used until it has answered. */
  blocking(number: number, descriptor: number, buffer: Uint8Array, count: number): Promise<number>;
  /** ppoll(2) without a time limit of its own or with one, on a thread that may sleep. */
  poll(number: number, descriptors: Uint8Array, count: number, limit: Uint8Array): Promise<number>;
}

/** Sizes of `posix_spawn_file_actions_t` (80) and `posix_spawnattr_t` (336), with room to spare (glibc, spawn.h). */
const ACTIONS_SIZE = 256;
const ATTRIBUTES_SIZE = 512;
/** POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID (glibc, spawn.h) */
const FLAGS = 0x04 | 0x08 | 0x80;
/** sizeof(sigset_t) (glibc, bits/types/__sigset_t.h) */
const SIGNAL_SET_SIZE = 128;
/** SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD, SIGXCPU, SIGXFSZ (signal(7)): what a parent may have ignored. */
const DEFAULT_SIGNALS = [1, 2, 3, 13, 15, 17, 24, 25];
/** What is started here are Toolgate's own: the launcher, which has the words of its program in itself, and a shell. */
const MOST_BYTES = 256 * 1024;
const POINTER = 8;

const SPAWN_SYMBOLS = {
  posix_spawn: {
    parameters: ["buffer", "i64", "buffer", "buffer", "i64", "i64"],
    result: "i32",
  },
  posix_spawn_file_actions_init: { parameters: ["buffer"], result: "i32" },
  posix_spawn_file_actions_destroy: { parameters: ["buffer"], result: "i32" },
  posix_spawn_file_actions_adddup2: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  posix_spawn_file_actions_addclose: { parameters: ["buffer", "i32"], result: "i32" },
  posix_spawn_file_actions_addfchdir_np: { parameters: ["buffer", "i32"], result: "i32" },
  posix_spawnattr_init: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_setflags: { parameters: ["buffer", "i16"], result: "i32" },
  posix_spawnattr_setsigmask: { parameters: ["buffer", "buffer"], result: "i32" },
  posix_spawnattr_setsigdefault: { parameters: ["buffer", "buffer"], result: "i32" },
} as const;

const CALL_SYMBOLS = {
  transfer: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "i64"],
    result: "i32",
    nonblocking: true,
  },
  poll: {
    name: "syscall",
    parameters: ["i64", "buffer", "i64", "buffer", "i64", "i64"],
    result: "i32",
    nonblocking: true,
  },
} as const;

/** Deno types 64-bit parameters as `bigint` though it takes numbers too. */
interface SpawnSymbols {
  posix_spawn(
    pid: Uint8Array,
    path: number,
    actions: Uint8Array,
    attributes: Uint8Array,
    argv: number,
    environment: number,
  ): number;
  posix_spawn_file_actions_init(actions: Uint8Array): number;
  posix_spawn_file_actions_destroy(actions: Uint8Array): number;
  posix_spawn_file_actions_adddup2(actions: Uint8Array, from: number, to: number): number;
  posix_spawn_file_actions_addclose(actions: Uint8Array, descriptor: number): number;
  posix_spawn_file_actions_addfchdir_np(actions: Uint8Array, descriptor: number): number;
  posix_spawnattr_init(attributes: Uint8Array): number;
  posix_spawnattr_setflags(attributes: Uint8Array, flags: number): number;
  posix_spawnattr_setsigmask(attributes: Uint8Array, set: Uint8Array): number;
  posix_spawnattr_setsigdefault(attributes: Uint8Array, set: Uint8Array): number;
}

interface CallSymbols {
  transfer(
    number: number,
    descriptor: number,
    buffer: Uint8Array,
    count: number,
  ): Promise<number>;
  poll(
    number: number,
    descriptors: Uint8Array,
    count: number,
    limit: Uint8Array,
    mask: number,
    maskSize: number,
  ): Promise<number>;
}

/**
 * Null where there is no glibc of 2.29 or later, or `ffi` is not granted. posix_spawn(3) shares the memory of the
 * process until the program has begun: what `fork` copies takes four times as long here.
 *
 * `keepsFfi`: this thread never gives `ffi` up. Then the functions for starts are looked up with the first of them, which
 * takes 1.5 ms: where Toolgate starts programs by calls of its own there is none.
 */
export function openSpawner(
  { keepsFfi = false }: { readonly keepsFfi?: boolean } = {},
): Spawner | null {
  if (Deno.build.os !== "linux") return null;
  const calls = loadSymbols(CALL_SYMBOLS) as CallSymbols | null;
  if (calls === null) return null;
  let starts = keepsFfi ? undefined : openStarts();
  if (starts === null) return null;
  return {
    start(start) {
      if (starts === undefined) starts = openStarts();
      return starts === null ? -ERRNO.ENOSYS : starts(start);
    },
    blocking: (number, descriptor, buffer, count) =>
      calls.transfer(number, descriptor, buffer, count),
    poll: (number, descriptors, count, limit) =>
      calls.poll(number, descriptors, count, limit, 0, 0),
  };
}

function openStarts(): Spawner["start"] | null {
  const symbols = loadSymbols(SPAWN_SYMBOLS) as SpawnSymbols | null;
  if (symbols === null) return null;
  const attributes = new Uint8Array(ATTRIBUTES_SIZE);
  symbols.posix_spawnattr_init(attributes);
  symbols.posix_spawnattr_setflags(attributes, FLAGS);
  symbols.posix_spawnattr_setsigmask(attributes, new Uint8Array(SIGNAL_SET_SIZE));
  symbols.posix_spawnattr_setsigdefault(attributes, signalSet(DEFAULT_SIGNALS));
  const actions = new Uint8Array(ACTIONS_SIZE);
  const pid = new Int32Array(1);
  const pidBytes = new Uint8Array(pid.buffer);
  const strings = new Strings();
  return ({ path, argv, environment, directory, descriptors }) => {
    const placed = strings.place(path, argv, environment);
    if (placed === null) return -ERRNO.E2BIG;
    symbols.posix_spawn_file_actions_init(actions);
    descriptors.forEach((from, to) => {
      if (from === CLOSED) symbols.posix_spawn_file_actions_addclose(actions, to);
      else symbols.posix_spawn_file_actions_adddup2(actions, from, to);
    });
    if (directory !== null) symbols.posix_spawn_file_actions_addfchdir_np(actions, directory);
    const failure = symbols.posix_spawn(
      pidBytes,
      placed.path,
      actions,
      attributes,
      placed.argv,
      placed.environment,
    );
    symbols.posix_spawn_file_actions_destroy(actions);
    return failure === 0 ? pid[0] as number : -failure;
  };
}

function loadSymbols(symbols: typeof SPAWN_SYMBOLS | typeof CALL_SYMBOLS): unknown {
  try {
    return Deno.dlopen("libc.so.6", symbols).symbols;
  } catch {
    return null;
  }
}

/** Bit `n - 1` of the set is signal `n`. */
function signalSet(signals: readonly number[]): Uint8Array {
  const set = new Uint8Array(SIGNAL_SET_SIZE);
  for (const signal of signals) set[(signal - 1) >> 3]! |= 1 << ((signal - 1) & 7);
  return set;
}

/** Memory for the strings of one start, and the two lists of pointers to them. */
class Strings {
  readonly #encoder = new TextEncoder();
  // Its address can only be asked for while `ffi` is granted.
  readonly #bytes = new Uint8Array(MOST_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #address = Number(Deno.UnsafePointer.value(Deno.UnsafePointer.of(this.#bytes)));

  /** The addresses; null where it is more than any system takes. */
  place(
    path: string,
    argv: readonly string[],
    environment: readonly string[],
  ): { readonly path: number; readonly argv: number; readonly environment: number } | null {
    const pointers = (argv.length + environment.length + 2) * POINTER;
    let needed = pointers + path.length * 3 + 1;
    for (const text of argv) needed += text.length * 3 + 1;
    for (const text of environment) needed += text.length * 3 + 1;
    if (needed > MOST_BYTES) return null;
    let pointer = 0;
    let at = pointers;
    const put = (text: string): number => {
      const start = at;
      at += this.#encoder.encodeInto(text, this.#bytes.subarray(at)).written;
      this.#bytes[at++] = 0;
      return this.#address + start;
    };
    const point = (address: number): void => {
      this.#view.setUint32(pointer, address >>> 0, true);
      this.#view.setUint32(pointer + 4, Math.floor(address / 2 ** 32), true);
    };
    const list = (texts: readonly string[]): number => {
      const start = pointer;
      for (const text of texts) {
        point(put(text));
        pointer += POINTER;
      }
      point(0);
      pointer += POINTER;
      return this.#address + start;
    };
    return { argv: list(argv), environment: list(environment), path: put(path) };
  }
}
