/** The file handles of one call: what its grant names, over the files of the platform. */

import { ToolError } from "../core/errors.ts";
import type { CanonicalPath } from "../core/capability.ts";
import type { Files } from "../core/tool.ts";
import type { Grant } from "../policy/grant.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { FileBackend } from "./file_backend.ts";
import { createGrantedPaths } from "./granted_paths.ts";

/** See `Files`. A path that the grant does not name throws PATH_DENIED. */
export function createFiles(grant: Grant, rulebook: Rulebook, backend: FileBackend): Files {
  const paths = createGrantedPaths(grant, rulebook);
  return {
    display(path) {
      const known = grant.read.find((entry) => entry.requested === path) ??
        grant.write.find((entry) => entry.requested === path);
      return known === undefined ? path : paths.show(known.path);
    },
    read(path, limit) {
      return backend.read(paths.target("read", path), limit);
    },
    readStart(path, count) {
      return backend.readStart(paths.target("read", path), count);
    },
    info(path) {
      const info = backend.find(paths.target("read", path));
      if (info === null) throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`);
      return info;
    },
    find(path) {
      return backend.find(paths.target("read", path));
    },
    walk(path, { maxDepth, sizes, enter }) {
      const { target, admit } = paths.tree(path);
      return backend.walk(target, {
        maxDepth,
        sizes,
        admit,
        show: (entry: CanonicalPath) => paths.show(entry),
        ...(enter === undefined ? {} : { enter }),
      });
    },
    write(path, bytes, options) {
      return backend.write(paths.target("write", path), bytes, options);
    },
  };
}
