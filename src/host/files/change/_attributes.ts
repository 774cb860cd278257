/** What a file is beside its contents: owner, mode, times, `user.*` attributes and access lists. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { refusal } from "../../kernel/refusal.ts";
import type { Stat } from "../../kernel/stat.ts";
import { executableMode } from "../_executable_mode.ts";
import type { OpenFile } from "../_target_entry.ts";
import type { Target } from "../file_backend.ts";
import { CANNOT, type FilePrimitives, type Handle } from "../primitives.ts";

/** set-user-ID and set-group-ID go with a change of contents, as the kernel's own write(2) has it. */
const KEPT_MODE_BITS = 0o1777;
/** On directories the latter says whose their entries are. */
const KEPT_DIRECTORY_BITS = 0o3777;
const GROUP_BITS = 0o070;

/**
 * Makes the replacement of a file the same in owner, group, attributes and mode, in this order: a change of owner
 * clears mode bits. Throws NATIVE_DENIED where it cannot be given to them.
 */
export function takeAfter(
  files: FilePrimitives,
  target: Target,
  file: OpenFile,
  old: OpenFile,
): void {
  giveTo(files, target, file, old.stat);
  files.copyAttributes(old.handle, file.handle);
  setMode(files, target, file.handle, old.stat.mode & KEPT_MODE_BITS);
}

/** As {@linkcode takeAfter}, of the owner and group alone. */
export function giveTo(files: FilePrimitives, target: Target, file: OpenFile, owner: Stat): void {
  const { handle, stat } = file;
  if (stat.user === owner.user && stat.group === owner.group) return;
  const result = files.setOwner(handle, owner);
  if (result === -ERRNO.EPERM) {
    throw new ToolError(
      "NATIVE_DENIED",
      `"${target.shown}" belongs to another user or group, and a replacement could not be given to them`,
    );
  }
  if (result < 0) throw refusal(target, result);
}

/**
 * Makes a copy alike in attributes and mode; with `times` in these; with `owner` in owner and group too, as far as this
 * user may: where the group cannot be kept, what the mode lets it do would be another group's, and goes.
 */
export function resemble(
  files: FilePrimitives,
  target: Target,
  handle: Handle,
  original: OpenFile,
  { owner, times = true }: { readonly owner: boolean; readonly times?: boolean },
): void {
  const { stat } = original;
  let mode = stat.mode & (stat.type === "directory" ? KEPT_DIRECTORY_BITS : KEPT_MODE_BITS);
  if (owner && !giveAsFarAsMay(files, handle, stat)) mode &= ~GROUP_BITS;
  else files.copyAttributes(original.handle, handle);
  setMode(files, target, handle, mode);
  // Where it cannot be done the copy is new.
  if (times) files.copyTimes(original.handle, handle);
}

/** See `FileChange`. */
export function setExecutable(
  files: FilePrimitives,
  target: Target,
  handle: Handle,
  executable: boolean,
): void {
  const stat = files.statOf(handle);
  if (typeof stat === "number") throw refusal(target, stat);
  setMode(files, target, handle, executableMode(stat.mode, executable));
}

/** Systems without modes have nothing to keep. */
function setMode(files: FilePrimitives, target: Target, handle: Handle, mode: number): void {
  const result = files.setMode(handle, mode);
  if (result < 0 && result !== CANNOT) throw refusal(target, result);
}

/** Whether it has the group now. */
function giveAsFarAsMay(files: FilePrimitives, handle: Handle, { user, group }: Stat): boolean {
  const own = files.statOf(handle);
  if (typeof own === "number") return false;
  if (own.user === user && own.group === group) return true;
  return files.setOwner(handle, { user, group }) === 0 ||
    own.group === group || files.setOwner(handle, { user: null, group }) === 0;
}
