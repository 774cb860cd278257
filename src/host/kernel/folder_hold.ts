/**
 * Folders that somebody holds, by flock(2): the kernel lets go of it with the process, however that ends, so that whoever can
 * hold one knows that nobody else does any more. It keeps nobody out who does not ask for it.
 */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { isWrittenByNobody } from "./lease.ts";
import { hasEnded, ProcessTable } from "./process_table.ts";
import { statOf } from "./stat.ts";

/** LOCK_EX | LOCK_NB */
const LOCK_AT_ONCE = 2 | 4;

/** A folder that is held. */
export interface FolderHold {
  /** Writes a small file in it, which is whole or what it was before: false where it cannot be. */
  write(name: string, text: string): boolean;
  /** Removes a file in it, where one is there. */
  remove(name: string): void;
  release(): void;
}

/** Null where another holds it, and where there is no such folder. `path`: absolute, without links. */
export function holdFolder(libc: Libc, path: string): FolderHold | null {
  const { call, numbers } = libc;
  const folder = openWithoutLinks(libc, path, OPEN.RDONLY | numbers.O_DIRECTORY);
  if (folder < 0) return null;
  const release = () => void call(numbers.close, folder);
  if (call(numbers.flock, folder, LOCK_AT_ONCE) < 0) {
    release();
    return null;
  }
  const remove = (name: string) => void call(numbers.unlinkat, folder, libc.path(name), 0);
  return {
    write(name, text) {
      const beside = `${name}.new`;
      // Of one who was killed over it.
      remove(beside);
      if (writeFile(libc, folder, beside, text)) {
        const [from, to] = [libc.path(beside), libc.path(name, 1)];
        if (call(numbers.renameat2, folder, from, folder, to, 0) >= 0) return true;
      }
      remove(beside);
      return false;
    },
    remove,
    release,
  };
}

function writeFile(libc: Libc, folder: number, name: string, text: string): boolean {
  const { call, numbers } = libc;
  const flags = OPEN.WRONLY | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC;
  const file = call(numbers.openat, folder, libc.path(name), flags, 0o600);
  if (file < 0) return false;
  const bytes = new TextEncoder().encode(text);
  const count = libc.transfer(numbers.write, file, bytes, bytes.length);
  call(numbers.close, file);
  return count === bytes.length;
}

/** Whether a regular file of this user's is there that nobody on this machine has open for writing. */
export function isLeftAlone(libc: Libc, path: string): boolean {
  const { call, numbers } = libc;
  // A pipe would be waited for.
  const file = openWithoutLinks(libc, path, OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY);
  if (file < 0) return false;
  const alone = isWrittenByNobody(libc, file);
  call(numbers.close, file);
  return alone;
}

/** Clocks of file systems are as coarse as a tick of the kernel, and times in /proc are so many milliseconds apart. */
const SLACK_MS = 100;
const TICK_MS = 10;
/** proc_pid_comm(5) */
const NAME_LENGTH = 15;

/**
 * Whether a program of that name, or one of its parts (`git-…`), goes on that was there before the file was last changed, and so
 * may have made it; true where nobody can tell. Where it works is not to be seen: /proc shows that of one's own programs alone.
 * `idle`: parts of it that make none.
 */
export function mayBeHeld(
  libc: Libc,
  path: string,
  program: string,
  idle: readonly string[],
): boolean {
  const { call, numbers } = libc;
  const file = openWithoutLinks(libc, path, OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY);
  if (file < 0) return true;
  const stat = statOf(libc, file);
  call(numbers.close, file);
  const table = new ProcessTable(libc);
  const all = table.list();
  if (typeof stat === "number" || all.length === 0) return true;
  const then = table.now() - (Date.now() - stat.changed - SLACK_MS) / TICK_MS;
  const idleNames = new Set(idle.map((part) => `${program}-${part}`.slice(0, NAME_LENGTH)));
  return all.some((id) => {
    const facts = table.facts(id);
    if (facts === null || hasEnded(facts) || facts.began > then) return false;
    const { name, words } = table.command(id);
    if (name !== program) return name.startsWith(`${program}-`) && !idleNames.has(name);
    return !idle.includes(words.split(" ")[1] ?? "");
  });
}
