/**
 * What engines of one process have in common where they start programs: each must know those of the others, whose
 * processes it would else end as nobody's.
 */

import { newToken } from "../../host/kernel/run_marks.ts";
import { removeTree } from "../../host/run/remove_tree.ts";
import { JobNumbers } from "../job_numbers.ts";
import { type OpenWatch, WatchSharing } from "./shared_watch.ts";

/** One for all engines of a process that are there at a time. */
export class ProgramSharing {
  /** See `ProgramEnvironment`. */
  readonly marker = crypto.randomUUID();
  readonly token = newToken();
  readonly numbers = new JobNumbers();
  #watching: WatchSharing | null = null;
  #root: string | null = null;
  readonly #folders = new Set<string>();

  /** The folder that holds all others; null where there is none. */
  get root(): string | null {
    return this.#root;
  }

  /** The one watch; `open` makes it where there is none yet. */
  watching(open: OpenWatch): WatchSharing {
    return this.#watching ??= new WatchSharing(open);
  }

  /**
   * A folder for temporary files: whoever outlives this process removes the first, with all others in it. Null where there
   * is no place (a read-only root without TMPDIR): programs then have none, as without it.
   */
  takeTemporary(): string | null {
    try {
      const folder = Deno.realPathSync(
        Deno.makeTempDirSync({
          prefix: "toolgate-",
          ...(this.#root === null ? {} : { dir: this.#root }),
        }),
      );
      this.#root ??= folder;
      this.#folders.add(folder);
      return folder;
    } catch {
      return null;
    }
  }

  /** The first goes with the last that is in use. */
  leaveTemporary(folder: string): void {
    this.#folders.delete(folder);
    if (folder !== this.#root) removeTree(folder);
    if (this.#folders.size > 0 || this.#root === null) return;
    removeTree(this.#root);
    this.#root = null;
  }
}
