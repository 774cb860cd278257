/** What the kernel tells of processes in /proc, read by system calls: the runtime keeps programs out of there. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { readSome } from "./pipes.ts";

/** proc_pid_stat(5) */
export interface ProcessFacts {
  readonly id: number;
  /** That of its first thread: `Z` and `X` have ended, and others may go on behind that (see `hasEnded`). */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks (of 10 ms) of it and of the children it has waited for. */
  readonly ticks: number;
  /** Of these, its own. */
  readonly ownTicks: number;
  readonly threads: number;
  /** When it began, in clock ticks since the machine did: with its number it is one process and no other. */
  readonly began: number;
}

/**
 * Whether all of a process has ended. One whose first thread has ended alone is shown as a zombie as long as any other
 * runs, and counts its threads still (pthread_exit(3), NOTES; proc_pid_stat(5), num_threads).
 */
export function hasEnded({ state, threads }: Pick<ProcessFacts, "state" | "threads">): boolean {
  return state === "X" || state === "Z" && threads <= 1;
}

/** What one process has of the machine's memory. */
export interface HeldMemory {
  /**
   * Bytes that are its own, or shared without a file behind, with what the kernel itself needs to find them and what lies
   * elsewhere meanwhile.
   */
  readonly memory: number;
  /** How many descriptors it has room for. */
  readonly slots: number;
  /** By which of its threads the kernel shows what it has open: the first, or another that goes on behind that. */
  readonly thread: number;
}

/** Large enough for all but an environment, which is read in pieces. */
const BUFFER_BYTES = 1 << 16;
/** linux_dirent64: inode and offset (16), length of the record (2), type (1), then the name (getdents(2)). */
const RECORD_LENGTH = 16;
const RECORD_NAME = 19;
const NOTHING = new Uint8Array(0);
/** The longest environment that is looked through. */
const MOST_ENVIRONMENT = 1 << 20;

