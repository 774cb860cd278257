/** The modes that programs' files begin with: their own masks (umask(2)), not Toolgate's. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { readMask } from "../kernel/process_status.ts";

/** A mode to make something with; `cut`: this process's own mask takes more off, so that it has to be set again. */
export interface MaskedMode {
  readonly mode: number;
  readonly cut: boolean;
}

/** How long a mask is taken to be what it was: reading it costs more than making a file. */
const KEPT_MS = 100;
const MOST_KEPT = 256;

/** Of the programs of one listener. None is asked before one of them has another mask than this process. */
export class FileMasks {
  readonly #libc: Libc;
  readonly #own: number;
  readonly #kept = new Map<number, { readonly mask: number; readonly until: number }>();
  #changed: boolean;

  /** `changed`: they begin with another mask than this process's. */
  constructor(libc: Libc, own: number, changed = false) {
    this.#libc = libc;
    this.#own = own;
    this.#changed = changed;
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
