/** Which backup was the newest of each file that this thread has backed up: the next need not look for it among all. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { backupName } from "../_backup_names.ts";
import type { TargetEntry } from "../_target_entry.ts";
import type { ReadPrimitives } from "../primitives.ts";

/** Files that are remembered; the others' backups are looked for. */
const MOST = 1_000;

/** What this thread has made last, by the paths of files. */
export class LastBackups {
  readonly #numbers = new Map<CanonicalPath, number>();

  /** The number of the newest; null where it is not known, or is gone. */
  numberOf(files: ReadPrimitives, { target, parent, name }: TargetEntry): number | null {
    const number = this.#numbers.get(target.path);
    if (number === undefined) return null;
    return typeof files.statAt(parent, backupName(name, number)) === "object" ? number : null;
  }

  /** It has this number now. */
  note({ path }: TargetEntry["target"], number: number): void {
    this.#numbers.delete(path);
    this.#numbers.set(path, number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > MOST && oldest !== undefined) this.#numbers.delete(oldest);
  }
}
