/** Copying a directory with all in it, into a directory that nobody knows yet. */

import { ToolError } from "../../../core/errors.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { both, underNewNames } from "../_admit.ts";
import { resemble } from "./_attributes.ts";
import { type Copied, copyFileWithin, copyLink, type CopyOptions } from "./_copy_parts.ts";
import { DescriptorStack, openDirectoryAt } from "../../kernel/descriptor_stack.ts";
import type { Target, TreeTarget } from "../file_backend.ts";
import type { Place } from "./_old_file.ts";
import { AT_REMOVEDIR } from "./parent_directory.ts";
import { refusal, withPermission } from "../../kernel/refusal.ts";
import type { Name } from "../../kernel/rename.ts";
import { isSameFile, statAt, statOf } from "../../kernel/stat.ts";
import { isTemporary } from "../_temporary_names.ts";
import { traverse, type TreeEntry } from "./_tree.ts";

/** Where it lies, and what may be touched under either name. */
export interface Trees {
  readonly source: Place;
  readonly from: TreeTarget;
  readonly to: TreeTarget;
}

/** For others it is closed until it is whole. */
const PRIVATE_DIRECTORY_MODE = 0o700;

/** As `Files.copy` of a directory: `made` is the name that the copy gets, synced, and left where it fails. */
export function copyDirectory(
  libc: Libc,
  { source, from, to }: Trees,
  made: Name,
  options: CopyOptions,
): Copied {
  const { numbers } = libc;
  const { checkpoint, whole } = options;
  const check = (result: number): number => {
    if (result < 0) throw refusal(to, result);
    return result;
  };
  const make = ({ directory, name }: Name): number => {
    check(libc.call(numbers.mkdirat, directory, libc.path(name), PRIVATE_DIRECTORY_MODE));
    return check(openDirectoryAt(libc, directory, name));
  };
  const dress = (own: number): void => {
    const stat = statOf(libc, own);
    if (typeof stat === "number") throw refusal(from, stat);
    resemble(libc, to, copies.top, { descriptor: own, stat }, { owner: whole });
  };
  let files = 0;
  let bytes = 0;
  let leftOut = 0;
  const leaveOut = (): 0 => {
    if (whole) throw notMovable(from);
    leftOut++;
    return 0;
  };
  const copies = new DescriptorStack(libc);
  const own = openDirectoryAt(libc, source.parent, source.name);
  if (own < 0) throw refusal(from, own);
  try {
    const descriptor = openDirectoryAt(libc, own, ".");
    if (descriptor < 0) throw refusal(from, descriptor);
    try {
      check(copies.push(make(made)));
    } catch (error) {
      libc.call(numbers.close, descriptor);
      throw error;
    }
    const root = copies.stat;
    const isOwnCopy = (directory: number, { name }: TreeEntry): boolean => {
      const stat = statAt(libc, directory, name);
      return typeof stat === "object" && isSameFile(stat, root);
    };
    const admit = both(
      withPermission("read", from).admit,
      underNewNames(from, withPermission("write", to)),
    );
    const result = traverse(libc, { descriptor, path: from.path, admit }, {
      leaf(directory, { name, type, admitted }) {
        // What a writer at work has beside its file, or has left there.
        if (type === "file" && typeof name === "string" && isTemporary(name)) return 0;
        if (!admitted || type === "other") return leaveOut();
        const place = { directory: copies.top, name };
        if (type === "symlink") {
          copyLink(libc, to, { directory, name }, place, options);
          return 0;
        }
        const copied = copyFileWithin(libc, { from, to }, { directory, name }, place, options);
        if (copied === null) return leaveOut();
        bytes += copied;
        files++;
        return 0;
      },
      enter(directory, entry) {
        if (!entry.admitted) leaveOut();
        // Mounted elsewhere, a directory may hold its own copy.
        else if (!isOwnCopy(directory, entry)) {
          check(copies.push(make({ directory: copies.top, name: entry.name })));
          return true;
        }
        return false;
      },
      leaving(own) {
        dress(own);
        return copies.pop();
      },
      closed(_, { name }) {
        check(copies.pop());
        check(libc.call(numbers.unlinkat, copies.top, libc.path(name), AT_REMOVEDIR));
        return leaveOut();
      },
    }, checkpoint);
    if (result < 0) throw refusal(from, result);
    dress(own);
    // One for all: file by file would take minutes where there are many.
    check(libc.call(numbers.syncfs, copies.top));
    return { files, bytes, leftOut };
  } finally {
    copies.clear();
    libc.call(numbers.close, own);
  }
}

function notMovable(target: Target): ToolError {
  return new ToolError(
    "NOT_A_FILE",
    `"${target.shown}" holds what cannot be moved to another file system: a pipe, socket or device, or a file ` +
      `that this user may not read; nothing was changed`,
  );
}
