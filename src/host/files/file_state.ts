/** What is at a path now, as a text that differs when anything of it has changed: what approvals are bound to. */

import { parentOf } from "../../core/path_text.ts";
import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";

/** Bytes of a file whose contents are hashed; of a longer one size and times must do. */
const MOST_BYTES = 32 * 1024 * 1024;
const CHUNK = 1024 * 1024;

/** With the deepest folder above it that is there. What may not be looked at is its own state. Never throws. */
export async function fileState(path: CanonicalPath): Promise<string> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([folderAbove(path), await entryState(path)]));
  return hash.digest("hex");
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function folderAbove(path: string): readonly unknown[] {
  for (let at = path, depth = 1; at !== "/"; depth++) {
    at = parentOf(at);
    try {
      const { isDirectory, dev, ino } = Deno.lstatSync(at);
      if (isDirectory) return [depth, dev, ino];
    } catch {
      // Not there, or out of sight: the next one above says where it would be.
    }
  }
  return [];
}

async function entryState(path: string): Promise<readonly unknown[]> {
  try {
    const { isFile, isSymlink, dev, ino, mode, size, mtime, uid, gid } = Deno.lstatSync(path);
    const state = [isFile, dev, ino, mode, uid, gid];
    if (isSymlink) return [...state, Deno.readLinkSync(path)];
    if (!isFile) return state;
    return [...state, size, size <= MOST_BYTES ? await contents(path, size) : mtime?.getTime()];
  } catch (error) {
    return [error instanceof Deno.errors.NotFound ? "nothing" : "out of sight"];
  }
}

async function contents(path: string, size: number): Promise<string> {
  const file = Deno.openSync(path);
  try {
    const hash = createHash("sha256");
    // As much as it is thought to be, and a byte that tells whether there is more.
    const buffer = new Uint8Array(Math.min(CHUNK, size + 1));
    let left = MOST_BYTES;
    for (let count = file.readSync(buffer); count !== null; count = file.readSync(buffer)) {
      hash.update(buffer.subarray(0, count));
      left -= count;
      if (count === CHUNK) await nextTurn();
      // It grows meanwhile.
      if (left <= 0) break;
    }
    return hash.digest("hex");
  } finally {
    file.close();
  }
}
