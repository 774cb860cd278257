/** Renaming as the primitives have it, and what does instead where they cannot. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { CANNOT, type FilePrimitives, type Handle, type Name, type Result } from "../primitives.ts";

/** Renames to a name that must be free, in the same or in another directory: `-EEXIST` where it is not. */
export function renameNew(files: FilePrimitives, from: Name, to: Name): Result {
  const result = files.renameNew(from, to);
  if (result !== CANNOT) return result;
  // A second name, which cannot be an existing one, and the first removed.
  const linked = files.linkAt(from, to);
  if (linked === 0) return files.unlinkAt(from.directory, from.name, "entry");
  if (linked === -ERRNO.EEXIST) return linked;
  // Directories have one name only, and some file systems know no links either: there the last writer wins.
  if (files.statAt(to.directory, to.name) !== -ERRNO.ENOENT) return -ERRNO.EEXIST;
  return files.renameOver(from, to);
}

/**
 * Puts a file in the place of another, which gets the first one's name. Where that cannot be done at one moment the
 * old one gets `kept` as a second name before the new one is renamed over it. `old`: the name that the old one has then.
 */
export function exchange(
  files: FilePrimitives,
  directory: Handle,
  { from, to, kept }: { readonly from: string; readonly to: string; readonly kept: string },
): { readonly result: Result; readonly old: string } {
  const source = { directory, name: from };
  const destination = { directory, name: to };
  const result = files.exchange(source, destination);
  if (result !== CANNOT) return { result, old: from };
  const linked = files.linkAt(destination, { directory, name: kept });
  if (linked < 0) return { result: linked, old: kept };
  return { result: files.renameOver(source, destination), old: kept };
}
