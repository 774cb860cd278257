/** The clone that a child works in, and that nobody else has come to. */

import { ToolError } from "../../core/errors.ts";
import { isThere, textIn } from "../../engine/worktrees/what_is_there.ts";

/** A clone, as the tool that fills it takes it. */
export interface PlacedClone {
  readonly place: string;
  readonly branch: string;
  readonly base: string | null;
}

/** What is done with one. */
export type CloneStep = "fill" | "collect" | "take" | "takeBegun" | "restore";

/** Rejects with GIT_ERROR where somebody has come to a commit there, by the log of the branch (gitrepository-layout(5)): it is nowhere else. */
export function requireAsFilled(git: string, { place, branch }: PlacedClone): Promise<void> {
  const moves = textIn(`${git}/logs/refs/heads/${branch}`).split("\n").length - 1;
  if (moves === 1 || moves === 0 && !isThere(`${git}/refs/heads/${branch}`)) {
    return Promise.resolve();
  }
  return Promise.reject(new ToolError("GIT_ERROR", `${place} holds commits of somebody's`));
}
