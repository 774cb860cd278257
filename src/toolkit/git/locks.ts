/** Locks of git (lockfile.c) that are in the way. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Hold, ReadFiles } from "../../core/tool.ts";
import { inside, look } from "./place.ts";

/** Where git was used. */
interface Locked {
  readonly tool: string;
  readonly root: string;
  readonly files: ReadFiles;
  readonly now: () => Date;
}

/**
 * GIT_ERROR with what to do where git found a lock (lockfile.c): a git is at work there, or one that was killed has left
 * it, and nobody can tell which.
 */
export function requireNoLock(
  { tool, root, files, now }: Locked,
  stderr: string,
): void {
  const path = /Unable to create '([^\n]+\.lock)': File exists/.exec(stderr)?.[1];
  if (path === undefined) return;
  // Git names it as it was told of the folder, by way of others.
  throw lockError({ tool, files, now }, inside(files, root, path) ?? files.display(path));
}

/**
 * Whether a lock is nobody's any more. Git has that of an index open until it has written it, and then closed for as long as it
 * wants (git-commit(1), `--all`, while somebody writes a message): what nobody has written is left of one that was killed. Others
 * it closes at once, and has them until all that it changes with them is changed (refs/files-backend.c).
 */
export function isLeft(files: ReadFiles, hold: Hold, lock: string): boolean {
  const { type, size } = look(files, lock) ?? {};
  if (type !== "file" || !hold.isLeftAlone(lock)) return false;
  return lock.endsWith("/index.lock") ? size === 0 : !hold.mayBeHeld(lock, WAITING);
}

/** Git that can go on for days and holds no lock meanwhile: it waits for others, or for somebody to turn a page. */
const WAITING = [
  ...["fsmonitor--daemon", "credential-cache--daemon", "daemon", "cat-file", "upload-pack"],
  ...["log", "show", "diff", "blame", "grep", "shortlog", "help"],
];

/** That error. `lock`: its path. */
export function lockError(
  { tool, files, now }: Omit<Locked, "root">,
  lock: string,
): ToolError {
  const found = look(files, lock);
  const seconds = found === null ? 0 : Math.max(0, (now().getTime() - found.modified) / 1000);
  const age = seconds < 120
    ? `${Math.round(seconds)} seconds`
    : `${Math.round(seconds / 60)} minutes`;
  return new ToolError(
    "GIT_ERROR",
    `${tool}: ${
      printable(lock)
    } is there, ${age} old: a git is at work in this repository, or one that was killed ` +
      "left it behind; nothing was changed. Where no git runs there any more, delete that file and call again",
    { details: { lock, age_seconds: Math.round(seconds) } },
  );
}
