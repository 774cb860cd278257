/** The folder of a repository that git itself changes: which of its files, and by whom. */

import type { CanonicalPath } from "../../core/capability.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { isWrittenByNobody } from "../kernel/lease.ts";
import { close } from "../kernel/pipes.ts";
import { readText } from "../kernel/read_text.ts";
import { type GitSettling, settlesNothingElse } from "./_git_settings.ts";
import { linkTarget, openExactly } from "./_names.ts";

/** A repository's folder, and the git that was granted a command which changes it. */
export interface GitFolder {
  readonly folder: CanonicalPath;
  /** Its executables: what else runs under the same rules changes nothing there. */
  readonly programs: readonly string[];
  /** What the command settles beside what it records. */
  readonly settles: GitSettling;
  /** Parts of the folder that belong to worktrees (git-worktree(1)): which of them it changes. */
  readonly worktrees: "none" | "all" | { readonly name: string };
  /** The file `.git` of a worktree that the command makes or removes; null for none. */
  readonly link: CanonicalPath | null;
}

/** What is done to a name: it is given to what has another, or the object itself is given a mode, an owner or times. */
export type NameChange = { readonly from: string } | "attributes";

/**
 * What git writes of its folder when it records something (gitrepository-layout(5)): the index, objects, refs and their
 * logs, and what it keeps of what it is about. Never hooks, settings, attributes, or other repositories within.
 */
const RECORDS: readonly RegExp[] = [
  /^(?:index|HEAD|ORIG_HEAD|packed-refs|shallow)(?:\.lock)?$/,
  /^next-index-\d+(?:\.lock)?$/,
  /^sharedindex[._][0-9A-Za-z]+$/,
  /^packed-refs\.new$/,
  /^(?:COMMIT|TAG|NOTES)_EDITMSG(?:\.lock)?$/,
  /^(?:AUTO_MERGE|CHERRY_PICK_HEAD|MERGE_HEAD|MERGE_MODE|MERGE_MSG|MERGE_RR|REVERT_HEAD|SQUASH_MSG)(?:\.lock)?$/,
  // What it keeps of a merge, a rebase, a stash or a fetch under way.
  /^(?:FETCH_HEAD|REBASE_HEAD|MERGE_AUTOSTASH|index\.stash\.\d+)(?:\.lock)?$/,
  /^(?:rebase-merge|rebase-apply|sequencer|rr-cache)(?:\/|$)/,
  /^BISECT_(?:ANCESTORS_OK|EXPECTED_REV|FIRST_PARENT|HEAD|LOG|NAMES|RUN|START|TERMS)(?:\.lock)?$/,
  /^gc\.(?:log|pid)(?:\.lock)?$/,
  /^info\/refs(?:_[0-9A-Za-z]+)?$/,
  /^(?:objects|refs|logs)(?:\/|$)/,
];

/** Of a worktree's part what it is made with, and the part itself (gitrepository-layout(5), worktrees). */
const OF_WORKTREES = /^(?:gitdir|commondir|locked)?$/;
/** What `git init` tries whether links can be made with (builtin/init-db.c). */
const TRIAL = /^t[0-9A-Za-z]{6}$/;

/** Whether a path is one that git writes in that folder. */
export function isRecord(git: GitFolder, path: string): boolean {
  const { folder, settles, worktrees, link } = git;
  if (path === link) return true;
  if (path === folder) return settles === "beginning";
  if (!path.startsWith(`${folder}/`)) return false;
  const name = path.slice(folder.length + 1);
  const [, part, below = ""] = /^worktrees(?:\/([^/]+)(?:\/(.*))?)?$/s.exec(name) ?? [];
  if (name === "worktrees" || part !== undefined) {
    if (worktrees === "none") return false;
    const isAll = worktrees === "all";
    if (part === undefined || !isAll && part !== worktrees.name) return isAll && part === undefined;
    return isAll && OF_WORKTREES.test(below) || isRecorded(below);
  }
  return isRecorded(name) || settles === "beginning" && TRIAL.test(name);
}

function isRecorded(name: string): boolean {
  return RECORDS.some((one) => one.test(name));
}

/** Settings are written by people and git; more than this neither writes. */
const MOST_BYTES = 256 * 1024;

/**
 * Whether a path is the settings that a command is about to replace, or what it writes in their place: git makes a new text
 * beside the old, closes it, and gives it the name (git-config(1) says nothing of it; lockfile.h does). It gets the name
 * only with nobody writing to it any more, and where it settles nothing that it may not. `change`: null for what is no
 * `NameChange`. Of a repository that it begins git finds out by the mode of this file whether modes are kept.
 */
export function isSettled(
  libc: Libc,
  { folder, settles }: GitFolder,
  path: string,
  change: NameChange | null,
): boolean {
  if (settles === "nothing") return false;
  if (path === `${folder}/config.lock`) return true;
  if (path !== `${folder}/config` || change === null) return false;
  if (change === "attributes") return settles === "beginning";
  if (change.from !== `${folder}/config.lock`) return false;
  const after = readWhole(libc, change.from);
  const before = settles === "beginning" && isMissing(libc, path) ? "" : readWhole(libc, path);
  return before !== null && after !== null && settlesNothingElse(before, after, settles);
}

function isMissing(libc: Libc, path: string): boolean {
  const file = openExactly(libc, path, OPEN.PATH | libc.numbers.O_NOFOLLOW);
  if (file >= 0) close(libc, file);
  return file === -ERRNO.ENOENT;
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
