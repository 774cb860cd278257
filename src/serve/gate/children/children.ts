/** The child agents of a gate: begun, asked about, told things, and ended, each by who may. */

import { ToolError } from "../../../core/errors.ts";
import { printable, quoted } from "../../../core/printable.ts";
import type { PermissionGroup } from "../../../core/tool.ts";
import { childCommand, runChildProgram } from "../../../engine/children/start_program.ts";
import type { Approver } from "../../../engine/approvals/approvals.ts";
import type { StayingEngine } from "../../../engine/create_engine.ts";
import { delegate, type Maker, type Token, type TokenPlace } from "../token.ts";
import { TOKEN_OVER } from "../tokens.ts";
import { type AgentCalls, notConfigured } from "./agent_runner.ts";
import { resultsOf, untilEnded } from "./aggregate.ts";
import { type Begins, Child, type ChildLine, type ChildPlace } from "./child.ts";
import { changesIn, changesOf } from "./_looking.ts";
import {
  ending,
  isBelow,
  type Isolation,
  isolationOf,
  isOwner,
  messageOf,
  requireGoing,
} from "./_powers.ts";
import { Minders } from "../minders.ts";
import type { ChildrenRule } from "../../../policy/model.ts";
import { firstLine, tell } from "./tongue.ts";
import { Receipt } from "./receipt.ts";
import { listed, statusOf } from "./_reports.ts";

/** What a gate has for its children. */
export interface ChildrenParts {
  readonly engine: StayingEngine;
  readonly place: TokenPlace;
  /** Has `end` called when a token is over; gives what takes that back, or null where it is over already. */
  readonly follow: (token: Token, end: (why: string) => void) => (() => void) | null;
  /** Of this program: what it says of itself to agents of other tongues. */
  readonly version: string;
  /** Of a name that neither a folder nor a branch has: where its working files would be, and its branch. */
  readonly named: (agent: string) => { readonly path: string; readonly branch: string } | null;
  /** Makes the working files. Throws NOT_A_REPOSITORY, GIT_ERROR and PERMISSION_DENIED. */
  readonly open: (token: Token, begins: Begins, isolation: Isolation) => Promise<ChildPlace>;
  /** A line to a program, whose requests are the child's. Throws RESOURCE_LIMIT. */
  readonly connect: (child: Child, place: ChildPlace) => {
    readonly line: ChildLine;
    /** What its program is given as input and output. */
    readonly descriptor: number;
    /** Nothing more comes from there. */
    readonly endInput: () => void;
    readonly closeDescriptor: () => void;
  };
}

/** Who asks: as a maker of tokens, and as a child where he is one. */
export interface Parent {
  readonly maker: Maker;
  readonly child: Child | null;
}

/** Children that have ended and are still told of. */
const MOST_ENDED = 256;

interface SpawnInput {
  readonly task: string;
  readonly context?: unknown;
  readonly permissions?: readonly PermissionGroup[];
  readonly tokens?: number;
  readonly timeout_ms?: number;
  readonly base?: string;
  readonly isolation?: Isolation;
}

