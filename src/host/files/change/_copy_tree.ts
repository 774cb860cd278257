/** Copying a directory with all in it, into a directory that nobody knows yet. */

import { ToolError } from "../../../core/errors.ts";
import { refusal, withPermission } from "../../kernel/refusal.ts";
import { isSameFile } from "../../kernel/stat.ts";
import { both, underNewNames } from "../_admit.ts";
import type { TargetEntry } from "../_target_entry.ts";
import { isTemporary } from "../_temporary_names.ts";
import { traverse, type TreeEntry } from "../_tree.ts";
import { DirectoryStack } from "../directory_stack.ts";
import type { Target, TreeTarget } from "../file_backend.ts";
import type { FilePrimitives, Handle, Name, Result } from "../primitives.ts";
import { resemble } from "./_attributes.ts";
import { type Copied, copyFileWithin, copyLink, type CopyOptions } from "./_copy_parts.ts";
import { syncAllCopied } from "./_durability.ts";

/** Where it lies, and what may be touched under either name. */
export interface Trees {
  readonly source: TargetEntry;
  readonly from: TreeTarget;
  readonly to: TreeTarget;
}

/** For others it is closed until it is whole. */
const PRIVATE_DIRECTORY_MODE = 0o700;

/** As `Files.copy` of a directory: `made` is the name that the copy gets, synced, and left where it fails. */
export function copyDirectory(
  files: FilePrimitives,
  { source, from, to }: Trees,
  made: Name,
  options: CopyOptions,
): Copied {
  const { checkpoint, whole } = options;
  const check = (result: Result): Result => {
    if (result < 0) throw refusal(to, result);
    return result;
  };
  const make = ({ directory, name }: Name): Handle => {
    check(files.makeDirectoryAt(directory, name, PRIVATE_DIRECTORY_MODE));
    return check(files.openAt(directory, name, "directory"));
  };
  const dress = (own: Handle): void => {
    const stat = files.statOf(own);
    if (typeof stat === "number") throw refusal(from, stat);
    resemble(files, to, copies.top, { handle: own, stat }, { owner: whole });
  };
  let copied = 0;
  let bytes = 0;
  let leftOut = 0;
  const leaveOut = (): 0 => {
    if (whole) throw notMovable(from);
    leftOut++;
    return 0;
  };
  const copies = new DirectoryStack(files);
  const own = files.openAt(source.parent, source.name, "directory");
  if (own < 0) throw refusal(from, own);
  try {
    const directory = files.openAt(own, ".", "directory");
    if (directory < 0) throw refusal(from, directory);
    try {
      check(copies.push(make(made)));
    } catch (error) {
      files.close(directory);
      throw error;
    }
    const root = copies.stat;
    const isOwnCopy = (directory: Handle, { name }: TreeEntry): boolean => {
      const stat = files.statAt(directory, name);
      return typeof stat === "object" && isSameFile(stat, root);
    };
    const admit = both(
      withPermission("read", from).admit,
      underNewNames(from, withPermission("write", to)),
    );
    const result = traverse(files, { directory, path: from.path, admit }, {
      leaf(directory, { name, type, admitted }) {
        // What a writer at work has beside its file, or has left there.
        if (type === "file" && isTemporary(name)) return 0;
        if (!admitted || type === "other") return leaveOut();
        const copy = { directory: copies.top, name };
        if (type === "symlink") {
          copyLink(files, to, { directory, name }, copy, options);
          return 0;
        }
        const length = copyFileWithin(files, { from, to }, { directory, name }, copy, options);
        if (length === null) return leaveOut();
        bytes += length;
        copied++;
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
        check(files.unlinkAt(copies.top, name, "directory"));
        return leaveOut();
      },
    }, checkpoint);
    if (result < 0) throw refusal(from, result);
    dress(own);
    syncAllCopied(files, to, copies.top);
    return { files: copied, bytes, leftOut };
  } finally {
    copies.clear();
    files.close(own);
  }
}

function notMovable(target: Target): ToolError {
  return new ToolError(
    "NOT_A_FILE",
    `"${target.shown}" holds what cannot be moved to another file system: a pipe, socket or device, or a file ` +
      `that this user may not read; nothing was changed`,
  );
}