/** The processes of the machine, as /proc has them (proc(5)). */
export class ProcessTable {
  readonly #libc: Libc;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #latin1 = new TextDecoder("latin1");
  readonly #utf8 = new TextDecoder();
  readonly #pageSize: number;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#pageSize = this.#kilobytes("self/smaps", "KernelPageSize") || PAGE_BYTES;
  }

  /** A small file below /proc; null where there is none, it may not be read, or says nothing. */
  #read(path: string): string | null {
    return this.#readAll(path) || null;
  }

  /** As `#read`, with an empty text for one that says nothing. */
  #readAll(path: string): string | null {
    const bytes = this.#readBytes(path);
    return bytes === null ? null : this.#latin1.decode(bytes);
  }

  /** Valid until the next is read. */
  #readBytes(path: string): Uint8Array | null {
    const { numbers } = this.#libc;
    const flags = OPEN.RDONLY | OPEN.CLOEXEC;
    const descriptor = this.#libc.call(
      numbers.openat,
      AT_FDCWD,
      this.#libc.path(`/proc/${path}`),
      flags,
    );
    if (descriptor < 0) return null;
    const count = readSome(this.#libc, descriptor, this.#buffer);
    this.#libc.call(numbers.close, descriptor);
    return count === null ? null : this.#buffer.subarray(0, count);
  }

  /**
   * The children of a thread, ended ones that nobody waited for included; null where that is not told (proc_tid_children(5),
   * CONFIG_PROC_CHILDREN), or they are too many for one look. None is missed where nobody else waits for them meanwhile.
   */
  children(thread: number): readonly number[] | null {
    const text = this.#readAll(`self/task/${thread}/children`);
    if (text === null || text.length === BUFFER_BYTES) return null;
    return text.split(" ").filter((word) => word !== "").map(Number);
  }

  /** The numbers of all processes; empty where /proc is not mounted. */
  list(): readonly number[] {
    return this.#numbersIn("/proc");
  }

  /** The entries of a folder that are numbers; none where there is no such folder. */
  #numbersIn(folder: string): readonly number[] {
    const { numbers } = this.#libc;
    const flags = OPEN.RDONLY | OPEN.CLOEXEC | numbers.O_DIRECTORY;
    const descriptor = this.#libc.call(
      numbers.openat,
      AT_FDCWD,
      this.#libc.path(folder),
      flags,
    );
    if (descriptor < 0) return [];
    const found: number[] = [];
    for (;;) {
      const count = this.#libc.transfer(
        numbers.getdents64,
        descriptor,
        this.#buffer,
        this.#buffer.length,
      );
      if (count <= 0) break;
      this.#numbers(count, found);
    }
    this.#libc.call(numbers.close, descriptor);
    return found;
  }

  #numbers(count: number, found: number[]): void {
    const buffer = this.#buffer;
    for (let at = 0; at < count;) {
      let id = 0;
      let byte = buffer[at + RECORD_NAME] as number;
      for (let next = at + RECORD_NAME; byte >= 0x30 && byte <= 0x39;) {
        id = id * 10 + byte - 0x30;
        byte = buffer[++next] as number;
      }
      if (byte === 0 && id > 0) found.push(id);
      at += (buffer[at + RECORD_LENGTH] as number) |
        ((buffer[at + RECORD_LENGTH + 1] as number) << 8);
    }
  }

  /** The number that was given to a process or thread last (the fifth word of proc_loadavg(5)); null without /proc. */
  last(): number | null {
    const words = this.#read("loadavg")?.trim().split(" ");
    return words === undefined ? null : Number(words[4]);
  }

  /** The file that it runs; null where it is gone, or belongs to somebody else. */
  executable(id: number): string | null {
    const { numbers, structAddress, structBytes } = this.#libc;
    const path = this.#libc.path(`/proc/${id}/exe`);
    const length = this.#libc.call(numbers.readlinkat, AT_FDCWD, path, structAddress, PATH_BYTES);
    return length <= 0 ? null : this.#latin1.decode(structBytes.subarray(0, length));
  }

  /** Clock ticks since the machine was started (proc_uptime(5)). */
  now(): number {
    // Hundredths of seconds, which are ticks: what began in this one is not yet to come.
    return Math.round(Number(this.#read("uptime")?.split(" ")[0] ?? 0) * TICKS_A_SECOND);
  }

  /** How many tasks there are, of all users (the fourth word of proc_loadavg(5)). */
  tasks(): number {
    return Number(this.#read("loadavg")?.split(" ")[3]?.split("/")[1] ?? 0);
  }

  /** Numbers begin again from this on (proc_sys_kernel(5)). */
  mostNumber(): number {
    return Number(this.#read("sys/kernel/pid_max") ?? 0) || DEFAULT_PID_MAX;
  }

  /** Null where it is gone. */
  facts(id: number): ProcessFacts | null {
    const text = this.#read(`${id}/stat`);
    if (text === null) return null;
    // The name stands in brackets and may hold anything.
    const words = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const word = (field: number): number => Number(words[field - 3]);
    return {
      id,
      state: words[0] ?? "X",
      parent: word(4),
      group: word(5),
      session: word(6),
      ticks: word(14) + word(15) + word(16) + word(17),
      ownTicks: word(14) + word(15),
      threads: word(20),
      began: word(22),
    };
  }

  /** What it is called (proc_pid_comm(5)), and its words (proc_pid_cmdline(5)), blanks between them. */
  command(id: number): { readonly name: string; readonly words: string } {
    const text = (path: string) => this.#utf8.decode(this.#readBytes(path) ?? NOTHING);
    return {
      name: text(`${id}/comm`).replace(/\n$/, ""),
      words: text(`${id}/cmdline`).replace(/\0+$/, "").replaceAll("\0", " "),
    };
  }

  /** What it holds; nothing where it is gone. */
  held(id: number): HeldMemory {
    const led = this.#heldBy(`${id}`);
    if (led !== null) return { ...led, thread: id };
    for (const thread of this.#numbersIn(`/proc/${id}/task`)) {
      const found = thread === id ? null : this.#heldBy(`${id}/task/${thread}`);
      if (found !== null) return { ...found, thread };
    }
    return { memory: 0, slots: 0, thread: id };
  }

  /** By what is shown of one thread; null where that has no memory any more. */
  #heldBy(shown: string): Omit<HeldMemory, "thread"> | null {
    // proc_pid_statm(5): all that it has mapped, what of it is resident, and of these file-backed or shared.
    const [size = 0, resident = 0, shared = 0] =
      this.#read(`${shown}/statm`)?.split(" ").map(Number) ??
        [];
    if (size === 0) return null;
    const status = this.#read(`${shown}/status`) ?? "";
    const own = (resident - shared) * this.#pageSize;
    const memory = own + kilobytes(status, "RssShmem") + unseen(status);
    return { memory, slots: slotsIn(status) };
  }

  /** The memory of `held`, with what several share counted once among them; null where that is not told. */
  proportional(id: number): number | null {
    const text = this.#read(`${id}/smaps_rollup`);
    if (text === null) return null;
    const value = (name: string): number => kilobytes(text, name);
    // Pages of files are not its fault, save those it has written to, which are its own.
    return value("Pss_Anon") + value("Pss_Shmem") + unseen(this.#read(`${id}/status`) ?? "");
  }

  /** What RLIMIT_RTTIME allows it at most (the "Max realtime timeout" of proc_pid_limits(5)); null for no limit. */
  mark(id: number): number | null {
    const found = /^Max realtime timeout\s+\S+\s+(\d+)/m.exec(this.#read(`${id}/limits`) ?? "");
    return found === null ? null : Number(found[1]);
  }

  #kilobytes(path: string, name: string): number {
    return kilobytes(this.#read(path) ?? "", name);
  }

  /** What it began with, `NAME=value` with a NUL behind each; empty where it has, or shows, none. */
  environment(id: number): string {
    const { numbers } = this.#libc;
    const flags = OPEN.RDONLY | OPEN.CLOEXEC;
    const path = this.#libc.path(`/proc/${id}/environ`);
    const descriptor = this.#libc.call(numbers.openat, AT_FDCWD, path, flags);
    if (descriptor < 0) return "";
    let text = "";
    for (let count: number | null = 1; count && text.length < MOST_ENVIRONMENT;) {
      count = readSome(this.#libc, descriptor, this.#buffer);
      if (count !== null) text += this.#latin1.decode(this.#buffer.subarray(0, count));
    }
    this.#libc.call(numbers.close, descriptor);
    return text;
  }
}

/** Of x86_64; kernels of aarch64 may have larger ones. */
const PAGE_BYTES = 4096;
/** Of a table of descriptors (struct fdtable, include/linux/fdtable.h): as long as the highest number that was ever had. */
const SLOT_BYTES = 8;
/** PATH_MAX (linux/limits.h) */
const PATH_BYTES = 4096;
/** USER_HZ on both architectures (time(7)). */
const TICKS_A_SECOND = 100;
/** PID_MAX_DEFAULT (include/linux/threads.h) */
const DEFAULT_PID_MAX = 32_768;

/**
 * Memory that is no resident page of a process (proc_pid_status(5)): page tables, of which 4 KiB come for each 2 MiB that
 * are merely looked at, huge pages, what was moved to swap, and its table of descriptors.
 */
function unseen(status: string): number {
  return kilobytes(status, "VmPTE") + kilobytes(status, "HugetlbPages") +
    kilobytes(status, "VmSwap") + slotsIn(status) * SLOT_BYTES;
}

function slotsIn(status: string): number {
  return Number(/^FDSize:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

function kilobytes(text: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text);
  return found === null ? 0 : Number(found[1]) * 1024;
}