/** All children of a gate. */
export class Children {
  readonly #parts: ChildrenParts;
  readonly #all = new Map<string, Child>();
  readonly #last = new Map<string, number>();
  #closed = false;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
  }

  /** The agent tools, as one caller has them. `parent`: by the name that the call was judged by. */
  callsOf(parent: (agent: string) => Parent): AgentCalls {
    return async (tool, input, signal, agent) => {
      const who = parent(agent);
      const given = input as Readonly<Record<string, unknown>>;
      this.#minds(who);
      switch (tool) {
        case "spawn_child_agent":
          return await this.#spawn(who, input as SpawnInput);
        case "get_agent_status":
          return await this.#status(this.#of(who, given["agent_id"]));
        case "send_message_to_agent":
          return this.#send(who, this.#of(who, given["agent_id"]), given["message"]);
        case "terminate_agent":
          return await this.#terminate(this.#of(who, given["agent_id"]), given["reason"]);
        case "list_active_agents":
          return this.#list(who, given["all"] === true);
        default:
          return await this.#aggregate(who, given, signal);
      }
    };
  }

  /** Who asks about his own is there to be asked by them. */
  #minds({ maker, child: self }: Parent): void {
    if (self !== null) return;
    for (const child of this.#living) {
      if (child.parent === null && isOwner(child, maker)) child.minders.add(maker.approver);
    }
  }

  /** Ends all of them, and waits until they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const living = this.#living;
    for (const child of living) child.end("terminated", "the gate has ended");
    await Promise.all(living.map(({ done }) => done));
  }

  /** How many have not ended. */
  get living(): number {
    return this.#living.length;
  }

  get #living(): readonly Child[] {
    return [...this.#all.values()].filter(({ ended }) => ended === null);
  }

  /** Those of whom somebody may know: what he made, and what those made. */
  #mine({ maker, child: self }: Parent): readonly Child[] {
    return [...this.#all.values()].filter((child) => {
      if (self !== null) return isBelow(child, self);
      let first = child;
      while (first.parent !== null) first = first.parent;
      return isOwner(first, maker) || (maker.operator && maker.token === null);
    });
  }

  #of(who: Parent, id: unknown): Child {
    const found = this.#mine(who).find((child) => child.id === id);
    if (found !== undefined) return found;
    const known = this.#mine(who).map((child) => child.id);
    throw new ToolError(
      "AGENT_NOT_FOUND",
      `agent_id: no child of yours is ${quoted(String(id), 100)}; ` +
        (known.length === 0 ? "you have none" : `yours are ${known.slice(-20).join(", ")}`),
    );
  }

  /** The next name that nothing else has. */
  #name(
    parent: Child | null,
  ): { readonly id: string; readonly path: string; readonly branch: string } {
    const stem = parent === null ? "child" : parent.id;
    for (let at = (this.#last.get(stem) ?? 0) + 1;; at++) {
      this.#last.set(stem, at);
      const id = `${stem}-${at}`;
      const place = this.#parts.named(id);
      if (place !== null) return { id, ...place };
    }
  }

  async #spawn({ maker, child: parent }: Parent, input: SpawnInput): Promise<unknown> {
    const { engine, place: tokens } = this.#parts;
    const { children: rule, limits } = engine.rulebook.settings;
    if (rule === null) throw notConfigured();
    const limited = (message: string) => new ToolError("AGENT_LIMIT", message);
    if (this.#closed) throw limited("the gate is ending");
    if (limits.concurrency < 2) throw limited("child agents need limits.concurrency of 2 at least");
    if ((parent?.depth ?? 0) >= rule.depth) {
      throw limited(`children.depth is ${rule.depth}: you are as deep as they go`);
    }
    if (parent?.ending !== null && parent !== null) throw limited("you are ending");
    if (this.#living.length >= rule.max) {
      throw limited(`children.max is ${rule.max}, and so many live; wait for one, or end it`);
    }
    const { id, path, branch } = this.#name(parent);
    const receipt = new Receipt(this.#rootOf(path), Date.now());
    const token = delegate(maker, {
      agent: id,
      permissions: input.permissions ?? null,
      paths: null,
      commands: null,
      tokens: input.tokens ?? null,
      expiresMs: null,
      uid: null,
    }, { id, alive: () => requireGoing(child), place: tokens, named: true });
    const { uid, agent, token: own } = maker;
    const owner = { uid, agent: agent.name, token: own?.id ?? null };
    const child: Child = new Child({
      id,
      task: input.task,
      context: input.context ?? null,
      token: {
        ...token,
        approver: this.#approver(() => child),
        budget: ending(token.budget, (why) => child.end("failed", why)),
      },
      parent,
      owner,
      receipt,
      branch,
      path,
      minders: new Minders(token.approver),
    });
    this.#all.set(id, child);
    try {
      this.#endWithToken(child, maker);
      const begins = {
        from: input.base ?? null,
        maker: parent === null
          ? { agent: maker.agent.name, branch: null }
          : { agent: parent.id, branch: parent.branch },
        asked: input.base !== undefined,
      };
      const isolation = isolationOf(rule, input.isolation);
      const place = await this.#parts.open(child.token, begins, isolation);
      child.base = place.base;
      const running = this.#begin(
        child,
        place,
        input,
        Math.min(rule.timeout, input.timeout_ms ?? Infinity),
      );
      void running.then(() => this.#forget());
    } catch (error) {
      this.#all.delete(id);
      child.settle();
      throw error;
    }
    return { agent_id: id, status: child.status, worktree: path, branch, base: child.base };
  }

  /** Who came with a token has nothing of it that goes on without it. Throws PERMISSION_DENIED where it is over. */
  #endWithToken(child: Child, { token }: Maker): void {
    // A child's own is none that anybody has shown: it ends with the child.
    if (token === null || child.parent !== null) return;
    const unfollow = this.#parts.follow(token, (why) => child.end("terminated", why));
    if (unfollow === null) throw new ToolError("PERMISSION_DENIED", TOKEN_OVER);
    void child.done.then(unfollow);
  }

  get #protocol(): ChildrenRule["protocol"] {
    return this.#parts.engine.rulebook.settings.children?.protocol ?? "ndjson";
  }

  #rootOf(path: string): string {
    const { workspace } = this.#parts.place;
    return `${workspace === "/" ? "" : workspace}/${path}`;
  }

  /** Asks who stands above, and says so meanwhile. */
  #approver(child: () => Child): Approver {
    return {
      ask: (pending, withdrawn) =>
        child().waits(pending.description, child().minders.ask(pending, withdrawn)),
    };
  }

  async #begin(
    child: Child,
    place: ChildPlace,
    { task }: SpawnInput,
    timeoutMs: number,
  ): Promise<void> {
    const { command = [] } = this.#parts.engine.rulebook.settings.children ?? {};
    try {
      const { line, descriptor, endInput, closeDescriptor } = this.#parts.connect(child, place);
      let cancel: () => void = () => {};
      child.begun = { place, line, cancel: () => cancel() };
      line.write(firstLine(this.#protocol, child, this.#parts.version));
      try {
        // Somebody may have ended it before there was anything to run.
        if (child.ending === null) {
          child.programEnded(
            await runChildProgram(place.engine, {
              agent: child.id,
              argv: childCommand(command, task),
              descriptor,
              environment: { TOOLGATE_TASK: task, TOOLGATE_AGENT: child.id },
              timeoutMs,
              onLog: (text) => child.say(text),
              onRunning: (how) => {
                cancel = how;
                // What it asks first is answered by a thread that starts while it does.
                place.engine.warm();
                if (child.ending !== null) how();
              },
            }),
          );
        }
      } finally {
        endInput();
        await line.finish();
        closeDescriptor();
      }
    } catch (error) {
      child.ending ??= { status: "failed", why: messageOf(error) };
    }
    try {
      await this.#finish(child, place);
    } catch (error) {
      // Nobody waits for this but who asks: what could not be looked at is kept.
      child.worktree = { ...child.worktree, why: messageOf(error) };
      child.settle();
    }
  }

  async #finish(child: Child, place: ChildPlace): Promise<void> {
    const below = this.#living.filter(({ parent }) => parent === child);
    for (const one of below) one.end("terminated", "its parent has ended");
    await Promise.all(below.map(({ done }) => done));
    child.changes = await changesIn(place, child, this.#parts.engine);
    // Who asks from now on is told these.
    await child.unlooked();
    const { path } = child.worktree;
    child.worktree = { path, ...await place.leave(child.changes.commits.length) };
    child.settle();
  }

  async #status(child: Child): Promise<unknown> {
    return statusOf(child, await changesOf(child, this.#parts.engine));
  }

  #send({ maker, child: self }: Parent, child: Child, message: unknown): unknown {
    return tell(this.#protocol, child, { from: self?.id ?? maker.agent.name, message });
  }

  async #terminate(child: Child, reason: unknown): Promise<unknown> {
    if (child.ended === null) {
      const why = typeof reason === "string" ? printable(reason, 500) : "it was ended";
      child.end("terminated", why);
      await child.done;
    }
    const { id, status, worktree } = child;
    return { agent_id: id, status, worktree };
  }

  #list(who: Parent, all: boolean): unknown {
    return { agents: this.#mine(who).filter(({ ended }) => all || ended === null).map(listed) };
  }

  async #aggregate(
    who: Parent,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const ids = given["agent_ids"] as readonly string[] | undefined;
    const children = ids === undefined ? this.#mine(who) : ids.map((id) => this.#of(who, id));
    await untilEnded(children, Number(given["wait_ms"] ?? 0), signal);
    return await resultsOf(this.#parts.engine, {
      children,
      asking: { agent: who.maker.agent.name, child: who.child },
    });
  }

  /** The oldest of those that have ended. */
  #forget(): void {
    const ended = [...this.#all.values()].filter((child) => child.ended !== null);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) {
      this.#all.delete(id);
    }
  }
}
