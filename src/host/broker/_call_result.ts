/** What doing a call for a program has in common, whichever it is. */

import { baseName, parentOf } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver, Notifications } from "../../sandbox/broker/notifications.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { Access } from "../../policy/model.ts";
import type { CoveredFolders } from "./_covered_folders.ts";
import type { FileMasks } from "./_file_masks.ts";
import type { NameChange } from "./git_folder.ts";
import type { HandedRules, NameJudge, NameKind } from "./handed_rules.ts";
import {
  followLinks,
  isOfSystem,
  LEAVE,
  openExactly,
  type WrittenName,
  writtenName,
} from "./_names.ts";
import { close } from "../kernel/pipes.ts";
import { statAt } from "../kernel/stat.ts";

/** What became of it: the call's result (an error number with its sign turned), a descriptor to give, or nothing done. */
export type CallResult =
  | number
  | typeof LEAVE
  | { readonly descriptor: number; readonly closesOnExec: boolean }
  /** It is not known yet. */
  | { readonly later: Promise<number> };

/** What a program was refused by the policy. */
export interface Refused {
  readonly path: CanonicalPath;
  readonly access: Access;
  readonly kind: NameKind;
}

/** What calls are done with: one set a program. */
export interface CallParts {
  readonly libc: Libc;
  readonly notifications: Notifications;
  readonly judge: NameJudge;
  /** As `NameJudge.refused`, for the program whose call is being done. */
  readonly refused: (
    access: Access,
    path: string,
    kind: NameKind,
    change?: NameChange,
  ) => Access | null;
  readonly rules: HandedRules;
  /** What the kernel's rules let it read by now; null where that is all that it may read. */
  readonly covered: CoveredFolders | null;
  /** See `listsBeside`. */
  readonly lists: string | null;
  readonly masks: FileMasks;
  /** The number that the run's processes are known by; null for none. */
  readonly mark: number | null;
  readonly refuse: (refused: Refused) => void;
  /** Sets the mode of what was just made. */
  readonly setMode: (folder: number, name: string, mode: number) => void;
  /** Told where something may have been put in the place of what the kernel's rules know. */
  readonly replaced: (path: string) => void;
}

/** A path of which every part is what it says: no links, no `..`. It holds as long as it is opened without links. */
export interface ExactName {
  readonly path: string;
  readonly slash: boolean;
  /** It stands for what the program named: the kernel would do something else. */
  readonly moved?: true;
}

/**
 * Does something with what a call names. The words are taken for what they say first: where that meets a link (ELOOP, as
 * nothing here follows one), the links are followed and what they lead to is judged anew. What is not ours to judge is
 * left to the kernel.
 */
export function pathOf(
  parts: CallParts,
  call: HandedOver,
  directory: number,
  address: number,
  last: boolean,
  ruled: (name: ExactName) => CallResult,
): CallResult {
  const written = writtenName(parts.libc, parts.notifications, call, directory, address);
  if (written === LEAVE) return LEAVE;
  return onName(parts, sharedName(parts, written), last, ruled);
}

/** What a name in /dev/shm stands for: memory that a call's programs share among themselves. */
export function sharedName(
  { libc, rules: { shared } }: CallParts,
  written: WrittenName,
): WrittenName {
  if (shared === null || written.climbs || !isShared(written.path)) return written;
  libc.call(libc.numbers.mkdirat, AT_FDCWD, libc.path(shared), 0o700);
  return { ...written, path: shared + written.path.slice(SHARED.length), moved: true };
}

/** Whether a path names shared memory (shm_overview(7)). */
export function isShared(path: string): boolean {
  return path.startsWith(`${SHARED}/`);
}

const SHARED = "/dev/shm";

/** As `pathOf`, of a name that was read. `own`: what is done in folders that are the program's own; left unless given. */
export function onName(
  parts: CallParts,
  written: WrittenName,
  last: boolean,
  ruled: (name: ExactName) => CallResult,
  own: (name: ExactName) => CallResult = () => LEAVE,
): CallResult {
  const { moved } = written;
  if (moved === true) own = ruled;
  if (!written.climbs) {
    const act = actOn(parts, written.path, ruled, own);
    const done = act === null ? null : act(written);
    if (done !== null && done !== -ERRNO.ELOOP) return done;
    if (act === null && isOfSystem(written.path)) return LEAVE;
  }
  const real = followLinks(parts.libc, written, last || written.slash);
  if (typeof real === "number" || real === LEAVE) return real;
  const act = actOn(parts, real, ruled, own);
  return act === null
    ? LEAVE
    : act({ path: real, slash: written.slash, ...(moved === true ? { moved } : {}) });
}

/** Null for what is neither the program's own nor ruled by the policy. */
function actOn(
  parts: CallParts,
  path: string,
  ruled: (name: ExactName) => CallResult,
  own: (name: ExactName) => CallResult,
): ((name: ExactName) => CallResult) | null {
  if (isOwn(parts, path)) return own;
  return parts.judge.isRuled(path) ? ruled : null;
}

/** Whether the kernel's own rules give it to the program whole. */
export function isOwn({ rules }: Pick<CallParts, "rules">, path: string): boolean {
  return rules.left.some((folder) => isWithin(folder, path));
}

/**
 * Whether the policy allows it, within what the program was given. What it refuses is remembered
 * unless that is done `quietly`.
 */
export function permits(
  parts: CallParts,
  access: Access,
  path: string,
  kind: NameKind,
  quietly = false,
  change?: NameChange,
): boolean {
  const { rules } = parts;
  if (isOwn(parts, path)) return true;
  const refused = parts.refused(access, path, kind, change);
  if (refused !== null) {
    if (!quietly) parts.refuse({ path: path as CanonicalPath, access: refused, kind });
    return false;
  }
  return access === "read" || rules.change.some((folder) => isWithin(folder, path));
}

/**
 * The answer to what is refused: remembered where something of that name is there, or would be from then on (`makes`);
 * what is not there is not there. `present`: what a program expects to hear where it is there.
 */
export function refusal(
  parts: CallParts,
  access: Access,
  path: string,
  kind: NameKind,
  { makes = false, present = -ERRNO.EACCES }: {
    readonly makes?: boolean;
    readonly present?: number;
  } = {},
): number {
  const found = inFolder(parts, path, (folder, name) => {
    const stat = statAt(parts.libc, folder, name);
    return typeof stat === "number" ? stat : 0;
  });
  if (found === -ERRNO.ELOOP || !makes && found < 0) return found;
  if (found >= 0 && present !== -ERRNO.EACCES) return present;
  permits(parts, access, path, kind);
  return -ERRNO.EACCES;
}

/** Does something in the folder of a path, by its last part. ELOOP where a part of the folder is a link. */
export function inFolder(
  { libc }: CallParts,
  path: string,
  act: (folder: number, name: string) => number,
): number {
  const flags = OPEN.PATH | libc.numbers.O_DIRECTORY;
  const folder = openExactly(libc, parentOf(path), flags);
  if (folder < 0) return folder;
  const result = act(folder, baseName(path));
  close(libc, folder);
  return result;
}
