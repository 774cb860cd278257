/** Working files for child agents: git worktrees, each with a branch, a lease and an engine of its own. */

import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import { runOwn } from "../../engine/own_call.ts";
import {
  branchOf,
  findWorktree,
  headNameOf,
  layOutMissing,
  makeWorktree,
  placeOf,
  takeBackWorktree,
  worktreeToBe,
} from "../../engine/worktrees/agent_worktree.ts";
import {
  abandonedAt,
  abandonedIn,
  dropDeadLeases,
  dropLeases,
  type Lease,
  takeLease,
  unlockAbandoned,
} from "../../engine/worktrees/leases.ts";
import {
  dropHalfMade,
  endHalfLeft,
  mendHalfRemoved,
  removeClone,
  whileLeaving,
  whileMaking,
  whileRemoving,
  type WorktreesPlace,
} from "../../engine/worktrees/making.ts";
import {
  type ChildPolicies,
  inChildClone,
  inChildWorktree,
  leavesCommits,
} from "../../engine/worktrees/child_policies.ts";
import { headOf, makeEmptyRepository } from "../../engine/worktrees/repository_files.ts";
import type { OneByOne } from "../../engine/worktrees/one_by_one.ts";
import { worksApart } from "../../engine/worktrees/works_apart.ts";
import { makeEmptyFolder, removeEmptyFolder } from "../../host/kernel/bare_folder.ts";
import { ProcessTable } from "../../host/kernel/process_table.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Begins, ChildPlace } from "../../serve/gate/children/child.ts";
import type { FurtherEngine } from "../../serve/gate/token_engines.ts";
import type { Session } from "../session.ts";
import { BegunEngines } from "./_begun_engines.ts";
import { type ChildPowers, NextChild, powersBeforeFirst } from "./_next_child.ts";
import { dropBranch, leaveWorktree, type Left } from "./_leave_worktree.ts";
import { type CloneStep, type PlacedClone, requireAsFilled } from "./_placed_clone.ts";
import { isFolder, isThere, namesIn, textIn } from "../../engine/worktrees/what_is_there.ts";

/** What works in a child's files. */
interface Engines {
  readonly engine: StayingEngine;
  readonly looks: ChildPlace["looks"];
  readonly bind: StayingEngine["bind"];
  readonly makeSpares: StayingEngine["makeSpares"];
  readonly close: () => Promise<void>;
}

/** Makes and finds them. */
export class ChildPlaces {
  readonly #libc: Libc;
  readonly #session: Session;
  readonly #engine: StayingEngine;
  readonly #open: (session: Session) => Promise<FurtherEngine>;
  readonly #table: ProcessTable;
  readonly #changes: OneByOne;
  readonly #ahead: NextChild<BegunEngines<Engines>>;
  /** Kept when nothing of earlier gates is removed any more: names and branches of theirs would be those of others by then. */
  #swept: Promise<unknown> = Promise.resolve();

