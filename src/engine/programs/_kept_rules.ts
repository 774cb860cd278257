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

/** Those of the last kind. */
export class KeptRules {
  readonly #libc: Libc;
  #kept: (Drawn & { readonly key: string }) | null = null;

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
    this.close();
    const spares = spareIn === null ? null : this.#open(rules, spareIn);
    spares?.hold();
    this.#kept = { key, rules, spares };
    return this.#kept;
  }

  #open(rules: number, folder: string): SpareFiles | null {
    const libc = this.#libc;
    const spares = SpareFiles.open(libc, folder, SPARES);
    for (const descriptor of spares?.free ?? []) {
      // One that has no rule is one that cannot be executed, as all were before.
      addOpenFile(libc, rules, descriptor, RIGHTS.READ_FILE | RIGHTS.EXECUTE);
    }
    return spares;
  }

  close(): void {
    if (this.#kept === null) return;
    close(this.#libc, this.#kept.rules);
    this.#kept.spares?.release();
    this.#kept = null;
  }
}
