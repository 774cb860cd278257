/**
 * Folders that somebody holds, by flock(2): the kernel lets go of it with the process, however that ends, so that whoever can
 * hold one knows that nobody else does any more. It keeps nobody out who does not ask for it.
 */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { isWrittenByNobody } from "./lease.ts";

/** LOCK_EX | LOCK_NB */
const LOCK_AT_ONCE = 2 | 4;

/** What lets go of it; null where another holds it, and where there is no such folder. `path`: absolute, without links. */
export function holdFolder(libc: Libc, path: string): (() => void) | null {
  const { call, numbers } = libc;
  const folder = openWithoutLinks(libc, path, OPEN.RDONLY | numbers.O_DIRECTORY);
  if (folder < 0) return null;
  const close = () => void call(numbers.close, folder);
  if (call(numbers.flock, folder, LOCK_AT_ONCE) >= 0) return close;
  close();
  return null;
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
