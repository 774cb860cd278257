/** What is at a path now, as a text that differs when anything of it has changed: what approvals are bound to. */

import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";

/** Bytes of one file, and of one tree, whose contents are hashed; of what is beyond, size and times must do. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Entries of a tree that are looked at. */
const MOST_ENTRIES = 20_000;
const CHUNK = 1024 * 1024;

/** Entries that are looked at before others have their turn: a few milliseconds. */
const ENTRIES_A_TURN = 500;

/**
 * With the deepest folder above it that is there; `tree`: with all that lies below. What may not be looked at is its own
 * state. Others have their turn while it goes on. Never throws.
 */
export async function fileState(path: CanonicalPath, tree: boolean): Promise<string> {
  const hash = createHash("sha256");
  const room = { bytes: MOST_BYTES, entries: MOST_ENTRIES };
  hash.update(JSON.stringify(folderAbove(path)));
  const pending: string[] = [path];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    hash.update(JSON.stringify([at.slice(path.length), await entryState(at, room)]));
    if (room.entries % ENTRIES_A_TURN === 0) await nextTurn();
    if (!tree || room.entries <= 0) continue;
    pending.push(...namesIn(at).map((name) => `${at}/${name}`));
  }
  return hash.digest("hex");
}

interface Room {
  bytes: number;
  entries: number;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function folderAbove(path: string): readonly unknown[] {
  for (let at = path, depth = 1; at !== "/"; depth++) {
    at = at.slice(0, at.lastIndexOf("/")) || "/";
    try {
      const { isDirectory, dev, ino } = Deno.lstatSync(at);
      if (isDirectory) return [depth, dev, ino];
    } catch {
      // Not there, or out of sight: the next one above says where it would be.
    }
  }
  return [];
}

async function entryState(path: string, room: Room): Promise<readonly unknown[]> {
  room.entries--;
  try {
    const { isFile, isSymlink, dev, ino, mode, size, mtime, uid, gid } = Deno.lstatSync(path);
    const state = [isFile, dev, ino, mode, uid, gid];
    if (isSymlink) return [...state, Deno.readLinkSync(path)];
    if (!isFile) return state;
    const whole = size <= room.bytes;
    return [...state, size, whole ? await contents(path, room) : mtime?.getTime()];
  } catch (error) {
    return [error instanceof Deno.errors.NotFound ? "nothing" : "out of sight"];
  }
}

async function contents(path: string, room: Room): Promise<string> {
  const file = Deno.openSync(path);
  try {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(CHUNK);
    for (let count = file.readSync(buffer); count !== null; count = file.readSync(buffer)) {
      hash.update(buffer.subarray(0, count));
      room.bytes -= count;
      if (count === CHUNK) await nextTurn();
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
