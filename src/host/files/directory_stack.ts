/** The open directories from the top of a tree down to where one is, few of them open at a time. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { isSameFile, type Stat } from "../kernel/stat.ts";
import type { Handle, ReadPrimitives, Result } from "./primitives.ts";

/** Of the directories nearest to where one is; those above are opened again on the way back. */
const OPEN_AT_ONCE = 32;

/** The primitives that this takes. */
export type StackPrimitives = Pick<ReadPrimitives, "openAt" | "statOf" | "close">;

/**
 * A directory is left upwards through its own `..`, and what that leads to is taken only if it is the directory
 * that one came from: who moves directories about in the meantime stops the walk, and leads it nowhere.
 */
export class DirectoryStack {
  readonly #files: StackPrimitives;
  readonly #levels: { handle: Handle | null; readonly stat: Stat }[] = [];

  constructor(files: StackPrimitives) {
    this.#files = files;
  }

  get depth(): number {
    return this.#levels.length;
  }

  /** The directory where one is. */
  get top(): Handle {
    const handle = this.#levels.at(-1)?.handle;
    if (handle === undefined || handle === null) throw new TypeError("no directory is open");
    return handle;
  }

  /** What the directory was when it was entered. */
  get stat(): Stat {
    const level = this.#levels.at(-1);
    if (level === undefined) throw new TypeError("no directory is open");
    return level.stat;
  }

  /** Goes down into an open directory, which is the stack's from now on. */
  push(handle: Handle): Result {
    const stat = this.#files.statOf(handle);
    if (typeof stat === "number") {
      this.#files.close(handle);
      return stat;
    }
    this.#levels.push({ handle, stat });
    const far = this.#levels.at(-1 - OPEN_AT_ONCE);
    if (far !== undefined && far.handle !== null) {
      this.#files.close(far.handle);
      far.handle = null;
    }
    return 0;
  }

  /** Goes back up. 0, or `-ESTALE` where the directory above is no longer the one it was. */
  pop(): Result {
    const left = this.#levels.pop();
    if (left === undefined || left.handle === null) throw new TypeError("nothing to leave");
    const above = this.#levels.at(-1);
    let result = 0;
    if (above !== undefined && above.handle === null) {
      const handle = this.#files.openAt(left.handle, "..", "directory");
      const stat = handle < 0 ? handle : this.#files.statOf(handle);
      if (typeof stat === "object" && isSameFile(stat, above.stat)) above.handle = handle;
      else {
        if (handle >= 0) this.#files.close(handle);
        result = -ERRNO.ESTALE;
      }
    }
    this.#files.close(left.handle);
    return result;
  }

  /** Closes whatever is open. */
  clear(): void {
    for (const { handle } of this.#levels.splice(0)) {
      if (handle !== null) this.#files.close(handle);
    }
  }
}
