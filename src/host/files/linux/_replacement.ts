/** Atomic, durable replacements: a locked temporary file beside the old one, synced, then renamed over it. */

import type { Expectation } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import type { Target } from "../file_backend.ts";
import type { Described } from "./_attributes.ts";
import { type OldFile, openExpected, openLocked, type Place } from "./_old_file.ts";
import { openParent, removeMade } from "./parent_directory.ts";
import { changed, exists, notAFile, refusal, requirePermission } from "../../kernel/refusal.ts";
import { renameNew, renameOver } from "../../kernel/rename.ts";
import { isUnchanged, statAt } from "../../kernel/stat.ts";
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
  /** Fills the empty file, and gives it its attributes. Called again where others came in between. */
  readonly fill: (file: Described, old: OldFile | null) => void;
}

/** The old contents stay whole under the name until the new ones are safe on disk. Throws as `Files.write`. */
export function replaceFile(
  libc: Libc,
  target: Target,
  recipe: Recipe,
): { readonly created: boolean } {
  requirePermission("write", target);
  const name = target.path.slice(target.path.lastIndexOf("/") + 1);
  if (name === "") throw notAFile(target, "a directory");
  const { descriptor: parent, made } = openParent(libc, target, recipe.createParents);
  let done = false;
  try {
    for (let attempt = 1;; attempt++) {
      const result = replace(libc, { target, parent, name }, recipe);
      done = result !== "changed";
      if (result !== "changed") return { created: result === "created" };
      if (attempt === ATTEMPTS) throw changed(target);
    }
  } finally {
    libc.call(libc.numbers.close, parent);
    if (!done) removeMade(libc, made);
  }
}

function replace(
  libc: Libc,
  place: Place,
  recipe: Recipe,
): "created" | "replaced" | "changed" {
  const { numbers } = libc;
  const { target, parent, name } = place;
  const { expect } = recipe;
  const old = recipe.extends === true
    ? openLocked(libc, place, { readable: true })
    : openExpected(libc, place, expect);
  try {
    const isPrivate = old !== null || recipe.private === true;
    const temporary = makeTemporaryFile(libc, parent, isPrivate ? PRIVATE_MODE : NEW_FILE_MODE);
    if (typeof temporary === "number") throw refusal(target, temporary);
    let renamed = false;
    try {
      recipe.fill(temporary, old);
      const synced = libc.call(numbers.fsync, temporary.descriptor);
      if (synced < 0) throw refusal(target, synced);
      const isBound = recipe.extends === true || typeof expect === "object";
      if (old !== null && isBound && !isStill(libc, place, old)) return "changed";
      const result = old === null
        ? renameNew(libc, parent, temporary.name, name)
        : renameOver(libc, parent, temporary.name, name);
      if (result === -ERRNO.EEXIST && old === null) {
        if (expect === "nothing") throw exists(target);
        return "changed";
      }
      if (result === -ERRNO.EISDIR) throw notAFile(target, "a directory");
      if (result < 0) throw refusal(target, result);
      renamed = true;
    } finally {
      if (!renamed) libc.call(numbers.unlinkat, parent, libc.path(temporary.name), 0);
      libc.call(numbers.close, temporary.descriptor);
    }
    // The name itself is safe only now. Some file systems cannot sync directories (EINVAL): theirs is the last word.
    libc.call(numbers.fsync, parent);
    return old === null ? "created" : "replaced";
  } finally {
    if (old !== null) libc.call(numbers.close, old.descriptor);
  }
}

/** Whether the name still leads to the old file as it was opened. */
export function isStill(libc: Libc, { parent, name }: Place, old: OldFile): boolean {
  const now = statAt(libc, parent, name);
  return typeof now === "object" && isUnchanged(now, old.stat);
}
