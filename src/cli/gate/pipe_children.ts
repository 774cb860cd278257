/**
 * The child agents of who speaks over a pipe: they come to a gate that nobody else can come to, made when the first of
 * their tools is called, and ended with the pipe.
 */

import { ToolError } from "../../core/errors.ts";
import type { Approver } from "../../engine/approvals/approvals.ts";
import { engineOfOne, type StayingEngine } from "../../engine/create_engine.ts";
import { OneByOne } from "../../engine/worktrees/one_by_one.ts";
import { ProgramSharing } from "../../engine/programs/program_sharing.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { type AgentCalls, withAgents } from "../../serve/gate/children/agent_runner.ts";
import type { Caller } from "../../serve/gate/caller.ts";
import type { Children, Parent } from "../../serve/gate/children/children.ts";
import { FairPlaces } from "../../serve/gate/fair_runner.ts";
import { Gate } from "../../serve/gate/gate.ts";
import { asAgent } from "../../serve/gate/token.ts";
import type { Invocation } from "../invocation.ts";
import { openStayingEngine, type Session } from "../session.ts";
import { complain } from "../stdio.ts";
import { ChildPlaces } from "./child_places.ts";
import { heard, openGateKernel } from "./kernel.ts";
import { openChildren } from "./open_children.ts";

/** Who the children of a pipe belong to: who is at its other end. */
export interface PipeParent {
  readonly approver: Approver;
  /** What holds for him beside the policies: the roots of an MCP client. */
  readonly narrowing: readonly PlacedPolicy[];
}

/** A gate without a socket. */
interface Opened {
  readonly children: Children;
  readonly uid: number;
  readonly end: () => Promise<void>;
}

/** An engine, and the child agents of who speaks to it. */
export class PipeChildren {
  /** The session's. It outlives the children, and whoever has opened them ends it. */
  readonly engine: StayingEngine;
  readonly #session: Session;
  /** An engine beside it, in another folder or by other policies. */
  readonly openApart: (session: Session) => Promise<StayingEngine>;
  readonly worktrees = new OneByOne();
  readonly #places: FairPlaces;
  readonly #version: string;
  #opened: Promise<Opened> | null = null;

  private constructor(
    engine: StayingEngine,
    session: Session,
    openApart: (session: Session) => Promise<StayingEngine>,
    version: string,
  ) {
    this.#version = version;
    this.engine = engine;
    this.#session = session;
    this.openApart = openApart;
    this.#places = new FairPlaces(engine.rulebook.settings.limits.concurrency);
  }

  /** None lives yet. Throws a UsageError where policies contradict each other. */
  static async open(session: Session, invocation: Invocation): Promise<PipeChildren> {
    const sharing = new ProgramSharing();
    const engine = await openStayingEngine(session, invocation, { sharing });
    const apart = (other: Session) =>
      openStayingEngine(other, invocation, { sharing, recorder: engine.recorder });
    const children = new PipeChildren(engine, session, apart, invocation.embedded.version);
    // What one that was killed has left is looked for where there may be something.
    if (isFolder(`${session.workspace}/.git/worktrees`)) void children.#get().catch(() => {});
    return children;
  }

  /** The session's engine, which calls them for `parent`: asked for whenever one is called. To close it closes nothing. */
  engineOf(parent: () => PipeParent): StayingEngine {
    return this.#with(this.engine, parent, () => Promise.resolve());
  }

  /** The same under these policies beside the session's, with threads of its own. */
  async narrowedEngineOf(
    parent: () => PipeParent,
    further: readonly PlacedPolicy[],
  ): Promise<StayingEngine> {
    const { policies } = this.#session;
    const { budgets, approvals } = this.engine;
    const engine = await this.openApart({
      ...this.#session,
      policies: [...policies, ...further],
    });
    return this.#with({ ...engine, budgets, approvals }, parent, () => engine.runner.close());
  }

  /** Ends all of them, since nobody is there any more to whom they belong; kept when nothing is left of them. */
  async end(): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    await opened?.end();
  }

  /** The agent tools, for whoever has an engine of his own beside the session's. */
  callsOf(parent: () => PipeParent): AgentCalls {
    return async (tool, input, signal, agent) => {
      const { children, uid } = await this.#get();
      const who = (name: string): Parent => ({
        maker: this.#makerOf(parent(), name, uid),
        child: null,
      });
      return await children.callsOf(who)(tool, input, signal, agent);
    };
  }

  #with(
    engine: StayingEngine,
    parent: () => PipeParent,
    close: () => Promise<void>,
  ): StayingEngine {
    const shared = this.#places.share(engine.runner, close);
    return engineOfOne(engine, withAgents(shared, this.callsOf(parent)));
  }

  #makerOf({ approver, narrowing }: PipeParent, name: string, uid: number): Parent["maker"] {
    const { rulebook, budgets: budget } = this.engine;
    const { agent } = this.#session;
    const own = { uid, agent, operator: true, token: null, narrowing, rulebook, budget, approver };
    return asAgent(own, name);
  }

  #get(): Promise<Opened> {
    return this.#opened ??= this.#open();
  }

  async #open(): Promise<Opened> {
    const kernel = openGateKernel();
    if (kernel === null) {
      throw new ToolError("GATE_REQUIRED", "child agents need Linux with glibc");
    }
    const { libc } = kernel;
    const { limits, killGraceMs, children: rule } = this.engine.rulebook.settings;
    const runners = new Set([this.engine.runner]);
    const childPlaces = new ChildPlaces(
      libc,
      this.#session,
      this.engine,
      async (apart) => heard(await this.openApart(apart), runners),
      this.worktrees,
    );
    const uid = libc.call(libc.numbers.geteuid);
    const child: Caller = { uid, agent: null, operator: false, onlyWithToken: null };
    const tokenPlace = {
      workspace: this.#session.workspace,
      budgets: this.engine.budgets,
      hears: (user: number) => user === uid,
      now: Date.now,
    };
    const children: Children = openChildren(libc, {
      engine: this.engine,
      childPlaces,
      tokenPlace,
      places: this.#places,
      // Nobody comes to a pipe with a token.
      follow: () => null,
      uid,
      version: this.#version,
      adopt: (descriptor, open) => gate.adopt(descriptor, child, open),
    });
    const most = rule?.max ?? 0;
    const nobody = "nobody can connect to it";
    const gate: Gate = new Gate({
      ...kernel,
      listener: null,
      requestBytes: limits.request,
      most: { all: most, user: most },
      admit: () => ({ refused: nobody }),
      open: () => Promise.reject(new ToolError("PERMISSION_DENIED", nobody)),
      runners: () => runners,
      busy: () => children.living > 0,
    });
    const running = gate.run();
    if (rule !== null) {
      for (const told of await childPlaces.sweep()) {
        if (!this.#session.quiet) complain(`toolgate: ${told}`);
      }
    }
    const end = async () => {
      await Promise.all([children.close(), childPlaces.close()]);
      gate.stop(killGraceMs);
      await running;
    };
    return { children, uid, end };
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}
