/**
 * Files without a name, for programs that are made while whoever runs them is running already. The kernel's rules hold for
 * files that were there when they were drawn; so some are made beforehand and put under the rules, and what is to be
 * executed becomes one of them.
 */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "../kernel/pipes.ts";
import type { Stat } from "../kernel/stat.ts";

/** __O_TMPFILE (include/uapi/asm-generic/fcntl.h); it wants O_DIRECTORY beside it. */
const TEMPORARY = 0o20000000;
const OWNER_ONLY = 0o600;

/** Some such files, which whoever uses them holds: the last to let go closes them. */
export class SpareFiles {
  readonly #libc: Libc;
  readonly #free: number[];
  readonly #count: number;
  readonly #made = new Set<string>();
  #holders = 0;

  private constructor(libc: Libc, free: number[]) {
    this.#libc = libc;
    this.#free = free;
    this.#count = free.length;
  }

  /** On the file system of a folder; null where that has none. */
  static open(libc: Libc, folder: string, count: number): SpareFiles | null {
    const { call, numbers } = libc;
    const flags = TEMPORARY | numbers.O_DIRECTORY | OPEN.RDWR | OPEN.CLOEXEC;
    // Whoever makes them ahead is held by nothing yet.
    const within = openWithoutLinks(libc, folder, OPEN.PATH | numbers.O_DIRECTORY);
    if (within < 0) return null;
    const free: number[] = [];
    while (free.length < count) {
      const opened = call(numbers.openat, within, libc.path("."), flags, OWNER_ONLY);
      if (opened < 0) break;
      free.push(opened);
    }
    close(libc, within);
    return free.length === 0 ? null : new SpareFiles(libc, free);
  }

  /** Those that nothing has become yet. */
  get free(): readonly number[] {
    return this.#free;
  }

  /** Whether all are there, and nobody but one holds them: no program that may execute them runs any more. */
  get isUntouched(): boolean {
    return this.#holders === 1 && this.#free.length === this.#count;
  }

  /** Whether something has become one of them: whoever else is held by the same rules could execute it too. */
  get isUsed(): boolean {
    return this.#made.size > 0;
  }

  /** One of them, which belongs to whoever takes it; null where none is left. */
  take(): number | null {
    return this.#free.pop() ?? null;
  }

  /** Told what a file has become, once it has a name. */
  became(stat: Pick<Stat, "device" | "inode">): void {
    this.#made.add(keyOf(stat));
  }

  has(stat: Pick<Stat, "device" | "inode">): boolean {
    return this.#made.has(keyOf(stat));
  }

  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (--this.#holders > 0) return;
    for (const descriptor of this.#free.splice(0)) close(this.#libc, descriptor);
  }
}

function keyOf({ device, inode }: Pick<Stat, "device" | "inode">): string {
  return `${device} ${inode}`;
}
