/** Folders for temporary files that one run leaves to the next as it found them. */

import type { CanonicalPath } from "../../core/capability.ts";
import { removeTree } from "./remove_tree.ts";

/** The time by which a folder is known in which nothing was made or removed since: nobody's clock says so. */
const UNTOUCHED = new Date(1_000);

/**
 * Folders of runs that left no trace in them, for the next: making and removing one takes a file system as long as
 * half a start. To be used for programs alone that cannot change modes, times and attributes.
 */
export class KeptFolders {
  readonly #free: CanonicalPath[] = [];

  /** What one run takes of them. */
  ofRun(): RunFolders {
    return new RunFolders(this.#free);
  }
}

/** Those of one run, which no other has before nothing of it is left. */
export class RunFolders {
  readonly #free: CanonicalPath[];
  readonly #given: CanonicalPath[] = [];

  /** `free`: where those lie that anybody can take. */
  constructor(free: CanonicalPath[]) {
    this.#free = free;
  }

  take(): CanonicalPath | null {
    return this.#free.pop() ?? null;
  }

  /** Of one that was just made. */
  mark(folder: string): void {
    Deno.utimeSync(folder, UNTOUCHED, UNTOUCHED);
  }

  /** Its time is over, but what it has started may still be there. */
  give(folder: CanonicalPath): void {
    this.#given.push(folder);
  }

  /** Nothing of the run is left: where nothing is in a folder, nor has ever been, it is kept. */
  settle(): void {
    for (const folder of this.#given.splice(0)) {
      if (isUntouched(folder)) this.#free.push(folder);
      else removeTree(folder);
    }
  }
}

function isUntouched(folder: string): boolean {
  try {
    const { isDirectory, mtime, mode } = Deno.lstatSync(folder);
    return isDirectory && mtime?.getTime() === UNTOUCHED.getTime() &&
      ((mode ?? 0) & 0o7777) === 0o700;
  } catch {
    return false;
  }
}
