/**
 * Memory that belongs to what processes have open: what lies in pipes and nobody has read, and what the kernel needs to know
 * of each descriptor. A program has pipes for the asking, and what it writes there is no page of its own.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { visitEntries } from "./directory_entries.ts";
import { capacityOf, close } from "./pipes.ts";
import { textAt } from "./read_text.ts";
import type { Holder } from "./socket_memory.ts";

/** A process with how many descriptors it has at most. */
export interface Opener extends Holder {
  readonly slots: number;
}

/** What is open: its file, its entry and its inode, in bytes (/proc/slabinfo has them at 256, 192 and 600 or so). */
const EACH = 1024;
/** What a pipe holds of a user who has many of them: two pages (pipe(7), pipe-user-pages-soft). */
const LATE_PIPE = 2 * 4096;
const PAGE_BYTES = 4096;
const USUAL_MOST = 1 << 20;
const USUAL_SHARE = 16_384;
/** Descriptors of one run that are looked at; of more it is the most that they can hold that counts. */
const MOST_LOOKED = 10_000;
const BUFFER_BYTES = 1 << 15;
const MOST_LINK = 64;
const SMALL_FILE = 4096;
/** FIONREAD (asm-generic/ioctls.h): the bytes that wait to be read. */
const WAITING = 0x541b;

/** What one look has found. */
interface Found {
  /** By the numbers of their inodes: how much is in them. */
  readonly pipes: Map<number, number>;
  readonly sockets: Set<number>;
  /** Descriptors on their way in sockets, which nobody has open meanwhile. */
  flying: number;
  looked: number;
  /** Descriptors that were not looked at. */
  unknown: number;
}

/** The memory of what is open. */
export class DescriptorMemory {
  readonly #libc: Libc;
  /** What one pipe can be made to hold, and what all of a user do before the kernel becomes sparing; in bytes. */
  readonly #largest: number;
  readonly #share: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #latin1 = new TextDecoder("latin1");

  constructor(libc: Libc) {
    this.#libc = libc;
    const setting = (name: string): number | null => {
      const text = textAt(libc, `/proc/sys/fs/${name}`, SMALL_FILE);
      return text === null ? null : Number(text);
    };
    this.#largest = setting("pipe-max-size") ?? USUAL_MOST;
    const pages = setting("pipe-user-pages-soft") ?? USUAL_SHARE;
    // No share: as much as there is.
    this.#share = pages === 0 ? Infinity : pages * PAGE_BYTES;
  }

  /** What so many descriptors can hold at most. */
  most(descriptors: number): number {
    const late = this.#share === Infinity ? Infinity : this.#share + descriptors * LATE_PIPE;
    return Math.min(descriptors * this.#largest, late) + descriptors * EACH;
  }

  /**
   * What those of some processes do hold, each pipe counted once; the most of what cannot be looked at. `isGone`: whether one
   * has nothing any more, which ends while it is looked at.
   */
  heldBy(processes: readonly Opener[], isGone: (id: number) => boolean): number {
    const found: Found = { pipes: new Map(), sockets: new Set(), flying: 0, looked: 0, unknown: 0 };
    for (const one of processes) this.#lookAt(one, found, () => isGone(one.id));
    const { pipes, flying, looked, unknown } = found;
    const inPipes = [...pipes.values()].reduce((total, bytes) => total + bytes, 0);
    return inPipes + looked * EACH + this.most(flying + unknown);
  }

  #lookAt({ id, slots, thread }: Opener, found: Found, isGone: () => boolean): void {
    const { call, numbers, path, structAddress, structBytes } = this.#libc;
    const flags = OPEN.RDONLY | OPEN.CLOEXEC | numbers.O_DIRECTORY;
    const shown = `/proc/${id}/task/${thread}`;
    const folder = call(numbers.openat, AT_FDCWD, path(`${shown}/fd`), flags);
    if (folder < 0) {
      // Of one that is ending the folder is root's (proc_pid_fd(5)).
      if (!isGone()) found.unknown += slots;
      return;
    }
    // Descriptors are had by the first thread alone (pidfd_getfd(2)): without that a pipe counts for all that it can hold.
    const process = thread === id ? call(numbers.pidfdOpen, id, 0) : -ERRNO.EPERM;
    let seen = 0;
    const ended = visitEntries(this.#libc, folder, this.#buffer, (entry) => {
      if (found.looked >= MOST_LOOKED) return false;
      seen++;
      found.looked++;
      const name = entry.name();
      const length = call(numbers.readlinkat, folder, path(name), structAddress, MOST_LINK);
      const target = length <= 0 ? "" : this.#latin1.decode(structBytes.subarray(0, length));
      const [, kind, inode] = /^(pipe|socket):\[(\d+)\]$/.exec(target) ?? [];
      const number = Number(inode);
      if (kind === "pipe" && !found.pipes.has(number)) {
        found.pipes.set(number, this.#inPipe(process, Number(name), isGone));
      } else if (kind === "socket" && !found.sockets.has(number)) {
        found.sockets.add(number);
        found.flying += this.#flyingIn(shown, name);
      }
      return true;
    });
    if (process >= 0) close(this.#libc, process);
    close(this.#libc, folder);
    if (found.looked >= MOST_LOOKED || (ended < 0 && !isGone())) found.unknown += slots - seen;
  }

  /** A write that is short fills a page of its own. */
  #inPipe(process: number, descriptor: number, isGone: () => boolean): number {
    const { call, numbers, struct, structAddress } = this.#libc;
    const copy = process < 0 ? process : call(numbers.pidfdGetfd, process, descriptor, 0);
    // EBADF: closed meanwhile; ESRCH and others where it ends (pidfd_getfd(2)).
    if (copy < 0) return copy === -ERRNO.EBADF || isGone() ? 0 : this.#largest;
    const waits = call(numbers.ioctl, copy, WAITING, structAddress) < 0
      ? Infinity
      : struct.getInt32(0, true);
    const held = Math.min(capacityOf(this.#libc, copy), waits * PAGE_BYTES);
    close(this.#libc, copy);
    return held;
  }

  #flyingIn(shown: string, name: string): number {
    const text = textAt(this.#libc, `${shown}/fdinfo/${name}`, SMALL_FILE) ?? "";
    return Number(/^scm_fds:\s*(\d+)/m.exec(text)?.[1] ?? 0);
  }
}