  /** `open`: an engine in another folder, by other policies. */
  constructor(
    libc: Libc,
    session: Session,
    engine: StayingEngine,
    open: (session: Session) => Promise<FurtherEngine>,
    changes: OneByOne,
  ) {
    this.#changes = changes;
    this.#libc = libc;
    this.#session = session;
    this.#engine = engine;
    this.#open = open;
    this.#table = new ProcessTable(libc);
    this.#ahead = new NextChild((powers) => {
      if (this.named(powers.agent) === null) return null;
      const begun = this.#begunFor(powers);
      begun.begin();
      return begun;
    });
  }

  /** Ends what was begun for a child that does not come any more. */
  async close(): Promise<void> {
    await this.#ahead.close();
  }

  get #worktrees(): string {
    return this.#engine.rulebook.settings.git.worktrees;
  }

  get #place(): WorktreesPlace {
    return { workspace: this.#session.workspace, worktrees: this.#worktrees };
  }

  /** Null where a folder or a branch has the name. */
  named(agent: string): { readonly path: string; readonly branch: string } | null {
    const { workspace } = this.#session;
    const place = placeOf(workspace, this.#worktrees, agent);
    const branch = branchOf(agent);
    const packed = textIn(`${workspace}/.git/packed-refs`).split("\n");
    const taken = isThere(place) || isThere(`${workspace}/.git/refs/heads/${branch}`) ||
      packed.some((line) => line.endsWith(` refs/heads/${branch}`));
    return taken ? null : { path: place.slice(workspace.length).replace(/^\//, ""), branch };
  }

  /** `powers`: the child's. Throws NOT_A_REPOSITORY, GIT_ERROR and PERMISSION_DENIED. */
  async open(
    powers: ChildPowers,
    { from: named, maker, asked, isolation }: Begins & {
      readonly isolation: "worktree" | "clone";
    },
  ): Promise<ChildPlace> {
    const { agent, policies: further } = powers;
    const { workspace } = this.#session;
    if (asked && !leavesCommits(further, `${workspace}/.git`)) throw noCommits();
    await this.#swept;
    const isApart = worksApart(this.#engine.rulebook, maker.agent) || isChild(maker.agent);
    const own = isApart ? headNameOf(workspace, this.#worktrees, maker.agent) : null;
    const from = named ?? own ?? maker.branch;
    if (isolation === "clone") return await this.#openClone(powers, from);
    findWorktree(workspace, this.#worktrees, agent);
    const head = from === null ? headOf(workspace) : null;
    const base = head ?? await this.#commitOf(agent, from);
    const begun = this.#ahead.take(powers) ?? this.#begunFor(powers);
    const { worktree, lease } = await whileMaking(this.#place, agent, this.#table, async () => {
      const folder = placeOf(workspace, this.#worktrees, agent);
      // Where it cannot be made, whoever makes the worktree says why.
      const isFolderMade = makeEmptyFolder(this.#libc, folder);
      try {
        if (isFolderMade) await begun.furnish();
        const find = () => findWorktree(workspace, this.#worktrees, agent);
        const meanwhile = () => {
          begun.begin();
          void begun.bind(find);
        };
        const making = { from: base, meanwhile, isFolderMade };
        await this.#inTurn(() => makeWorktree(this.#engine, agent, making));
        const made = find();
        if (made === null) throw new ToolError("GIT_ERROR", "a worktree was made and is not there");
        return { worktree: made, lease: takeLease(made.home, this.#table, base) };
      } catch (error) {
        await begun.drop();
        if (isFolderMade) removeEmptyFolder(this.#libc, folder);
        throw error;
      }
    });
    try {
      const { engine, looks, close } = await begun.take(worktree);
      const next = this.#ahead.follow(powers);
      const leave = async (commits: number) => {
        next.ended();
        await close();
        return await this.#leave(lease, () => this.#leaveWorktree({ agent, base }, commits));
      };
      const path = worktree.root.slice(workspace.length).replace(/^\//, "");
      return { engine, looks, path, branch: branchOf(agent), base, leave };
    } catch (error) {
      await this.#leave(lease, () => this.#leaveWorktree({ agent, base }, 0));
      throw error;
    }
  }

  /** Those of a child in a worktree, not begun yet. */
  #begunFor({ agent, policies: further, permissions }: ChildPowers): BegunEngines<Engines> {
    const { policies, workspace } = this.#session;
    const terms = { policies, further, permissions };
    return new BegunEngines(async (worktree) => {
      const engines = await this.#engines(worktree.root, inChildWorktree(terms, worktree));
      // What cannot be begun ahead is told of where it is needed.
      await engines.engine.begin().catch(() => {});
      return engines;
    }, worktreeToBe(workspace, this.#worktrees, agent));
  }

  /** The child's, and that which the gate looks with, once it does. */
  async #engines(workspace: CanonicalPath, { own, looks }: ChildPolicies): Promise<Engines> {
    const open = (policies: readonly PlacedPolicy[]) =>
      this.#open({ ...this.#session, policies, workspace });
    const { engine, close } = await open(own);
    let looking: Promise<FurtherEngine> | null = null;
    return {
      engine,
      bind: engine.bind,
      makeSpares: engine.makeSpares,
      looks: async () => looks === null ? engine : (await (looking ??= open(looks))).engine,
      close: async () => {
        await close();
        await (await looking?.catch(() => null))?.close();
      },
    };
  }

  /** The lease is there as long as the files are: a gate that is killed meanwhile is not the last that knows of them. */
  async #leave(lease: Lease, leave: () => Promise<Left>): Promise<Left> {
    lease.unlock();
    const left = await this.#inTurn(leave);
    if (left.kept) lease.release();
    return left;
  }

  #leaveWorktree(
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

  /** Of the repository where it has a commit, else of the folder as it is. */
  async #openClone(
    { agent, policies: further, permissions }: ChildPowers,
    from: string | null,
  ): Promise<ChildPlace> {
    const { policies, workspace } = this.#session;
    const base = from === null ? headOf(workspace) : await this.#commitOf(agent, from);
    const root = placeOf(workspace, this.#worktrees, agent) as CanonicalPath;
    const branch = branchOf(agent);
    const path = root.slice(workspace.length).replace(/^\//, "");
    const clone = { place: path, branch, base };
    const own = `${root}/.git`;
    const lease = await whileMaking(this.#place, agent, this.#table, async () => {
      Deno.mkdirSync(root);
      try {
        makeEmptyRepository(own, branch);
        await this.#step(clone, "fill");
        return takeLease({ agent, common: own, own }, this.#table, base ?? "");
      } catch (error) {
        Deno.removeSync(root, { recursive: true });
        throw error;
      }
    });
    try {
      const terms = { policies, further, permissions };
      const { engine, looks, close } = await this.#engines(
        root,
        inChildClone(terms, root, { ofCommit: base !== null }),
      );
      const leave = async (commits: number) => {
        await close();
        return await this.#leave(lease, () => this.#leaveClone(agent, clone, commits));
      };
      const tip = base ?? textIn(`${root}/.git/refs/heads/${branch}`).trim();
      return { engine, looks, path, branch, base: tip, leave };
    } catch (error) {
      await this.#leave(lease, () => this.#leaveClone(agent, clone, 0));
      throw error;
    }
  }

  /** Its commits are brought into the repository first. */
  async #leaveClone(agent: string, clone: PlacedClone, commits: number): Promise<Left> {
    const step = (named: CloneStep) => () => this.#step(clone, named);
    try {
      await removeClone(this.#place, agent, this.#table, {
        look: step("collect"),
        take: step("take"),
        restore: step("restore"),
        removeEmpty: (folder) => removeEmptyFolder(this.#libc, folder),
      });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return { kept: true, why: error.message };
    }
    const why = commits > 0 ? "all of it is committed; the branch stays" : "it held nothing";
    return { kept: false, why };
  }

  /** By the tool that makes worktrees, held as every call is. */
  async #step(
    clone: PlacedClone,
    step: CloneStep,
  ): Promise<void> {
    const list = { repository: ".", action: "list" };
    const options = { chosen: { clone: { ...clone, step } } };
    await runOwn(this.#engine, clone.branch.replace(/^.*\//, ""), "git_worktree", list, options);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    return this.#changes.run(change);
  }

  /**
   * Removes what children of a gate that was killed have left and is nowhere else; what became of each. The first one that
   * there may be is begun soon after.
   */
  async sweep(): Promise<readonly string[]> {
    const sweeping = this.#sweep();
    this.#swept = sweeping.catch(() => {});
    const told = await sweeping;
    const { workspace, agent } = this.#session;
    this.#ahead.follow(powersBeforeFirst(this.#engine.rulebook, workspace, agent.name));
    return told;
  }

  async #sweep(): Promise<readonly string[]> {
    const common = `${this.#session.workspace}/.git`;
    const told: string[] = [];
    const begun = await dropHalfMade(this.#place, this.#table, {
      isWanted: isChild,
      take: (agent) => this.#takeBack(agent),
    });
    for (const { agent, kept, failed } of begun) {
      const why = failed?.message ?? kept;
      if (why === null) await dropBranch(this.#engine, agent);
      told.push(
        `what a gate that is gone had begun to make for ${agent} is ${
          why === null ? "removed" : `kept: ${why}`
        }`,
      );
    }
    await mendHalfRemoved(this.#place, this.#table, async (agent) => {
      try {
        await this.#layOutMissing(agent);
        return true;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        told.push(`what is left of the worktree of ${agent}, whose gate is gone: ${error.message}`);
        return false;
      }
    });
    for (const { agent, base } of abandonedIn(common, this.#table)) {
      if (!isChild(agent)) continue;
      const own = `${common}/worktrees/${agent}`;
      unlockAbandoned(own, this.#table);
      const begun = textIn(`${common}/refs/heads/${branchOf(agent)}`).trim() === base;
      const { kept, why } = await this.#leaveWorktree({ agent, base }, begun ? 0 : 1);
      if (kept) dropLeases(own, this.#table);
      told.push(
        `the worktree of ${agent}, whose gate is gone, is ${kept ? "kept" : "removed"}: ${why}`,
      );
    }
    dropDeadLeases(common, this.#table);
    await endHalfLeft(this.#place, this.#table, async ({ agent, base }) => {
      const tip = textIn(`${common}/refs/heads/${branchOf(agent)}`).trim();
      if (!isChild(agent) || tip === "" || tip !== base) return;
      if (!(await dropBranch(this.#engine, agent))) return;
      told.push(`the branch of ${agent}, whose gate is gone, is removed: it held nothing`);
    });
    for (const agent of namesIn(`${this.#session.workspace}/${this.#worktrees}`)) {
      const root = placeOf(this.#session.workspace, this.#worktrees, agent);
      const base = isChild(agent) ? abandonedAt(`${root}/.git`, this.#table) : null;
      if (base === null) continue;
      const branch = branchOf(agent);
      const empty = textIn(`${root}/.git/refs/heads/${branch}`).trim() === base;
      const place = root.slice(this.#session.workspace.length).replace(/^\//, "");
      const clone = { place, branch, base: base || null };
      const { kept, why } = await this.#leaveClone(agent, clone, empty ? 0 : 1);
      if (kept) dropLeases(`${root}/.git`, this.#table);
      told.push(
        `the clone of ${agent}, whose gate is gone, is ${kept ? "kept" : "removed"}: ${why}`,
      );
    }
    return told;
  }

  /** What one that is gone had begun to make for a child: null, or why it stays. */
  async #takeBack(agent: string): Promise<string | null> {
    const { workspace } = this.#session;
    const root = placeOf(workspace, this.#worktrees, agent);
    const own = `${root}/.git`;
    if (!isFolder(own)) return await takeBackWorktree(this.#engine, agent);
    const branch = branchOf(agent);
    const clone = { place: root.slice(workspace.length).replace(/^\//, ""), branch, base: null };
    const isFilled = textIn(`${own}/refs/heads/${branch}`) !== "";
    const step = (named: CloneStep) => async () => {
      if (isFilled) await this.#step(clone, named);
    };
    try {
      await removeClone(this.#place, agent, this.#table, {
        look: () => requireAsFilled(own, clone),
        take: step("takeBegun"),
        restore: step("restore"),
        removeEmpty: (folder) => removeEmptyFolder(this.#libc, folder),
      });
      return null;
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "GIT_ERROR") throw error;
      return error.message;
    }
  }

  async #layOutMissing(agent: string): Promise<void> {
    const { workspace } = this.#session;
    const root = placeOf(workspace, this.#worktrees, agent);
    if (namesIn(`${root}/.git`).length === 0) return await layOutMissing(this.#engine, agent);
    // Whose what else there is in it: it is judged anew.
    const place = root.slice(workspace.length).replace(/^\//, "");
    await this.#step({ place, branch: branchOf(agent), base: null }, "restore");
  }

  async #commitOf(agent: string, from: string | null): Promise<string> {
    const ref = from === null ? {} : { ref: from };
    const { commits } = await runOwn(this.#engine, agent, "git_log", { limit: 1, ...ref }) as {
      readonly commits: readonly { readonly hash: string }[];
    };
    const [first] = commits;
    if (first !== undefined) return first.hash;
    throw new ToolError(
      "GIT_ERROR",
      "the repository has no commit yet that a branch could begin at",
    );
  }
}

function noCommits(): ToolError {
  return new ToolError(
    "PERMISSION_DENIED",
    "base: what you were handed on does not let you read the repository, whose commits it names",
  );
}

/** Whether an agent's name is one that a child is given. */
function isChild(agent: string): boolean {
  return /^child-[\d-]+$/.test(agent);
}
