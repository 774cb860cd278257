/** Rules of the kernel that are kept for the next program of their kind, with the files that are yet to become programs. */

import { SpareFiles } from "../../host/broker/spare_files.ts";
import { close } from "../../host/kernel/pipes.ts";
import { addOpenFile } from "../../sandbox/landlock.ts";
import { RIGHTS } from "../../sandbox/landlock_rules.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** How many programs a program may make and execute itself: a configure script tries a few dozen. */
const SPARES = 64;

/** What was drawn for one kind. */
export interface Drawn {
  /** A descriptor of the rules, closed with the next kind. */
  readonly rules: number;
  /** Null for none. */
  readonly spares: SpareFiles | null;
}

/** Those of the last kind, and the last spare files. */
export class KeptRules {
  readonly #libc: Libc;
  #kept: (Drawn & { readonly key: string }) | null = null;
  #spares: { readonly folder: string; readonly files: SpareFiles } | null = null;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /**
   * What was drawn for this key last, else what is drawn now. `spareIn`: the folder where programs are made; null where none
   * is to be executed. Rules by which somebody made one are his alone.
   */
  of(key: string, spareIn: string | null, draw: () => number): Drawn {
    if (this.#kept?.key === key && this.#kept.spares?.isUsed !== true) return this.#kept;
    const rules = draw();
    const spares = spareIn === null ? null : this.#sparesIn(spareIn);
    for (const descriptor of spares?.free ?? []) {
      // One that has no rule is one that cannot be executed, as all were before.
      addOpenFile(this.#libc, rules, descriptor, RIGHTS.READ_FILE | RIGHTS.EXECUTE);
    }
    this.#forget();
    this.#kept = { key, rules, spares };
    return this.#kept;
  }

  /**
   * The last ones as long as nothing was taken from them and nobody runs who may execute them: to make them costs more than
   * most programs take to start (an ext4 looks for an inode each time).
   */
  #sparesIn(folder: string): SpareFiles | null {
    const last = this.#spares;
    if (last?.folder === folder && last.files.isUntouched) return last.files;
    last?.files.release();
    const files = SpareFiles.open(this.#libc, folder, SPARES);
    files?.hold();
    this.#spares = files === null ? null : { folder, files };
    return files;
  }

  #forget(): void {
    if (this.#kept !== null) close(this.#libc, this.#kept.rules);
    this.#kept = null;
  }

  close(): void {
    this.#forget();
    this.#spares?.files.release();
    this.#spares = null;
  }
}
