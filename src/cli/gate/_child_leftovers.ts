/** What children of a gate that was killed have left: taken away as far as it is nowhere else's. */

import { ToolError } from "../../core/errors.ts";
import {
  branchOf,
  layOutMissing,
  placeOf,
  takeBackWorktree,
} from "../../engine/worktrees/agent_worktree.ts";
import {
  abandonedAt,
  abandonedIn,
  dropDeadLeases,
  dropLeases,
  unlockAbandoned,
} from "../../engine/worktrees/leases.ts";
import {
  dropHalfMade,
  endHalfLeft,
  mendHalfRemoved,
  removeClone,
} from "../../engine/worktrees/making.ts";
import { isFolder, namesIn, textIn } from "../../engine/worktrees/what_is_there.ts";
import { removeEmptyFolder } from "../../host/kernel/bare_folder.ts";
import { type ChildRemoval, placedClone, type RemovalParts } from "./_child_removal.ts";
import { dropBranch, type Left } from "./_leave_worktree.ts";
import { type CloneStep, requireAsFilled } from "./_placed_clone.ts";

/** What looks for it, and by what it is removed. */
interface LeftoverParts extends Omit<RemovalParts, "changes"> {
  readonly removal: ChildRemoval;
}

/** Removes it where it is nowhere else; what became of each. */
export async function sweepLeftovers(parts: LeftoverParts): Promise<readonly string[]> {
  const told = [
    ...await sweepHalfMade(parts),
    ...await sweepHalfRemoved(parts),
    ...await sweepWorktrees(parts),
  ];
  dropDeadLeases(commonOf(parts), parts.table);
  return [...told, ...await sweepBranches(parts), ...await sweepClones(parts)];
}

/** Whether an agent's name is one that a child is given. */
export function isChild(agent: string): boolean {
  return /^child-[\d-]+$/.test(agent);
}

function commonOf({ place }: LeftoverParts): string {
  return `${place.workspace}/.git`;
}

function rootOf({ place: { workspace, worktrees } }: LeftoverParts, agent: string): string {
  return placeOf(workspace, worktrees, agent);
}

function tipOf(parts: LeftoverParts, agent: string): string {
  return textIn(`${commonOf(parts)}/refs/heads/${branchOf(agent)}`).trim();
}

function became({ kept, why }: Left): string {
  return `${kept ? "kept" : "removed"}: ${why}`;
}

async function sweepHalfMade(parts: LeftoverParts): Promise<readonly string[]> {
  const { engine, place, table } = parts;
  const begun = await dropHalfMade(place, table, {
    isWanted: isChild,
    take: (agent) => takeBack(parts, agent),
  });
  const told: string[] = [];
  for (const { agent, kept, failed } of begun) {
    const why = failed?.message ?? kept;
    if (why === null) await dropBranch(engine, agent);
    const end = why === null ? "removed" : `kept: ${why}`;
    told.push(`what a gate that is gone had begun to make for ${agent} is ${end}`);
  }
  return told;
}

async function sweepHalfRemoved(parts: LeftoverParts): Promise<readonly string[]> {
  const told: string[] = [];
  await mendHalfRemoved(parts.place, parts.table, async (agent) => {
    try {
      await layOut(parts, agent);
      return true;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      told.push(`what is left of the worktree of ${agent}, whose gate is gone: ${error.message}`);
      return false;
    }
  });
  return told;
}

async function sweepWorktrees(parts: LeftoverParts): Promise<readonly string[]> {
  const { table, removal } = parts;
  const told: string[] = [];
  for (const { agent, base } of abandonedIn(commonOf(parts), table)) {
    if (!isChild(agent)) continue;
    const own = `${commonOf(parts)}/worktrees/${agent}`;
    unlockAbandoned(own, table);
    const commits = tipOf(parts, agent) === base ? 0 : 1;
    const left = await removal.leaveWorktree({ agent, base }, commits);
    if (left.kept) dropLeases(own, table);
    told.push(`the worktree of ${agent}, whose gate is gone, is ${became(left)}`);
  }
  return told;
}

async function sweepBranches(parts: LeftoverParts): Promise<readonly string[]> {
  const told: string[] = [];
  await endHalfLeft(parts.place, parts.table, async ({ agent, base }) => {
    const tip = tipOf(parts, agent);
    if (!isChild(agent) || tip === "" || tip !== base) return;
    if (!(await dropBranch(parts.engine, agent))) return;
    told.push(`the branch of ${agent}, whose gate is gone, is removed: it held nothing`);
  });
  return told;
}

async function sweepClones(parts: LeftoverParts): Promise<readonly string[]> {
  const { place, table, removal } = parts;
  const told: string[] = [];
  for (const agent of namesIn(`${place.workspace}/${place.worktrees}`)) {
    const own = `${rootOf(parts, agent)}/.git`;
    const base = isChild(agent) ? abandonedAt(own, table) : null;
    if (base === null) continue;
    const empty = textIn(`${own}/refs/heads/${branchOf(agent)}`).trim() === base;
    const clone = placedClone(place, agent, base || null);
    const left = await removal.leaveClone(agent, clone, empty ? 0 : 1);
    if (left.kept) dropLeases(own, table);
    told.push(`the clone of ${agent}, whose gate is gone, is ${became(left)}`);
  }
  return told;
}

/** What one that is gone had begun to make for a child: null, or why it stays. */
async function takeBack(parts: LeftoverParts, agent: string): Promise<string | null> {
  const { libc, engine, place, table, removal } = parts;
  const own = `${rootOf(parts, agent)}/.git`;
  if (!isFolder(own)) return await takeBackWorktree(engine, agent);
  const clone = placedClone(place, agent, null);
  const isFilled = textIn(`${own}/refs/heads/${clone.branch}`) !== "";
  const step = (named: CloneStep) => async () => {
    if (isFilled) await removal.step(clone, named);
  };
  try {
    await removeClone(place, agent, table, {
      look: () => requireAsFilled(own, clone),
      take: step("takeBegun"),
      restore: step("restore"),
      removeEmpty: (folder) => removeEmptyFolder(libc, folder),
    });
    return null;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "GIT_ERROR") throw error;
    return error.message;
  }
}

async function layOut(parts: LeftoverParts, agent: string): Promise<void> {
  const { engine, place, removal } = parts;
  const isClone = namesIn(`${rootOf(parts, agent)}/.git`).length > 0;
  if (!isClone) return await layOutMissing(engine, agent);
  // Whose what else there is in it: it is judged anew.
  await removal.step(placedClone(place, agent, null), "restore");
}
