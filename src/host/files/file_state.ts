/** What is at a path now, as a text that differs when anything of it has changed: what approvals are bound to. */

import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";

/** Bytes of one file, and of one tree, whose contents are hashed; of what is beyond, size and times must do. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Entries of a tree that are looked at. */
const MOST_ENTRIES = 20_000;
const CHUNK = 1024 * 1024;

/** `tree`: with all that lies below. What may not be looked at is its own state. Never throws. */
export function fileState(path: CanonicalPath, tree: boolean): string {
  const hash = createHash("sha256");
  const room = { bytes: MOST_BYTES, entries: MOST_ENTRIES };
  const pending: string[] = [path];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    hash.update(JSON.stringify([at.slice(path.length), entryState(at, room)]));
    if (!tree || room.entries <= 0) continue;
    pending.push(...namesIn(at).map((name) => `${at}/${name}`));
  }
  return hash.digest("hex");
}

interface Room {
  bytes: number;
  entries: number;
}

function entryState(path: string, room: Room): readonly unknown[] {
  room.entries--;
  try {
    const { isFile, isSymlink, dev, ino, mode, size, mtime, uid, gid } = Deno.lstatSync(path);
    const state = [isFile, dev, ino, mode, uid, gid];
    if (isSymlink) return [...state, Deno.readLinkSync(path)];
    if (!isFile) return state;
    return [...state, size, size <= room.bytes ? contents(path, room) : mtime?.getTime()];
  } catch (error) {
    return [error instanceof Deno.errors.NotFound ? "nothing" : "out of sight"];
  }
}

function contents(path: string, room: Room): string {
  const file = Deno.openSync(path);
  try {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(CHUNK);
    for (let count = file.readSync(buffer); count !== null; count = file.readSync(buffer)) {
      hash.update(buffer.subarray(0, count));
      room.bytes -= count;
      if (room.bytes <= 0) break;
    }
    return hash.digest("hex");
  } finally {
    file.close();
  }
}

function namesIn(path: string): readonly string[] {
  try {
    if (!Deno.lstatSync(path).isDirectory) return [];
    return [...Deno.readDirSync(path)].map(({ name }) => name).sort().reverse();
  } catch {
    return [];
  }
}
