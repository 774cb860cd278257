/** Folders for temporary files that one run leaves to the next as it found them. */

import type { CanonicalPath } from "../../core/capability.ts";

/** The time by which a folder is known in which nothing was made or removed since: nobody's clock says so. */
const UNTOUCHED = new Date(1_000);

/**
 * Folders of runs that left no trace in them, for the next: making and removing one takes a file system as long as
 * half a start. To be used for programs alone that cannot change modes, times and attributes.
 */
export class KeptFolders {
  readonly #free: CanonicalPath[] = [];

  take(): CanonicalPath | null {
    return this.#free.pop() ?? null;
  }

  /** Of one that was just made. */
  mark(folder: string): void {
    Deno.utimeSync(folder, UNTOUCHED, UNTOUCHED);
  }

  /** Whether it is kept: nothing is in it, nor has ever been. */
  give(folder: CanonicalPath): boolean {
    const untouched = isUntouched(folder);
    if (untouched) this.#free.push(folder);
    return untouched;
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
