/** Writing and adding to one file. */

import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { takeAfter } from "./_attributes.ts";
import { copyContents, writeAll } from "./_contents.ts";
import type { AppendOptions, Target, WriteOptions } from "../file_backend.ts";
import { replaceFile } from "./_replacement.ts";

/** As `Files.write`. */
export function writeFile(
  libc: Libc,
  target: Target,
  bytes: Uint8Array,
  { createParents, expect }: WriteOptions,
): { readonly created: boolean } {
  return replaceFile(libc, target, {
    createParents,
    expect,
    fill(file, old) {
      writeAll(libc, target, file.descriptor, bytes);
      if (old !== null) takeAfter(libc, target, file, old);
    },
  });
}

/** As `Files.append`. The kernel copies the old contents, or shares their blocks where the file system does that. */
export function appendFile(
  libc: Libc,
  target: Target,
  bytes: Uint8Array,
  { createParents, checkpoint }: AppendOptions,
): { readonly created: boolean; readonly size: number } {
  let size = 0;
  const { created } = replaceFile(libc, target, {
    createParents,
    expect: "anything",
    extends: true,
    fill(file, old) {
      const { descriptor } = file;
      size = bytes.length;
      if (old !== null) {
        size += copyContents(libc, target, old.descriptor, descriptor, checkpoint);
      }
      writeAll(libc, target, descriptor, bytes);
      if (old !== null) takeAfter(libc, target, file, old);
    },
  });
  return { created, size };
}
