/** The open directories from the top of a tree down to where one is, few descriptors at a time. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { isSameFile, type Stat, statOf } from "./stat.ts";

/** Of the directories nearest to where one is; those above are opened again on the way back. */
const OPEN_AT_ONCE = 32;

/** How directories below others are opened: never through a link, never held up. */
export function openDirectoryAt(libc: Libc, directory: number, name: string | Uint8Array): number {
  const { openat, O_DIRECTORY, O_NOFOLLOW } = libc.numbers;
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.CLOEXEC | O_DIRECTORY | O_NOFOLLOW;
  return libc.call(openat, directory, libc.path(name), flags);
}

/**
 * A directory is left upwards through its own `..`, and what that leads to is taken only if it is the directory
 * that one came from: who moves directories about in the meantime stops the walk, and leads it nowhere.
 */
export class DescriptorStack {
  readonly #libc: Libc;
  readonly #levels: { descriptor: number | null; readonly stat: Stat }[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  get depth(): number {
    return this.#levels.length;
  }

  /** The directory where one is. */
  get top(): number {
    const descriptor = this.#levels.at(-1)?.descriptor;
    if (descriptor === undefined || descriptor === null) {
      throw new TypeError("no directory is open");
    }
    return descriptor;
  }

  /** What the directory was when it was entered. */
  get stat(): Stat {
    const level = this.#levels.at(-1);
    if (level === undefined) throw new TypeError("no directory is open");
    return level.stat;
  }

  /** Goes down into an open directory, which is the stack's from now on. 0, or an error number with its sign turned. */
  push(descriptor: number): number {
    const stat = statOf(this.#libc, descriptor);
    if (typeof stat === "number") {
      this.#close(descriptor);
      return stat;
    }
    this.#levels.push({ descriptor, stat });
    const far = this.#levels.at(-1 - OPEN_AT_ONCE);
    if (far !== undefined && far.descriptor !== null) {
      this.#close(far.descriptor);
      far.descriptor = null;
    }
    return 0;
  }

  /** Goes back up. 0, or `-ESTALE` where the directory above is no longer the one it was. */
  pop(): number {
    const left = this.#levels.pop();
    if (left === undefined || left.descriptor === null) throw new TypeError("nothing to leave");
    const above = this.#levels.at(-1);
    let result = 0;
    if (above !== undefined && above.descriptor === null) {
      const descriptor = openDirectoryAt(this.#libc, left.descriptor, "..");
      const stat = descriptor < 0 ? descriptor : statOf(this.#libc, descriptor);
      if (typeof stat === "object" && isSameFile(stat, above.stat)) above.descriptor = descriptor;
      else {
        if (descriptor >= 0) this.#close(descriptor);
        result = -ERRNO.ESTALE;
      }
    }
    this.#close(left.descriptor);
    return result;
  }

  /** Closes whatever is open. */
  clear(): void {
    for (const { descriptor } of this.#levels.splice(0)) {
      if (descriptor !== null) this.#close(descriptor);
    }
  }

  #close(descriptor: number): void {
    this.#libc.call(this.#libc.numbers.close, descriptor);
  }
}
