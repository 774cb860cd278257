/** Writing and adding to one file. */

import type { AppendOptions, Target, WriteOptions } from "../file_backend.ts";
import type { FilePrimitives } from "../primitives.ts";
import { takeAfter } from "./_attributes.ts";
import { copyContents, writeAll } from "./_contents.ts";
import { replaceFile } from "./_replacement.ts";

/** As `Files.write`. */
export function writeFile(
  files: FilePrimitives,
  target: Target,
  bytes: Uint8Array,
  { createParents, expect }: WriteOptions,
): { readonly created: boolean } {
  return replaceFile(files, target, {
    createParents,
    expect,
    fill(file, old) {
      writeAll(files, target, file.handle, bytes);
      if (old !== null) takeAfter(files, target, file, old);
    },
  });
}

/** As `Files.append`. The kernel copies the old contents, or shares their blocks where the file system does that. */
export function appendFile(
  files: FilePrimitives,
  target: Target,
  bytes: Uint8Array,
  { createParents, checkpoint }: AppendOptions,
): { readonly created: boolean; readonly size: number } {
  let size = 0;
  const { created } = replaceFile(files, target, {
    createParents,
    expect: "anything",
    extends: true,
    fill(file, old) {
      const { handle } = file;
      size = bytes.length;
      if (old !== null) size += copyContents(files, target, old.handle, handle, checkpoint);
      writeAll(files, target, handle, bytes);
      if (old !== null) takeAfter(files, target, file, old);
    },
  });
  return { created, size };
}
