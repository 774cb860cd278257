/**
 * Rules of the kernel for programs that name no file. What they may touch hangs on what they are and on the folder of
 * their run; where runs leave that to each other the next program of a kind needs no rules of its own.
 */

import { close } from "../../host/kernel/pipes.ts";
import { identityOf } from "../../host/kernel/stat.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { ProgramPaths } from "../../sandbox/program_rules.ts";

/** Sets of rules, each a descriptor: as many programs may run at once before some are drawn anew. */
const MOST_KEPT = 64;

/** Those of the last kinds. */
export class NamelessRules {
  readonly #libc: Libc;
  /** The one that was used last stands last. */
  readonly #kept = new Map<string, number>();

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /**
   * A descriptor of what was drawn for this kind, else of what is drawn now; it stays this one's. Rules are about the files
   * that were there: where others lie under the names of what is executed (an upgrade) they are another kind.
   */
  of(kind: string, executed: readonly string[], draw: () => number): number {
    const files = executed.map((path) => `${path}\0${identityOf(this.#libc, path)}`);
    const key = [kind, ...files].join("\0");
    const rules = this.#kept.get(key) ?? draw();
    this.#kept.delete(key);
    this.#kept.set(key, rules);
    if (this.#kept.size > MOST_KEPT) this.#forgetFirst();
    return rules;
  }

  #forgetFirst(): void {
    for (const [key, rules] of this.#kept) {
      this.#kept.delete(key);
      close(this.#libc, rules);
      return;
    }
  }

  close(): void {
    for (const rules of this.#kept.values()) close(this.#libc, rules);
    this.#kept.clear();
  }
}

/** Whether a program has nothing of the workspace. */
export function isNameless({ read, readFiles, write, list }: ProgramPaths): boolean {
  return [read, readFiles, write, list].every(({ length }) => length === 0);
}
