/** The folder of a repository that git itself changes: which of its files, and by whom. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { isWrittenByNobody } from "../kernel/lease.ts";
import { close } from "../kernel/pipes.ts";
import { readText } from "../kernel/read_text.ts";
import { settlesNothingElse } from "./_git_settings.ts";
import { linkTarget, openExactly } from "./_names.ts";

/** A repository's folder, and the git that was granted a command which changes it. */
export interface GitFolder {
  readonly folder: CanonicalPath;
  /** Its executables: what else runs under the same rules changes nothing there. */
  readonly programs: readonly string[];
  /** The command settles something beside what it records: see `_git_settings.ts`. */
  readonly settles: boolean;
}

/**
 * What git writes of its folder when it records something (gitrepository-layout(5)): the index, objects, refs and their
 * logs, and what it keeps of what it is about. Never hooks, settings, attributes, or other repositories within.
 */
const RECORDS: readonly RegExp[] = [
  /^(?:index|HEAD|ORIG_HEAD|packed-refs|shallow)(?:\.lock)?$/,
  /^next-index-\d+(?:\.lock)?$/,
  /^sharedindex[._][0-9A-Za-z]+$/,
  /^packed-refs\.new$/,
  /^(?:COMMIT|TAG|NOTES)_EDITMSG$/,
  /^(?:AUTO_MERGE|CHERRY_PICK_HEAD|MERGE_HEAD|MERGE_MODE|MERGE_MSG|MERGE_RR|REVERT_HEAD|SQUASH_MSG)(?:\.lock)?$/,
  // What it keeps of a merge, a rebase, a stash or a fetch under way.
  /^(?:FETCH_HEAD|REBASE_HEAD|MERGE_AUTOSTASH|index\.stash\.\d+)(?:\.lock)?$/,
  /^(?:rebase-merge|rebase-apply|sequencer|rr-cache)(?:\/|$)/,
  /^gc\.(?:log|pid)(?:\.lock)?$/,
  /^info\/refs(?:_[0-9A-Za-z]+)?$/,
  /^(?:objects|refs|logs)(?:\/|$)/,
];

/** Whether a path is one that git writes in that folder. */
export function isRecord({ folder }: GitFolder, path: string): boolean {
  if (!path.startsWith(`${folder}/`)) return false;
  const name = path.slice(folder.length + 1);
  return RECORDS.some((one) => one.test(name));
}

/** Settings are written by people and git; more than this neither writes. */
const MOST_BYTES = 256 * 1024;

/**
 * Whether a path is the settings that a command is about to replace, or what it writes in their place: git makes a new text
 * beside the old, closes it, and gives it the name (git-config(1) says nothing of it; lockfile.h does). It gets the name
 * only with nobody writing to it any more, and where it settles nothing that it may not. `from`: what is about to be given
 * the name; null for all else that is done to it.
 */
export function isSettled(
  libc: Libc,
  { folder, settles }: GitFolder,
  path: string,
  from: string | null,
): boolean {
  if (!settles) return false;
  if (path === `${folder}/config.lock`) return true;
  if (path !== `${folder}/config` || from !== `${folder}/config.lock`) return false;
  const [before, after] = [readWhole(libc, path), readWhole(libc, `${folder}/config.lock`)];
  return before !== null && after !== null && settlesNothingElse(before, after);
}

/** The text of a file that nobody has open for writing; null for any other. */
function readWhole(libc: Libc, path: string): string | null {
  const { numbers } = libc;
  const file = openExactly(libc, path, OPEN.RDONLY | OPEN.NONBLOCK | numbers.O_NOFOLLOW);
  if (file < 0) return null;
  try {
    if (!isWrittenByNobody(libc, file)) return null;
    return readText(libc, file, MOST_BYTES);
  } finally {
    close(libc, file);
  }
}

/** Whether it is git that a thread runs: nothing else can, once the thread waits for an answer. */
export function isGit(libc: Libc, { programs }: GitFolder, thread: number): boolean {
  const executable = linkTarget(libc, `/proc/${thread}/exe`);
  return executable !== null && programs.includes(executable);
}
