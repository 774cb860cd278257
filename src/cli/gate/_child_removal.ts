/** How working files of children are left: removed where they hold nothing that is nowhere else. */

import type { CommandEngine } from "../../engine/create_engine.ts";
import { runOwn } from "../../engine/own_call.ts";
import { ToolError } from "../../core/errors.ts";
import { branchOf, placeOf } from "../../engine/worktrees/agent_worktree.ts";
import type { Lease } from "../../engine/worktrees/leases.ts";
import {
  removeClone,
  whileLeaving,
  whileRemoving,
  type WorktreesPlace,
} from "../../engine/worktrees/making.ts";
import type { OneByOne } from "../../engine/worktrees/one_by_one.ts";
import { removeEmptyFolder } from "../../host/kernel/bare_folder.ts";
import type { ProcessTable } from "../../host/kernel/process_table.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { kept, leaveWorktree, type Left } from "./_leave_worktree.ts";
import type { CloneStep, PlacedClone } from "./_placed_clone.ts";

/** What it takes of a gate. */
export interface RemovalParts {
  readonly libc: Libc;
  readonly engine: CommandEngine;
  readonly place: WorktreesPlace;
  readonly table: ProcessTable;
  /** The repository is changed by one at a time. */
  readonly changes: OneByOne;
}

/** Of one gate. */
export class ChildRemoval {
  readonly #libc: Libc;
  readonly #engine: CommandEngine;
  readonly #place: WorktreesPlace;
  readonly #table: ProcessTable;
  readonly #changes: OneByOne;

  constructor({ libc, engine, place, table, changes }: RemovalParts) {
    this.#libc = libc;
    this.#engine = engine;
    this.#place = place;
    this.#table = table;
    this.#changes = changes;
  }

  /** The lease is there as long as the files are: a gate that is killed meanwhile is not the last that knows of them. */
  async leave(lease: Lease, leave: () => Promise<Left>): Promise<Left> {
    lease.unlock();
    const left = await this.#changes.run(leave);
    if (left.kept) lease.release();
    return left;
  }

  /** `commits`: how many of its own it has. Of none the branch goes, too. */
  leaveWorktree(
    of: { readonly agent: string; readonly base: string },
    commits: number,
  ): Promise<Left> {
    const leave = () =>
      leaveWorktree(this.#engine, of.agent, {
        commits,
        during: (remove) => whileRemoving(this.#place, of.agent, this.#table, remove),
      });
    return commits > 0 ? leave() : whileLeaving(this.#place, of, this.#table, leave);
  }

  /** Its commits are brought into the repository first. */
  async leaveClone(agent: string, clone: PlacedClone, commits: number): Promise<Left> {
    const step = (named: CloneStep) => () => this.step(clone, named);
    try {
      await removeClone(this.#place, agent, this.#table, {
        look: step("collect"),
        take: step("take"),
        restore: step("restore"),
        removeEmpty: (folder) => removeEmptyFolder(this.#libc, folder),
      });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return kept(error);
    }
    const why = commits > 0 ? "all of it is committed; the branch stays" : "it held nothing";
    return { kept: false, why };
  }

  /** By the tool that makes worktrees, held as every call is. */
  async step(clone: PlacedClone, step: CloneStep): Promise<void> {
    const list = { repository: ".", action: "list" };
    const options = { chosen: { clone: { ...clone, step } } };
    await runOwn(this.#engine, clone.branch.replace(/^.*\//, ""), "git_worktree", list, options);
  }
}

/** Where the clone of a child is, or is to be. */
export function placedClone(
  { workspace, worktrees }: WorktreesPlace,
  agent: string,
  base: string | null,
): PlacedClone {
  const place = placeOf(workspace, worktrees, agent).slice(workspace.length).replace(/^\//, "");
  return { place, branch: branchOf(agent), base };
}
