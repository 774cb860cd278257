/** The `files` argument: files and folders of a project, each judged as a read. */

import { PATH_SCHEMA } from "../../../toolkit/path_schema.ts";
import type { Capability } from "../../../core/capability.ts";
import { inFolder } from "./facts.ts";

/** The argument `files` of tools that check a project. */
export const FILES_SCHEMA = {
  type: "array",
  minItems: 1,
  maxItems: 1000,
  items: { ...PATH_SCHEMA, description: "A file or folder, from cwd." },
  description: "Only these files and folders; the whole project unless given.",
} as const;

/** Reading what the call names; the program's own reads are held by what the policy opens to programs. */
export function readsOf(
  { files = [], cwd = "." }: { readonly files?: readonly string[]; readonly cwd?: string },
): readonly Capability[] {
  return files.map((file) => ({ kind: "fs.read", path: requested(cwd, file), tree: true }));
}

/** As {@linkcode readsOf}, for writing. Without files, the whole project. */
export function writesOf(
  { files = ["."], cwd = "." }: { readonly files?: readonly string[]; readonly cwd?: string },
): readonly Capability[] {
  return files.map((file) => ({ kind: "fs.write", path: requested(cwd, file), tree: true }));
}

/** A path from `cwd`, in the words of a request. */
export function requested(cwd: string, file: string): string {
  return file.startsWith("/") ? file : file === "." ? cwd : inFolder(cwd, file);
}
