/** The handles of a call that is given no files: each refuses. */

import { ToolError } from "../core/errors.ts";
import type { Syntax } from "../core/syntax_tree.ts";
import type { FileBackend } from "../host/files/file_backend.ts";

/** A call that names no files is given none. */
export const NO_FILES: FileBackend = {
  read: refuse,
  readStart: refuse,
  find: refuse,
  walk: refuse,
  countTree: refuse,
  backups: refuse,
  write: refuse,
  append: refuse,
  apply: refuse,
  backUp: refuse,
  writeKeeping: refuse,
  restore: refuse,
  remove: refuse,
  copy: refuse,
  move: refuse,
  createDirectory: refuse,
  settle: () => {},
};

/** Nor texts to judge. */
export const NO_SYNTAX: Syntax = { check: refuse, parsers: refuse };

function refuse(): never {
  throw new ToolError("PATH_DENIED", "this call was granted no files");
}
