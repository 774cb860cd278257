/** Walking a directory tree by handles: each directory is opened from its parent's, never by its path. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { WalkEntry } from "../../../core/files.ts";
import { shownName } from "../../../core/name_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { DirectoryEntry } from "../../kernel/directory_entries.ts";
import { refusal, requirePermission } from "../../kernel/refusal.ts";
import type { Admits, Target, WalkOptions } from "../file_backend.ts";
import type { Handle, ReadPrimitives, Result } from "../primitives.ts";

/** An open directory whose entries are being given out. */
interface Frame {
  readonly directory: Handle;
  readonly path: CanonicalPath;
  readonly depth: number;
  readonly entries: readonly DirectoryEntry[];
  readonly admits: Admits | null;
  next: number;
}

/**
 * Entries in the order of their names' code units, each directory before what lies in it. Links are given,
 * never followed. Entries whose names are no UTF-8 have type "other" and escapes (`\xff`) in their names: no
 * request can name them. A directory that vanished, turned into something else or may not be read is given
 * without its entries. Throws for the first directory alone: FILE_NOT_FOUND, NOT_A_DIRECTORY, NATIVE_DENIED.
 */
export function* walkDirectory(
  files: ReadPrimitives,
  target: Target,
  options: WalkOptions,
): Generator<WalkEntry, void, void> {
  const stack: Frame[] = [];
  const push = (directory: Handle | Result, path: CanonicalPath, depth: number): Result => {
    if (directory < 0) return directory;
    const entries = files.list(directory);
    if (typeof entries === "number") {
      files.close(directory);
      return entries;
    }
    stack.push({ directory, path, depth, entries, admits: options.admit(path), next: 0 });
    return 0;
  };

  requirePermission("read", target);
  const opened = push(files.openPath(target.path, "directory"), target.path, 1);
  if (opened === -ERRNO.ENOTDIR) {
    throw new ToolError("NOT_A_DIRECTORY", `"${target.shown}" is not a directory`);
  }
  if (opened < 0) throw refusal(target, opened);
  try {
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const entry = frame.entries[frame.next++];
      if (entry === undefined) {
        stack.pop();
        files.close(frame.directory);
        continue;
      }
      const path = `${frame.path === "/" ? "" : frame.path}/${entry.name}` as CanonicalPath;
      const described = describe(files, frame.directory, entry, options.sizes);
      if (described === null) continue;
      const kind = described.type === "directory" ? "directory" : "file";
      if (frame.admits !== null && !frame.admits(path, kind)) continue;
      const given: WalkEntry = {
        name: entry.escaped ? shownName(entry.name) : entry.name,
        path: entry.escaped ? shownName(options.show(path)) : options.show(path),
        depth: frame.depth,
        ...described,
      };
      yield given;
      if (described.type !== "directory" || frame.depth >= options.maxDepth) continue;
      if (options.enter !== undefined && !options.enter(given)) continue;
      if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") continue;
      push(files.openAt(frame.directory, entry.name, "directory"), path, frame.depth + 1);
    }
  } finally {
    for (const { directory } of stack) files.close(directory);
  }
}

/** Type and size, `other` where no request can name it; null where the entry has vanished. */
function describe(
  files: ReadPrimitives,
  directory: Handle,
  entry: DirectoryEntry,
  sizes: boolean,
): Pick<WalkEntry, "type" | "size"> | null {
  if (entry.escaped) return { type: "other", size: 0 };
  if (entry.type !== null && (!sizes || entry.type === "directory")) {
    return { type: entry.type, size: 0 };
  }
  const found = files.sizeAt(directory, entry.name);
  if (found === null) return null;
  return sizes && found.type !== "directory" ? found : { type: found.type, size: 0 };
}
