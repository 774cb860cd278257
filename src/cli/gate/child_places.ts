/** Working files for child agents: git worktrees, each with a branch, a lease and an engine of its own. */

import type { CanonicalPath } from "../../core/capability.ts";
import { quoted } from "../../core/printable.ts";
import { ToolError } from "../../core/errors.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import { runOwn } from "../../engine/own_call.ts";
import {
  branchOf,
  findWorktree,
  headNameOf,
  makeWorktree,
  placeOf,
  worktreeToBe,
} from "../../engine/worktrees/agent_worktree.ts";
import { takeLease } from "../../engine/worktrees/leases.ts";
import { whileMaking, type WorktreesPlace } from "../../engine/worktrees/making.ts";
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
import { isChild, sweepLeftovers } from "./_child_leftovers.ts";
import { ChildRemoval, placedClone } from "./_child_removal.ts";
import { isThere, textIn } from "../../engine/worktrees/what_is_there.ts";

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
  readonly #removal: ChildRemoval;
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
    const [place, table] = [this.#place, this.#table];
    this.#removal = new ChildRemoval({ libc, engine, place, table, changes });
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

  /** Null where a folder, a branch, or a folder of branches has the name. */
  named(agent: string): { readonly path: string; readonly branch: string } | null {
    const { workspace } = this.#session;
    const place = placeOf(workspace, this.#worktrees, agent);
    const branch = branchOf(agent);
    const packed = textIn(`${workspace}/.git/packed-refs`).split("\n");
    const taken = isThere(place) || isThere(`${workspace}/.git/refs/heads/${branch}`) ||
      packed.some((line) => `${line}/`.includes(` refs/heads/${branch}/`));
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
    this.#requireRepository(agent);
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
        await this.#changes.run(() => makeWorktree(this.#engine, agent, making));
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
        return await this.#removal.leave(
          lease,
          () => this.#removal.leaveWorktree({ agent, base }, commits),
        );
      };
      const path = worktree.root.slice(workspace.length).replace(/^\//, "");
      return { engine, looks, path, branch: branchOf(agent), base, leave };
    } catch (error) {
      await this.#removal.leave(lease, () => this.#removal.leaveWorktree({ agent, base }, 0));
      throw error;
    }
  }

  /** Throws NOT_A_REPOSITORY where there could be no worktree, and GIT_ERROR where something has its place. */
  #requireRepository(agent: string): void {
    try {
      findWorktree(this.#session.workspace, this.#worktrees, agent);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "NOT_A_REPOSITORY") throw error;
      throw new ToolError(error.code, `${error.message}; ${CLONES}`);
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

  /** Of the repository where it has a commit, else of the folder as it is. */
  async #openClone(
    { agent, policies: further, permissions }: ChildPowers,
    from: string | null,
  ): Promise<ChildPlace> {
    const { policies, workspace } = this.#session;
    const base = from === null ? headOf(workspace) : await this.#commitOf(agent, from);
    const root = placeOf(workspace, this.#worktrees, agent) as CanonicalPath;
    const clone = placedClone(this.#place, agent, base);
    const { branch, place: path } = clone;
    const own = `${root}/.git`;
    const lease = await whileMaking(this.#place, agent, this.#table, async () => {
      Deno.mkdirSync(root);
      try {
        makeEmptyRepository(own, branch);
        await this.#removal.step(clone, "fill");
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
        return await this.#removal.leave(
          lease,
          () => this.#removal.leaveClone(agent, clone, commits),
        );
      };
      const tip = base ?? textIn(`${root}/.git/refs/heads/${branch}`).trim();
      return { engine, looks, path, branch, base: tip, leave };
    } catch (error) {
      await this.#removal.leave(lease, () => this.#removal.leaveClone(agent, clone, 0));
      throw error;
    }
  }

  /**
   * Removes what children of a gate that was killed have left and is nowhere else; what became of each. The first one that
   * there may be is begun soon after.
   */
  async sweep(): Promise<readonly string[]> {
    const sweeping = sweepLeftovers({
      libc: this.#libc,
      engine: this.#engine,
      place: this.#place,
      table: this.#table,
      removal: this.#removal,
    });
    this.#swept = sweeping.catch(() => {});
    const told = await sweeping;
    const { workspace, agent } = this.#session;
    this.#ahead.follow(powersBeforeFirst(this.#engine.rulebook, workspace, agent.name));
    return told;
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
      from === null
        ? `the repository has no commit yet that a branch could begin at; ${CLONES}`
        : `base: ${quoted(from)} is no commit`,
    );
  }
}

/** What goes where a worktree does not. */
const CLONES = "isolation: clone works on a copy of what is there";

function noCommits(): ToolError {
  return new ToolError(
    "PERMISSION_DENIED",
    "base: what you were handed on does not let you read the repository, whose commits it names",
  );
}
