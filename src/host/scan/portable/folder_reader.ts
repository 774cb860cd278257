/** Reading folders by the runtime, where no system calls can be made: every entry is named, and none is watched. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { ChangeState } from "../../kernel/stat.ts";
import type { FolderReader, NamedEntry } from "../folder_reader.ts";

/** The runtime asks its permission set by itself, and leaves out names that are no UTF-8. */
export function createPortableFolderReader(): FolderReader {
  return {
    begin() {},
    watch: () => null,
    stateOf: (path) => withState(path, (state) => state),
    read: (path, _filter, most) =>
      withState(path, (state) => {
        const named = [...Deno.readDirSync(path)].map((entry): NamedEntry => ({
          name: entry.name,
          type: entry.isDirectory ? "directory" : entry.isSymlink ? "symlink" : "file",
          inode: inodeOf(`${path === "/" ? "" : path}/${entry.name}`),
          suspected: true,
        }));
        return named.length > most ? "too many" : { state, named, others: 0, watched: null };
      }),
  };
}

function withState<T>(path: CanonicalPath, use: (state: ChangeState) => T): T | null {
  try {
    const info = Deno.lstatSync(path);
    if (!info.isDirectory) return null;
    return use({
      device: info.dev,
      inode: info.ino ?? 0,
      modified: info.mtime?.getTime() ?? Date.now(),
      changed: info.ctime?.getTime() ?? Date.now(),
    });
  } catch {
    return null;
  }
}

function inodeOf(path: string): number {
  try {
    return Deno.lstatSync(path).ino ?? 0;
  } catch {
    return 0;
  }
}
