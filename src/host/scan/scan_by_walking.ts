/** Going through a tree with the handles that every platform has: a walk, and a read for each file. */

import { ToolError } from "../../core/errors.ts";
import type { ReadFiles } from "../../core/files.ts";
import type { ScanDirectory, ScanFilter, ScannedFile, ScanOptions } from "../../core/scan.ts";

/** See `ReadFiles.scan`. */
export function scanByWalking(
  files: Pick<ReadFiles, "display" | "walk" | "read" | "find">,
  path: string,
  { filter, room, limit }: ScanOptions,
  visit: (file: ScannedFile) => void,
): void {
  const start = files.display(path);
  const filters: (ScanFilter | null)[] = [];
  const enter = (
    entry: { readonly name: string; readonly path: string; readonly depth: number },
  ) => {
    const parent = filters[entry.depth - 1];
    if (parent?.enters(entry.name) !== true) return false;
    filters[entry.depth] = parent.below(directoryOf(files, entry.path));
    return true;
  };
  for (const entry of files.walk(path, { maxDepth: Infinity, sizes: false, enter })) {
    const own = filters[entry.depth - 1] ??= filter(directoryOf(files, start));
    if (entry.type !== "file" || !own.takes(entry.name)) continue;
    const bytes = room === null ? null : contentsOf(files, entry.path, limit);
    if (room !== null && bytes !== null) {
      if (room.bytes.length < bytes.length) room.grow(bytes.length);
      room.bytes.set(bytes);
    }
    visit({ path: entry.path, length: bytes?.length ?? null, place: 0 });
  }
}

function directoryOf(
  files: Pick<ReadFiles, "read" | "find">,
  path: string,
): ScanDirectory {
  const below = (name: string) => path === "." ? name : `${path}/${name}`;
  const typeOf = (name: string) => {
    try {
      return files.find(below(name))?.type ?? null;
    } catch (error) {
      if (error instanceof ToolError) return null;
      throw error;
    }
  };
  return {
    path,
    has: (name) => typeOf(name) !== null,
    read: (name, limit) => typeOf(name) === "file" ? contentsOf(files, below(name), limit) : null,
  };
}

/** Null for what is gone, refused, too large or no longer a file. */
function contentsOf(
  files: Pick<ReadFiles, "read">,
  path: string,
  limit: number,
): Uint8Array | null {
  try {
    return files.read(path, limit).bytes;
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}
