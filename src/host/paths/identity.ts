/** What lies at a path, as a text that changes with whatever is done to it: what was agreed to is compared by it. */

import { parentOf } from "../../core/path_text.ts";
import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { statOf } from "../kernel/stat.ts";

/** Tells what lies at paths. On a thread that is held it sees no less than elsewhere: contents are not read. */
export interface IdentityProbe {
  /**
   * Of the path itself and of the deepest folder above it that is there. A file changes with its content, its mode and
   * its owner (its ctime, which no program can set: inode(7)); a folder by becoming another one.
   */
  identityOf(path: CanonicalPath): string;
  /**
   * Of all that lies below, names included, in steps of some hundred entries; those beyond {@linkcode MOST_ENTRIES} are not
   * looked at.
   */
  treeIdentityOf(path: CanonicalPath): Generator<void, string, void>;
}

/** Entries of one tree that are looked at: some 5 µs each. */
export const MOST_ENTRIES = 20_000;
const ENTRIES_A_STEP = 200;

/** `libc` null: by the runtime, as far as its permissions go. Two probes agree where both have one, or neither. */
export function createIdentityProbe(libc: Libc | null): IdentityProbe {
  const look = libc === null ? lookByRuntime : (path: string) => lookByKernel(libc, path);
  return {
    identityOf(path) {
      const own = look(path).state;
      for (
        let folder = folderAbove(path), depth = 1;
        folder !== null;
        folder = folderAbove(folder)
      ) {
        const { folderState } = look(folder);
        if (folderState !== null) return `${own} in ${depth} ${folderState}`;
        depth++;
      }
      return own;
    },
    *treeIdentityOf(path) {
      const hash = createHash("sha256");
      const pending: string[] = [path];
      for (let left = MOST_ENTRIES; left > 0; left--) {
        const at = pending.pop();
        if (at === undefined) break;
        const { state, folderState } = look(at);
        hash.update(JSON.stringify([at.slice(path.length), state]));
        if (folderState !== null) {
          for (const name of namesIn(at)) pending.push(`${at}/${name}`);
        }
        if (left % ENTRIES_A_STEP === 0) yield;
      }
      return hash.digest("hex");
    },
  };
}

interface ObservedState {
  readonly state: string;
  /** Of a folder; null for all else. */
  readonly folderState: string | null;
}

function lookByKernel(libc: Libc, path: string): ObservedState {
  const descriptor = openWithoutLinks(libc, path, OPEN.PATH);
  if (descriptor < 0) return { state: `error ${descriptor}`, folderState: null };
  try {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number") return { state: `error ${stat}`, folderState: null };
    const { type, device, inode, mode, user, group, size, changed } = stat;
    const which = `${device}:${inode}`;
    if (type === "directory") {
      return { state: `${type} ${which} ${mode} ${user}:${group}`, folderState: which };
    }
    return {
      state: `${type} ${which} ${mode} ${user}:${group} ${size} ${changed}`,
      folderState: null,
    };
  } finally {
    libc.call(libc.numbers.close, descriptor);
  }
}

function lookByRuntime(path: string): ObservedState {
  try {
    const { isDirectory, dev, ino, mode, uid, gid, size, ctime } = Deno.lstatSync(path);
    const which = `${dev}:${ino}`;
    const state = `${which} ${mode} ${uid}:${gid}`;
    if (isDirectory) return { state, folderState: which };
    return { state: `${state} ${size} ${ctime?.getTime()}`, folderState: null };
  } catch (error) {
    const name = error instanceof Error ? error.name : "error";
    return { state: name, folderState: null };
  }
}

function folderAbove(path: string): string | null {
  return path === "/" ? null : parentOf(path);
}

/** In reverse, for a stack. */
function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort().reverse();
  } catch {
    return [];
  }
}
