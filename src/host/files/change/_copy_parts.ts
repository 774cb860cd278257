/** Copying what a directory holds: one file, one link, by the handles of the directories. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { changed, refusal } from "../../kernel/refusal.ts";
import type { Stat } from "../../kernel/stat.ts";
import { openForReading } from "../_target_entry.ts";
import type { Target, TransferOptions } from "../file_backend.ts";
import type { FilePrimitives, Name } from "../primitives.ts";
import { resemble } from "./_attributes.ts";
import { copyContents } from "./_contents.ts";
import { syncCopied } from "./_durability.ts";

/** Until it has its own. */
const PRIVATE_MODE = 0o600;

/** What a copy came to. */
export interface Copied {
  readonly files: number;
  readonly bytes: number;
  /** Entries that were not copied: refused by the policy, or nothing that can be copied. */
  readonly leftOut: number;
}

/** How a copy is made. */
export interface CopyOptions extends TransferOptions {
  /** Of a move between file systems: owners are kept, and nothing may be left out. */
  readonly whole: boolean;
  /** Told of each file that was copied, as it was then. */
  readonly onCopied?: (stat: Stat) => void;
}

/** Makes the same link under another name: where it leads is not looked at. */
export function copyLink(
  files: FilePrimitives,
  target: Target,
  from: Name,
  to: Name,
  { whole, onCopied }: CopyOptions,
): Copied {
  const text = files.readLinkAt(from.directory, from.name);
  // It was a link when it was looked at.
  if (text === -ERRNO.EINVAL) throw changed(target);
  if (typeof text === "number") throw refusal(target, text);
  const result = files.symlinkAt(text, to);
  if (result < 0) throw refusal(target, result);
  files.copyLinkAttributes(from, to, { owner: whole });
  const stat = files.statAt(from.directory, from.name);
  if (typeof stat === "object") onCopied?.(stat);
  return { files: 0, bytes: 0, leftOut: 0 };
}

/** The bytes copied; null where the system does not let this user read it, or something else has its name now. */
export function copyFileWithin(
  files: FilePrimitives,
  { from, to }: { readonly from: Target; readonly to: Target },
  original: Name,
  copy: Name,
  { checkpoint, whole, onCopied }: CopyOptions,
): number | null {
  const entry = { target: from, parent: original.directory, name: original.name };
  const source = attempt(() => openForReading(files, entry));
  if (source === null) return null;
  try {
    const handle = files.openAt(copy.directory, copy.name, "create", PRIVATE_MODE);
    if (handle < 0) throw refusal(to, handle);
    try {
      const bytes = copyContents(files, to, source.handle, handle, checkpoint);
      resemble(files, to, handle, source, { owner: whole });
      syncCopied(files, to, handle);
      onCopied?.(source.stat);
      return bytes;
    } finally {
      files.close(handle);
    }
  } finally {
    files.close(source.handle);
  }
}

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (error instanceof ToolError && GONE.has(error.code)) return null;
    throw error;
  }
}

const GONE: ReadonlySet<string> = new Set(["NATIVE_DENIED", "FILE_NOT_FOUND", "NOT_A_FILE"]);
