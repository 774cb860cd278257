/** The folder of a repository that git itself changes: which of its files, and by whom. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { linkTarget } from "./_names.ts";

/** A repository's folder, and the git that was granted a command which changes it. */
export interface GitFolder {
  readonly folder: CanonicalPath;
  /** Its executables: what else runs under the same rules changes nothing there. */
  readonly programs: readonly string[];
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

/** Whether it is git that a thread runs: nothing else can, once the thread waits for an answer. */
export function isGit(libc: Libc, { programs }: GitFolder, thread: number): boolean {
  const executable = linkTarget(libc, `/proc/${thread}/exe`);
  return executable !== null && programs.includes(executable);
}
