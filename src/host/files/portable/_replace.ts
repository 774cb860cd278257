/** Replacing one file through `Deno.*`: temporary file, sync, rename; by the same names and locks as over descriptors. */

import { createHash } from "node:crypto";
import type { Expectation } from "../../../core/files.ts";
import type { AppendOptions, Target, WriteOptions } from "../file_backend.ts";
import { changed, exists, requirePermission, stale } from "../../kernel/refusal.ts";
import { attempt, isSame, lstat, parentOf, readUpTo, requireFile } from "./_paths.ts";
import { copyContents, keepOwnerAndMode, writeAll } from "./_contents.ts";
import { removeMade, removeQuietly, renameNew, requireParent } from "./_names.ts";
import { makeTemporary } from "./_temporary.ts";

/** Others may come in between our look and our rename, so often, before we give up. */
const ATTEMPTS = 10;
/** By the time a lock is there the name may lead elsewhere, so often. */
const LOOKS = 1_000;
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;
/** As long as ours are ever held for; a foreign program's lock does not mean us. */
const LONGEST_WAIT_MS = 2_000;
const LONGEST_PAUSE_MS = 5;

/** A file that is open, and what it was then. */
export interface Opened {
  readonly file: Deno.FsFile;
  readonly info: Deno.FileInfo;
}

export interface Recipe {
  readonly createParents: boolean;
  readonly expect: Expectation;
  /** The new contents are made from the old ones. */
  readonly extends?: boolean;
  readonly private?: boolean;
  /** `path`: of the temporary file. */
  readonly fill: (file: Deno.FsFile, old: Opened | null, path: string) => void;
}

/** As `Files.write`. */
export function writeFile(
  target: Target,
  bytes: Uint8Array,
  { createParents, expect }: WriteOptions,
): { readonly created: boolean } {
  return replaceFile(target, {
    createParents,
    expect,
    fill(file, old, path) {
      writeAll(file, bytes);
      if (old !== null) keepOwnerAndMode(path, file.statSync(), old.info);
    },
  });
}

/** As `Files.append`. */
export function appendFile(
  target: Target,
  bytes: Uint8Array,
  { createParents, checkpoint }: AppendOptions,
): { readonly created: boolean; readonly size: number } {
  let size = 0;
  const { created } = replaceFile(target, {
    createParents,
    expect: "anything",
    extends: true,
    fill(file, old, path) {
      size = bytes.length + (old === null ? 0 : copyContents(old.file, file, checkpoint));
      writeAll(file, bytes);
      if (old !== null) keepOwnerAndMode(path, file.statSync(), old.info);
    },
  });
  return { created, size };
}

export function replaceFile(target: Target, recipe: Recipe): { readonly created: boolean } {
  requirePermission("write", target);
  const made = requireParent(target, recipe.createParents);
  let done = false;
  try {
    for (let attempts = 1;; attempts++) {
      const result = replace(target, recipe);
      done = result !== "changed";
      if (result !== "changed") return { created: result === "created" };
      if (attempts === ATTEMPTS) throw changed(target);
    }
  } finally {
    if (!done) removeMade(made);
  }
}

function replace(target: Target, recipe: Recipe): "created" | "replaced" | "changed" {
  const old = openExpected(target, recipe.expect, recipe.extends === true);
  try {
    const isPrivate = old !== null || recipe.private === true;
    const temporary = attempt(
      target,
      () => makeTemporary(parentOf(target.path), isPrivate ? PRIVATE_MODE : NEW_FILE_MODE),
    );
    const { file, path } = temporary;
    let renamed = false;
    try {
      attempt(target, () => {
        recipe.fill(file, old, path);
        file.syncSync();
      });
      const isBound = recipe.extends === true || typeof recipe.expect === "object";
      if (old !== null && isBound && !isStill(target, old)) return "changed";
      if (old !== null) attempt(target, () => Deno.renameSync(path, target.path));
      else if (!renameNew(target, path, target.path)) {
        if (recipe.expect === "nothing") throw exists(target);
        return "changed";
      }
      renamed = true;
    } finally {
      if (!renamed) removeQuietly(path);
      file.close();
    }
    return old === null ? "created" : "replaced";
  } finally {
    old?.file.close();
  }
}

/** Whether the path still leads to the file as it was opened. */
export function isStill(target: Target, { info }: Opened): boolean {
  const now = lstat(target);
  return now !== null && isSame(now, info) && now.size === info.size &&
    now.ctime?.getTime() === info.ctime?.getTime();
}

/** The file that is there, locked, and with the contents that are expected; null where there is none. */
export function openExpected(
  target: Target,
  expect: Expectation,
  readable = false,
): Opened | null {
  const isBound = typeof expect === "object";
  const old = openLocked(target, readable || isBound);
  try {
    if (expect === "nothing" && old !== null) throw exists(target);
    if (isBound) {
      if (old === null) throw stale(target, "was removed");
      requireContents(target, old.file, expect.sha256);
    }
    return old;
  } catch (error) {
    old?.file.close();
    throw error;
  }
}

function openLocked(target: Target, readable: boolean): Opened | null {
  for (let look = 0; look < LOOKS; look++) {
    const before = lstat(target);
    if (before === null) return null;
    requireFile(target, before);
    // What may not be written may not be replaced either.
    const file = attempt(
      target,
      () => Deno.openSync(target.path, readable ? { read: true, write: true } : { write: true }),
    );
    try {
      lock(file);
      const info = file.statSync();
      const now = lstat(target);
      if (now !== null && isSame(now, info)) return { file, info };
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
  throw changed(target);
}

function lock(file: Deno.FsFile): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + LONGEST_WAIT_MS;
  while (!tryLock(file) && performance.now() < end) {
    Atomics.wait(pause, 0, 0, Math.random() * LONGEST_PAUSE_MS);
  }
}

/** True also where there are no locks: then nobody holds one. */
export function tryLock(file: Deno.FsFile): boolean {
  try {
    return file.tryLockSync(true);
  } catch {
    return true;
  }
}

function requireContents(target: Target, file: Deno.FsFile, expected: string): void {
  const contents = readUpTo(file, Number.MAX_SAFE_INTEGER);
  const actual = createHash("sha256").update(contents).digest("hex");
  if (actual !== expected.toLowerCase()) throw stale(target, "has changed");
}
