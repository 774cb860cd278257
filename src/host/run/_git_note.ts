/** Notes for as long as a git of a line changes a repository: of one that is killed with Toolgate its locks are left. */

import { NOTE, recordingNote } from "../../core/git/moves_note.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import type { GitFolder } from "../broker/git_folder.ts";
import { holdFolder } from "../kernel/folder_hold.ts";
import { close } from "../kernel/pipes.ts";
import { statOf } from "../kernel/stat.ts";

/** What is done once it has ended. `whole`: it was not killed, so that it has taken its locks away itself. */
export type EndNote = (whole: boolean) => void;

/** Longer than any line takes: whether a lock is anybody's is not found out by its time. */
const TIME_MS = 86_400_000;

/** Null where another changes it, or has left what is to be taken back first, and where no note can be made. */
export function noteGit(libc: Libc, { folder, worktrees }: GitFolder): EndNote | null {
  const own = typeof worktrees === "string" ? folder : `${folder}/worktrees/${worktrees.name}`;
  const born = birthOf(libc, own);
  const hold = born === null ? null : holdFolder(libc, own);
  if (born === null || hold === null) return null;
  if (isThere(libc, `${own}/${NOTE}`) || !hold.write(NOTE, recordingNote(born, TIME_MS))) {
    hold.release();
    return null;
  }
  return (whole) => {
    if (whole) hold.remove(NOTE);
    hold.release();
  };
}

function birthOf(libc: Libc, path: string): number | null {
  const folder = openWithoutLinks(libc, path, OPEN.PATH | libc.numbers.O_DIRECTORY);
  if (folder < 0) return null;
  const stat = statOf(libc, folder);
  close(libc, folder);
  return typeof stat === "number" ? null : stat.created;
}

function isThere(libc: Libc, path: string): boolean {
  const file = openWithoutLinks(libc, path, OPEN.PATH);
  if (file >= 0) close(libc, file);
  return file >= 0;
}
