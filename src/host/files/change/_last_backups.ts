/**
 * What this thread left last of each file that it has backed up: the number of the newest backup, which need not be looked
 * for among all, and the file itself where it is on the disk, and need not be brought there before it becomes a backup.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { isUnchanged, type Stat } from "../../kernel/stat.ts";
import { backupName } from "../_backup_names.ts";
import type { TargetEntry } from "../_target_entry.ts";
import type { ReadPrimitives } from "../primitives.ts";

/** Files that are remembered; the others' backups are looked for. */
const MOST = 1_000;

interface Left {
  readonly number: number;
  /** The file as it was written and synced here; null where it was not. */
  readonly synced: Stat | null;
}

/** What this thread has made last, by the paths of files. */
export class LastBackups {
  readonly #left = new Map<CanonicalPath, Left>();

  /** The number of the newest; null where it is not known, or is gone. */
  numberOf(files: ReadPrimitives, { target, parent, name }: TargetEntry): number | null {
    const number = this.#left.get(target.path)?.number;
    if (number === undefined) return null;
    return typeof files.statAt(parent, backupName(name, number)) === "object" ? number : null;
  }

  /** Whether the file is what was written here, and nothing was done to it since: its times of change are the kernel's. */
  isSynced({ path }: TargetEntry["target"], stat: Stat): boolean {
    const synced = this.#left.get(path)?.synced ?? null;
    return synced !== null && isUnchanged(synced, stat);
  }

  /** The newest has this number now. */
  note({ path }: TargetEntry["target"], number: number, synced: Stat | null = null): void {
    this.#left.delete(path);
    this.#left.set(path, { number, synced });
    const [oldest] = this.#left.keys();
    if (this.#left.size > MOST && oldest !== undefined) this.#left.delete(oldest);
  }
}
