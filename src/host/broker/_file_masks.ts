/** The modes that programs' files begin with: their own masks (umask(2)), not Toolgate's. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "../kernel/pipes.ts";

/** A mode to make something with; `cut`: this process's own mask takes more off, so that it has to be set again. */
export interface MaskedMode {
  readonly mode: number;
  readonly cut: boolean;
}

/** How long a mask is taken to be what it was: reading it costs more than making a file. */
const KEPT_MS = 100;
const MOST_KEPT = 256;
/** Name, mask, state and numbers are the first lines (proc_pid_status(5); the mask since Linux 4.7). */
const STATUS_BYTES = 256;

/** Of the programs of one listener. All begin with this process's mask; none is asked before one of them changes its. */
export class FileMasks {
  readonly #libc: Libc;
  readonly #own: number;
  readonly #kept = new Map<number, { readonly mask: number; readonly until: number }>();
  #changed = false;

  constructor(libc: Libc, own: number) {
    this.#libc = libc;
    this.#own = own;
  }

  /** One of the programs is about to change its mask. */
  change(): void {
    this.#changed = true;
    this.#kept.clear();
  }

  /** What a mode becomes for a thread. */
  masked(thread: number, mode: number): MaskedMode {
    if (!this.#changed) return { mode: mode & ~this.#own, cut: false };
    const wanted = mode & ~this.#maskOf(thread);
    return { mode: wanted, cut: (wanted & this.#own) !== 0 };
  }

  #maskOf(thread: number): number {
    const now = performance.now();
    const known = this.#kept.get(thread);
    if (known !== undefined && known.until > now) return known.mask;
    const mask = readMask(this.#libc, `/proc/${thread}/status`) ?? this.#own;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(thread, { mask, until: now + KEPT_MS });
    return mask;
  }
}

/** The mask of a thread, of its status; null where it cannot be told. */
export function readMask(libc: Libc, status: string): number | null {
  const mask = readField(libc, status, /\nUmask:\s*([0-7]+)/);
  return mask === null ? null : Number.parseInt(mask, 8);
}

/** What the first lines of a status say; null where it cannot be read. */
export function readField(libc: Libc, status: string, field: RegExp): string | null {
  const { numbers } = libc;
  const file = libc.call(numbers.openat, AT_FDCWD, libc.path(status), OPEN.RDONLY | OPEN.CLOEXEC);
  if (file < 0) return null;
  const bytes = new Uint8Array(STATUS_BYTES);
  let count: number;
  do count = libc.transfer(numbers.read, file, bytes, bytes.length); while (count === -ERRNO.EINTR);
  close(libc, file);
  if (count <= 0) return null;
  return field.exec(new TextDecoder().decode(bytes.subarray(0, count)))?.[1] ?? null;
}
