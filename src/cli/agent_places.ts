/** Worktrees of agents that work apart, several of them in one process: each with an engine, which it keeps as long as one speaks as it. */

import { ToolError } from "../core/errors.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import {
  findWorktree,
  makeWorktree,
  nameOf,
  takeBackWorktree,
} from "../engine/worktrees/agent_worktree.ts";
import { dropDeadLeases, takeLease } from "../engine/worktrees/leases.ts";
import { dropHalfMade, whileMaking } from "../engine/worktrees/making.ts";
import type { OneByOne } from "../engine/worktrees/one_by_one.ts";
import {
  placeHandedOn,
  placeInWorktree,
  type Worktree,
} from "../engine/worktrees/place_policies.ts";
import { worksApart } from "../engine/worktrees/works_apart.ts";
import { ProcessTable } from "../host/kernel/process_table.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import type { ApartEngine } from "../serve/apart_engines.ts";
import type { Session } from "./session.ts";

/** The engine of an agent in its worktree. */
export interface AgentPlace extends ApartEngine {
  readonly session: Session;
  readonly worktree: Worktree;
  /** Another one there, under these policies beside. */
  readonly narrowed: (further: readonly PlacedPolicy[]) => Promise<ApartEngine>;
}

/** Each has threads of its own. */
const MOST = 32;

interface Used {
  readonly opened: Promise<AgentPlace>;
  users: number;
}

/** What it takes. */
export interface AgentPlacesOptions {
  readonly libc: Libc;
  /** That of the workspace. */
  readonly session: Session;
  readonly engine: StayingEngine;
  /** Whether the runtime's permissions are those of the policy, so that nothing else can be opened. */
  readonly sealed: boolean;
  /** An engine in another folder, by other policies. */
  readonly open: (session: Session) => Promise<ApartEngine>;
  readonly changes: OneByOne;
}

/** Finds them, makes them, and lets go of them. */
export class AgentPlaces {
  readonly #options: AgentPlacesOptions;
  readonly #table: ProcessTable;
  readonly #used = new Map<string, Used>();

  constructor(options: AgentPlacesOptions) {
    this.#options = options;
    this.#table = new ProcessTable(options.libc);
  }

  /**
   * Null for an agent that works where everybody does. Rejects with NOT_A_REPOSITORY, GIT_ERROR, PERMISSION_DENIED (sealed)
   * and RESOURCE_LIMIT.
   */
  use(agent: string): Promise<AgentPlace> | null {
    return this.has(agent) ? this.placeOf(agent) : null;
  }

  /** Whether the agent works in one of them. */
  has(agent: string): boolean {
    return worksApart(this.#options.engine.rulebook, agent);
  }

  /** As {@linkcode use}, of an agent that {@linkcode has} tells of, for who comes with a token of these policies. */
  async handedOn(agent: string, policies: readonly PlacedPolicy[]): Promise<AgentPlace> {
    const place = await this.placeOf(agent);
    const taken = placeHandedOn(policies, place.worktree);
    try {
      const { engine, close } = await place.narrowed(taken);
      return {
        ...place,
        engine,
        narrowed: (further) => place.narrowed([...taken, ...further]),
        close: async () => {
          await close();
          await place.close();
        },
      };
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  /** As {@linkcode use}, of an agent that {@linkcode has} tells of. */
  async placeOf(agent: string): Promise<AgentPlace> {
    const used = this.#used.get(agent) ?? this.#begin(agent);
    used.users++;
    try {
      const place = await used.opened;
      let left = false;
      const close = async () => {
        if (!left) await this.#leave(agent, used);
        left = true;
      };
      return { ...place, close };
    } catch (error) {
      await this.#leave(agent, used);
      throw error;
    }
  }

  #begin(agent: string): Used {
    if (this.#used.size >= MOST) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `as many agents as can work in worktrees of one process do (${MOST}); end some, or start another toolgate`,
      );
    }
    const used = { opened: this.#open(agent), users: 0 };
    this.#used.set(agent, used);
    return used;
  }

  async #leave(agent: string, used: Used): Promise<void> {
    if (--used.users > 0) return;
    if (this.#used.get(agent) === used) this.#used.delete(agent);
    const place = await used.opened.catch(() => null);
    await place?.close();
  }

  async #open(agent: string): Promise<AgentPlace> {
    const { session, engine, open, changes } = this.#options;
    const worktree = await changes.run(() => this.#worktreeOf(agent));
    const lease = takeLease(worktree.home, this.#table);
    const own = {
      ...session,
      policies: placeInWorktree(session.policies, worktree),
      workspace: worktree.root,
      agent: { name: agent, pinned: true },
    };
    // What counts for all of the process counts here.
    const shared = { budgets: engine.budgets };
    try {
      const opened = await open(own);
      return {
        session: own,
        worktree,
        engine: { ...opened.engine, ...shared },
        narrowed: async (further) => {
          const narrowed = await open({ ...own, policies: [...own.policies, ...further] });
          return { ...narrowed, engine: { ...narrowed.engine, ...shared } };
        },
        close: async () => {
          await opened.close();
          lease.release();
        },
      };
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  async #worktreeOf(agent: string): Promise<Worktree> {
    const { session: { workspace }, engine, sealed } = this.#options;
    if (sealed) {
      throw new ToolError(
        "PERMISSION_DENIED",
        `agent ${agent} works in a git worktree (agents.worktree), and a sealed binary may use its own folder alone`,
      );
    }
    const { worktrees } = engine.rulebook.settings.git;
    const place = { workspace, worktrees };
    dropDeadLeases(`${workspace}/.git`, this.#table);
    const begun = await dropHalfMade(place, this.#table, {
      isWanted: (name) => name === nameOf(agent),
      take: () => takeBackWorktree(engine, agent),
    });
    for (const { failed } of begun) if (failed !== null) throw failed;
    const found = findWorktree(workspace, worktrees, agent);
    if (found !== null) return found;
    await whileMaking(place, agent, this.#table, () => makeWorktree(engine, agent));
    const made = findWorktree(workspace, worktrees, agent);
    if (made !== null) return made;
    throw new ToolError("GIT_ERROR", "a worktree was made and is not there");
  }
}
