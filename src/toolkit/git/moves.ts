/**
 * Changes that may be cut short: whoever is killed in the middle leaves git's locks, and working files of which some are as
 * they were and some as they were to be. So it is noted beforehand what becomes of which.
 */

import { ToolError } from "../../core/errors.ts";
import { NOTE, RECORDS } from "../../core/git/moves_note.ts";
import { isObject } from "../../core/json_value.ts";
import type { Hold } from "../../core/tool.ts";
import { look } from "./place.ts";
import type { Repository } from "./repository.ts";

/** What a change makes of working files: one commit or tree of another. */
export interface Step {
  /** What they are made again where it is cut short, */
  readonly rest: string;
  /** and what else their contents may come from: these two hold it, so that nothing of it is lost. */
  readonly other: string;
}

/** A worktree that is made. */
export interface Adds {
  /** Relative to the workspace. */
  readonly place: string;
  /** A branch that is made for it. */
  readonly branch: string | null;
  /** The commit that it begins at. */
  readonly hash: string;
}

/** A worktree that is removed, in which nothing was that is not committed. */
export interface Removes {
  /** Relative to the workspace. */
  readonly place: string;
  /** The repository's part of it, likewise. */
  readonly folder: string;
  /** The commit of its HEAD. */
  readonly hash: string;
}

/** A change before it begins. */
export interface Moves {
  /** The commit of HEAD, by which it is found whether it was done. Null where there is none: then nothing is noted. */
  readonly head: string | null;
  readonly steps: readonly Step[];
  /** What is merged into HEAD. */
  readonly merged?: string;
  readonly adds?: Adds;
  readonly removes?: Removes;
  /** Refs that it makes, moves or takes away, by their whole names; settings of the repository are changed with these alone. */
  readonly refs?: readonly string[];
}

/** Of what leaves no working file half done: locks alone. */
export const RECORDING: Moves = { head: RECORDS, steps: [] };

/** Does it, noted for as long as it takes, with the repository's folder held where that can be. */
export async function moving<T>(
  repository: Repository,
  moves: Moves,
  change: (hold: Hold | null) => Promise<T>,
): Promise<T> {
  const born = birthOf(repository);
  const hold = moves.head === null || born === null ? null : repository.hold();
  if (born === null || hold === null) return await change(null);
  try {
    if (!note(repository, hold, { ...moves, born })) return await change(hold);
    const done = await whole(hold, () => change(hold));
    forget(hold);
    return done;
  } finally {
    hold.release();
  }
}

/** Notes it, in place of what was noted; whether it could be. */
export function note(
  repository: Repository,
  hold: Hold,
  moves: Moves & { readonly born: number },
): boolean {
  return hold.write(NOTE, JSON.stringify({ ...moves, time: repository.timeLeft() }));
}

/** Takes the note away. */
export function forget(hold: Hold): void {
  hold.remove(NOTE);
}

/**
 * When the repository's folder was made here: a note that came with a repository from elsewhere was not made in it. Null where
 * the file system does not keep that.
 */
export function birthOf({ files, folder }: Repository): number | null {
  return look(files, folder)?.created ?? null;
}

/** What git itself refused or gave up it has ended; what was ended for it is left to the next call. */
async function whole<T>(hold: Hold, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!isCutShort(error)) forget(hold);
    throw error;
  }
}

function isCutShort(error: unknown): boolean {
  return isEnded(error) || error instanceof ToolError && error.code === "RESOURCE_LIMIT";
}

/** Whether git was ended from outside: what it was to do is as far as it happened to be. */
export function isEnded(error: unknown): boolean {
  if (!(error instanceof ToolError)) return true;
  const { code, details } = error;
  const signal = isObject(details) ? details["signal"] ?? null : null;
  return ["TIMEOUT", "CANCELLED"].includes(code) || code !== "RESOURCE_LIMIT" && signal !== null;
}

/** Files and folders of the repository, by git itself: to git-clean(1) they are untracked files where that folder is the working files. */
export async function removeFiles(
  repository: Repository,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const names = paths.map((path) => path.slice(folder.length + 1));
  await repository.git(["--literal-pathspecs", "clean", ...WHOLLY, "--", ...names], {
    changes: "git",
    inside: folder,
    env: NO_INDEX,
  });
}

/** To git-clean(1): what is ignored too, and what is a repository. */
const WHOLLY = ["-f", "-f", "-d", "-x", "--quiet"];

/** An index that is not there: one that a repository has may name anything. */
const NO_INDEX = { GIT_INDEX_FILE: "toolgate-no-index" };
