/** Atomic, durable replacements: a locked temporary file beside the old one, synced, then renamed over it. */

import type { Expectation } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { changed, exists, notAFile, refusal, requirePermission } from "../../kernel/refusal.ts";
import { type OpenFile, type TargetEntry, withNewEntry } from "../_target_entry.ts";
import type { Target } from "../file_backend.ts";
import type { FilePrimitives } from "../primitives.ts";
import { syncContents, syncNames } from "./_durability.ts";
import { isStill, openExpected, openLocked } from "./_old_file.ts";
import { renameNew } from "./_renaming.ts";
import { makeTemporaryFile } from "./_temporary_file.ts";

/** Others may come in between our look and our rename, so often, before we give up. */
const ATTEMPTS = 10;
/** Mode of new files before the umask, of replacements until they get their own (open(2), creat). */
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/** How the new contents come about. */
export interface Recipe {
  readonly createParents: boolean;
  readonly expect: Expectation;
  /** The new contents are made from the old ones, which therefore have to be the same to the last. */
  readonly extends?: boolean;
  /** The new file is private until `fill` has given it its mode, though it replaces none. */
  readonly private?: boolean;
  /**
   * Called with the old file when the new one is on the disk, before it takes the name: what is done there is the last that can
   * fail. Gives what takes it back where the renaming fails.
   */
  readonly keep?: (entry: TargetEntry, old: OpenFile) => () => void;
  /** Called when the new file has its name. */
  readonly done?: (entry: TargetEntry, file: OpenFile) => void;
  /** Fills the empty file, and gives it its attributes. Called again where others came in between. */
  readonly fill: (file: OpenFile, old: OpenFile | null) => void;
}

/** The old contents stay whole under the name until the new ones are safe on disk. Throws as `Files.write`. */
export function replaceFile(
  files: FilePrimitives,
  target: Target,
  recipe: Recipe,
): { readonly created: boolean } {
  requirePermission("write", target);
  if (target.path === "/") throw notAFile(target, "a directory");
  // The room of what was replaced before is this one's.
  files.settle();
  return withNewEntry(files, target, recipe.createParents, (entry) => {
    for (let attempt = 1;; attempt++) {
      const result = replace(files, entry, recipe);
      if (result !== "changed") return { created: result === "created" };
      if (attempt === ATTEMPTS) throw changed(target);
    }
  });
}

function replace(
  files: FilePrimitives,
  entry: TargetEntry,
  recipe: Recipe,
): "created" | "replaced" | "changed" {
  const { target, parent, name } = entry;
  const { expect } = recipe;
  const old = recipe.extends === true
    ? openLocked(files, entry, { readable: true })
    : openExpected(files, entry, expect);
  let hasName = true;
  try {
    const isPrivate = old !== null || recipe.private === true;
    const temporary = makeTemporaryFile(files, parent, isPrivate ? PRIVATE_MODE : NEW_FILE_MODE);
    if (typeof temporary === "number") throw refusal(target, temporary);
    let renamed = false;
    try {
      recipe.fill(temporary, old);
      syncContents(files, target, temporary.handle);
      const isBound = recipe.extends === true || typeof expect === "object";
      if (old !== null && isBound && !isStill(files, entry, old)) return "changed";
      const from = { directory: parent, name: temporary.name };
      const to = { directory: parent, name };
      const takeBack = old === null ? undefined : recipe.keep?.(entry, old);
      const result = old === null ? renameNew(files, from, to) : files.renameOver(from, to);
      if (result < 0) takeBack?.();
      if (result === -ERRNO.EEXIST && old === null) {
        if (expect === "nothing") throw exists(target);
        return "changed";
      }
      if (result === -ERRNO.EISDIR) throw notAFile(target, "a directory");
      if (result < 0) throw refusal(target, result);
      renamed = true;
      hasName = recipe.keep !== undefined;
      recipe.done?.(entry, temporary);
    } finally {
      if (!renamed) files.unlinkAt(parent, temporary.name, "entry");
      files.close(temporary.handle);
    }
    syncNames(files, parent);
    return old === null ? "created" : "replaced";
  } finally {
    if (old !== null && hasName) files.close(old.handle);
    else if (old !== null) files.closeLater(old.handle);
  }
}
