/** `renameat2(2)` with its flags, and what does instead on file systems that know none of them. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type EntryName, statAt } from "./stat.ts";

/** include/uapi/linux/fs.h */
const RENAME_NOREPLACE = 1;
const RENAME_EXCHANGE = 2;

/** A name in an open directory. */
export interface Name {
  readonly directory: number;
  readonly name: EntryName;
}

/** Renames over what is there. All here answer 0, or an error number with its sign turned. */
export function renameOver(libc: Libc, directory: number, from: EntryName, to: EntryName): number {
  return rename(libc, { directory, name: from }, { directory, name: to }, 0);
}

/** Renames within a directory to a name that must be free: `-EEXIST` where it is not. */
export function renameNew(libc: Libc, directory: number, from: EntryName, to: EntryName): number {
  return moveNew(libc, { directory, name: from }, { directory, name: to });
}

/** As {@linkcode renameNew}, between directories. */
export function moveNew(libc: Libc, from: Name, to: Name): number {
  const result = rename(libc, from, to, RENAME_NOREPLACE);
  if (result !== -ERRNO.EINVAL) return result;
  // Network file systems know no flags. A second name, which cannot be an existing one, and the first removed.
  const { linkat, unlinkat } = libc.numbers;
  const linked = libc.call(
    linkat,
    from.directory,
    libc.path(from.name, 0),
    to.directory,
    libc.path(to.name, 1),
    0,
  );
  if (linked === 0) return libc.call(unlinkat, from.directory, libc.path(from.name), 0);
  if (linked === -ERRNO.EEXIST) return linked;
  // Directories have one name only; and some file systems know no links either: there the last writer wins.
  if (statAt(libc, to.directory, to.name) !== -ERRNO.ENOENT) return -ERRNO.EEXIST;
  return rename(libc, from, to, 0);
}

/** Moves over what is there. */
export function moveOver(libc: Libc, from: Name, to: Name): number {
  return rename(libc, from, to, 0);
}

/**
 * Puts a file in the place of another, which gets the first one's name. `-EINVAL` cannot be told from "not known
 * here": then the old one gets `kept` as a second name before the new one is renamed over it.
 */
export function exchange(
  libc: Libc,
  directory: number,
  from: string,
  to: string,
  kept: string,
): { readonly result: number; readonly old: string } {
  const result = rename(libc, { directory, name: from }, { directory, name: to }, RENAME_EXCHANGE);
  if (result !== -ERRNO.EINVAL) return { result, old: from };
  const linked = libc.call(
    libc.numbers.linkat,
    directory,
    libc.path(to, 0),
    directory,
    libc.path(kept, 1),
    0,
  );
  if (linked < 0) return { result: linked, old: kept };
  return { result: renameOver(libc, directory, from, to), old: kept };
}

function rename(libc: Libc, from: Name, to: Name, flags: number): number {
  return libc.call(
    libc.numbers.renameat2,
    from.directory,
    libc.path(from.name, 0),
    to.directory,
    libc.path(to.name, 1),
    flags,
  );
}
