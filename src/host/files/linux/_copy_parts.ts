/** Copying what a directory holds: one file, one link, by the descriptors of the directories. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import { resemble, resembleLink } from "./_attributes.ts";
import { copyContents } from "./_contents.ts";
import type { Target, TransferOptions } from "../file_backend.ts";
import { openForReading } from "./_old_file.ts";
import { changed, refusal } from "../../kernel/refusal.ts";
import type { Name } from "../../kernel/rename.ts";
import { type Stat, statAt } from "../../kernel/stat.ts";

/** Until it has its own. */
const PRIVATE_MODE = 0o600;

export interface Copied {
  readonly files: number;
  readonly bytes: number;
  /** Entries that were not copied: refused by the policy, or nothing that can be copied. */
  readonly leftOut: number;
}

export interface CopyOptions extends TransferOptions {
  /** Of a move between file systems: owners are kept, and nothing may be left out. */
  readonly whole: boolean;
  /** Told of each file that was copied, as it was then. */
  readonly onCopied?: (stat: Stat) => void;
}

/** Makes the same link under another name: where it leads is not looked at. */
export function copyLink(
  libc: Libc,
  target: Target,
  from: Name,
  to: Name,
  { whole, onCopied }: CopyOptions,
): Copied {
  const { numbers, structAddress, structBytes } = libc;
  const text = libc.path(from.name);
  // PATH_MAX is the longest a link can be (linux/limits.h).
  const length = libc.call(numbers.readlinkat, from.directory, text, structAddress, 4096);
  // It was a link when it was looked at.
  if (length === -ERRNO.EINVAL) throw changed(target);
  if (length < 0) throw refusal(target, length);
  const leads = libc.path(structBytes.slice(0, length), 0);
  const result = libc.call(numbers.symlinkat, leads, to.directory, libc.path(to.name, 1));
  if (result < 0) throw refusal(target, result);
  resembleLink(libc, from, to, { owner: whole });
  const stat = statAt(libc, from.directory, from.name);
  if (typeof stat === "object") onCopied?.(stat);
  return { files: 0, bytes: 0, leftOut: 0 };
}

/** The bytes copied; null where the system does not let this user read it, or something else has its name now. */
export function copyFileWithin(
  libc: Libc,
  { from, to }: { readonly from: Target; readonly to: Target },
  original: Name,
  copy: Name,
  { checkpoint, whole, onCopied }: CopyOptions,
): number | null {
  const { numbers } = libc;
  const place = { target: from, parent: original.directory, name: original.name };
  const source = attempt(() => openForReading(libc, place));
  if (source === null) return null;
  try {
    const flags = OPEN.WRONLY | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
    const name = libc.path(copy.name);
    const descriptor = libc.call(numbers.openat, copy.directory, name, flags, PRIVATE_MODE);
    if (descriptor < 0) throw refusal(to, descriptor);
    try {
      const bytes = copyContents(libc, to, source.descriptor, descriptor, checkpoint);
      resemble(libc, to, descriptor, source, { owner: whole });
      onCopied?.(source.stat);
      return bytes;
    } finally {
      libc.call(numbers.close, descriptor);
    }
  } finally {
    libc.call(numbers.close, source.descriptor);
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
