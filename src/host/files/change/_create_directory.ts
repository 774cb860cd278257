/** Making a directory, and those that it is to lie in. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { inTheWay, refusal, requirePermission } from "../../kernel/refusal.ts";
import { requireEntry, withNewEntry } from "../_target_entry.ts";
import type { Target } from "../file_backend.ts";
import { NEW_DIRECTORY_MODE } from "../parent_directory.ts";
import type { FilePrimitives } from "../primitives.ts";
import { syncNames } from "./_durability.ts";

/** As `Files.createDirectory`. */
export function createDirectory(
  files: FilePrimitives,
  target: Target,
  { parents }: { readonly parents: boolean },
): { readonly created: boolean } {
  requirePermission("write", target);
  return withNewEntry(files, target, parents, (entry) => {
    const { parent, name } = entry;
    const result = files.makeDirectoryAt(parent, name, NEW_DIRECTORY_MODE);
    if (result === 0) {
      syncNames(files, parent);
      return { created: true };
    }
    if (result !== -ERRNO.EEXIST) throw refusal(target, result);
    const { type } = requireEntry(files, entry);
    if (type !== "directory") throw inTheWay(target, type);
    return { created: false };
  });
}
