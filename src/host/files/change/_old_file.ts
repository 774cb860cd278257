/** The file that a change replaces: opened, locked, and held against what the change expects. */

import { createHash } from "node:crypto";
import type { Expectation } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { changed, exists, refusal, stale } from "../../kernel/refusal.ts";
import { isSameFile, isUnchanged, type Stat } from "../../kernel/stat.ts";
import { type OpenFile, requireFile, type TargetEntry } from "../_target_entry.ts";
import type { Target } from "../file_backend.ts";
import type { FilePrimitives, Handle } from "../primitives.ts";
import { lock } from "./_lock.ts";

/** The name may lead elsewhere by the time the lock is there: looked again so often before that is an error. */
const LOOKS = 1_000;
const BUFFER_BYTES = 64 * 1024;

/**
 * The regular file at `place`, locked, and with the contents that are expected; null where there is none.
 * Throws NOT_A_FILE, FILE_EXISTS, STALE_FILE, NATIVE_DENIED.
 */
export function openExpected(
  files: FilePrimitives,
  entry: TargetEntry,
  expect: Expectation,
): OpenFile | null {
  const { target } = entry;
  const old = openLocked(files, entry, { readable: typeof expect === "object" });
  try {
    if (expect === "nothing" && old !== null) throw exists(target);
    if (typeof expect === "object") {
      if (old === null) throw stale(target, "was removed");
      requireContents(files, target, old.handle, expect.sha256);
    }
    return old;
  } catch (error) {
    if (old !== null) files.close(old.handle);
    throw error;
  }
}

/**
 * As {@linkcode openExpected}, whatever is in it. It is opened for writing: a rename would replace what we may not
 * write, too. `readable`: the new contents come from it, so it has to be the one that the name leads to.
 */
export function openLocked(
  files: FilePrimitives,
  entry: TargetEntry,
  { readable }: { readonly readable: boolean },
): OpenFile | null {
  for (let look = 0; look < LOOKS; look++) {
    const handle = openOld(files, entry, readable);
    if (handle === null) return null;
    try {
      const free = lock(files, handle);
      const stat = files.statOf(handle);
      if (typeof stat === "number") throw refusal(entry.target, stat);
      requireFile(entry.target, stat);
      if (free && !readable || isNamed(files, entry, stat)) return { handle, stat };
    } catch (error) {
      files.close(handle);
      throw error;
    }
    files.close(handle);
  }
  throw changed(entry.target);
}

/** Whether the name still leads to the old file as it was opened. */
export function isStill(
  files: FilePrimitives,
  { parent, name }: TargetEntry,
  old: OpenFile,
): boolean {
  const now = files.statAt(parent, name);
  return typeof now === "object" && isUnchanged(now, old.stat);
}

function isNamed(files: FilePrimitives, { parent, name }: TargetEntry, stat: Stat): boolean {
  const named = files.statAt(parent, name);
  return typeof named === "object" && isSameFile(named, stat);
}

function openOld(
  files: FilePrimitives,
  { target, parent, name }: TargetEntry,
  readable: boolean,
): Handle | null {
  // A look before opening: opening a pipe for writing would wake its reader.
  const before = files.statAt(parent, name);
  if (before === -ERRNO.ENOENT) return null;
  if (typeof before === "number") throw refusal(target, before);
  requireFile(target, before);
  let handle = files.openAt(parent, name, readable ? "update" : "write");
  // A running program cannot be written to, only replaced, and that is what is done here.
  if (handle === -ERRNO.ETXTBSY) handle = files.openAt(parent, name, "read");
  if (handle === -ERRNO.ENOENT) return null;
  if (handle < 0) throw refusal(target, handle);
  return handle;
}

function requireContents(
  files: FilePrimitives,
  target: Target,
  file: Handle,
  expected: string,
): void {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (;;) {
    const count = files.read(file, buffer, buffer.length);
    if (count === -ERRNO.EINTR) continue;
    if (count < 0) throw refusal(target, count);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
  }
  if (hash.digest("hex") !== expected.toLowerCase()) throw stale(target, "has changed");
}
