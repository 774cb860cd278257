/** What the kernel's own rules let a program read, by the folders that they give to it whole. */

import { parentOf } from "../../core/path_text.ts";

/** Folders that are remembered. */
const MOST_KEPT = 4096;

/** Of one program. Many names of few folders are asked about, so what was found of a folder is kept. */
export class CoveredFolders {
  readonly #paths: Set<string>;
  readonly #kept = new Map<string, boolean>();

  constructor(paths: Iterable<string>) {
    this.#paths = new Set(paths);
  }

  /** Whether there is a rule for this very path. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /**
   * Whether it may read all that lies in the folder of a path. A rule for a file alone is one for what it was then: somebody
   * may have put another in its place.
   */
  holds(path: string): boolean {
    const folder = parentOf(path);
    const known = this.#kept.get(folder);
    if (known !== undefined) return known;
    const found = this.#isWithin(folder);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(folder, found);
    return found;
  }

  #isWithin(folder: string): boolean {
    for (let at = folder; at !== "/"; at = parentOf(at)) {
      const known = this.#kept.get(at);
      if (known !== undefined) return known;
      if (this.#paths.has(at)) return true;
    }
    return false;
  }

  /** What lies at a path is no longer what the rules were drawn for. */
  remove(path: string): void {
    if (this.#paths.delete(path)) this.#kept.clear();
  }
}
