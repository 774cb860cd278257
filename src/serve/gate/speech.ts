/** What is spoken over one connection, and as whom: the server that its lines go to. */

import { resultError } from "../../core/result.ts";
import { ToolError } from "../../core/errors.ts";
import type { Approver } from "../../engine/approvals/approvals.ts";
import { engineOfOne, type StayingEngine } from "../../engine/create_engine.ts";
import type { McpServer } from "../mcp/mcp_server.ts";
import { ReadingServer } from "../reading_server.ts";
import { type PipeAgent, Server } from "../server.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Caller } from "./caller.ts";
import type { Opening, Speech } from "./_connection.ts";
import type { FairPlaces } from "./fair_runner.ts";
import type { Outbox } from "./_outbox.ts";
import { ApartEngines } from "../apart_engines.ts";
import { withAgents } from "./children/agent_runner.ts";
import type { Children } from "./children/children.ts";
import { asAgent, type Maker, type Token } from "./token.ts";
import type { FurtherEngine, TokenEngines } from "./token_engines.ts";
import { TOKEN_OVER, type TokenReport, type Tokens } from "./tokens.ts";
import { makeToken, revokeToken } from "./_token_operations.ts";

/** What a gate has for all. */
export interface SpeechParts {
  readonly engine: StayingEngine;
  readonly places: FairPlaces;
  readonly tokens: Tokens;
  readonly tokenEngines: TokenEngines<FurtherEngine>;
  readonly children: Children;
  /** Whether the policies let a pipe register custom tools. */
  readonly registration: boolean;
  readonly status: (tokens: readonly TokenReport[]) => unknown;
  readonly stop: () => void;
  readonly version: string;
  readonly workspace: CanonicalPath;
  /** An engine under the policies and these, whose runner the gate listens to until it is closed. */
  readonly openEngine: (further: readonly PlacedPolicy[]) => Promise<FurtherEngine>;
  /** The engine of an agent that works in a folder of its own, under what a token takes away; null for others. */
  readonly useApart: (agent: string, token: Token | null) => Promise<AgentFolder> | null;
}

/** An agent's engine in its own folder. */
interface AgentFolder extends FurtherEngine {
  readonly session: { readonly workspace: CanonicalPath };
  readonly narrowed: SpeechParts["openEngine"];
}

/** As whom a connection speaks, and with what. */
interface Bearer {
  readonly caller: Caller;
  readonly agent: PipeAgent | null;
  readonly token: Token | null;
  readonly engine: StayingEngine;
  readonly close: () => void;
}

/**
 * Throws PERMISSION_DENIED for a token that is not good, for who is heard only with one, and for messages of MCP from who
 * is no agent.
 */
export async function openSpeech(
  caller: Caller,
  outbox: Outbox,
  opening: Opening,
  parts: SpeechParts,
): Promise<Speech> {
  const bearer = await bearerOf(caller, opening, parts, outbox);
  try {
    return opening.protocol === "mcp"
      ? await openMcp(bearer, outbox, parts)
      : openPipe(bearer, outbox, parts);
  } catch (error) {
    bearer.close();
    throw error;
  }
}

async function bearerOf(
  caller: Caller,
  { token: secret, end }: Opening,
  { engine, places, tokens, tokenEngines }: SpeechParts,
  outbox: Outbox,
): Promise<Bearer> {
  if (secret === null) {
    if (caller.onlyWithToken !== null) throw denied(caller.onlyWithToken);
    const own = engineOfOne(engine, places.share(engine.runner, stays, outbox));
    return { caller, agent: caller.agent, token: null, engine: own, close: () => {} };
  }
  const token = tokens.shown(secret, caller.uid);
  // One answer for all: who guesses learns nothing of what he has guessed.
  if (token === null) throw denied("hello: no token that is good for you; ask for another");
  const { engine: narrowed, close } = await tokenEngines.use(token);
  const unfollow = tokens.follow(token, {
    kind: "connection",
    end: () => end(resultError("PERMISSION_DENIED", TOKEN_OVER)),
  });
  if (unfollow === null) {
    await close();
    throw denied(TOKEN_OVER);
  }
  const shared = places.share(narrowed.runner, close, outbox);
  return {
    caller: { ...caller, operator: false },
    agent: { name: token.agent, pinned: true },
    token,
    engine: engineOfOne(narrowed, shared),
    close: () => {
      unfollow();
      void shared.close();
    },
  };
}

function openPipe(bearer: Bearer, outbox: Outbox, parts: SpeechParts): Speech {
  const { caller: { operator }, agent, token, engine } = bearer;
  const { registration, status, stop, tokens, children, places, useApart } = parts;
  const operatorsOnly = <T>(act: () => T): T => {
    if (!operator) throw denied("this is for the gate's own user");
    return act();
  };
  const maker = (approver: Approver): Maker => makerOf(bearer, approver);
  const parent = (name: string) => ({ maker: asAgent(maker(server.approver), name), child: null });
  const calls = children.callsOf(parent);
  const runner = withAgents(engine.runner, calls);
  const apart = new ApartEngines(
    (agent) => useApart(agent, token),
    (own) => ({
      ...own,
      metrics: engine.metrics,
      runner: withAgents(places.share(own.runner, stays, outbox), calls),
    }),
  );
  const server: Server = new Server({ ...engine, runner }, agent ?? NOBODY, outbox, {
    // A tool that one registers is there for all.
    registration: registration && operator,
    mute: agent === null ? NO_AGENT : null,
    approver: token?.approver ?? null,
    apart,
    gate: {
      status: (approver) => operatorsOnly(() => status(tokens.report(maker(approver)))),
      stop: () =>
        operatorsOnly(() => {
          stop();
          return { stopping: true };
        }),
      token(terms, approver) {
        if (agent === null) throw denied(NO_AGENT);
        return makeToken(tokens, maker(approver), terms, engine.recorder);
      },
      revoke: (id) => revokeToken(tokens, maker(NOBODY_ASKED), id, engine.recorder),
    },
  });
  return {
    server: new ReadingServer(server),
    agent: agent?.name ?? null,
    close: () => {
      void apart.close();
      bearer.close();
    },
  };
}

function makerOf(
  { caller, agent, token, engine }: Bearer,
  approver: Approver,
  narrowing: readonly PlacedPolicy[] = [],
): Maker {
  const { uid, operator } = caller;
  const { rulebook, budgets: budget } = engine;
  return { uid, agent: agent ?? NOBODY, operator, token, narrowing, rulebook, budget, approver };
}

/** Roots of its client give it an engine of its own. */
async function openMcp(
  bearer: Bearer,
  outbox: Outbox,
  { version, workspace, places, openEngine, children, useApart }: SpeechParts,
): Promise<Speech> {
  const { agent, token, close } = bearer;
  if (agent === null) throw denied(NO_AGENT);
  const folder = await useApart(agent.name, token);
  const engine = folder === null
    ? bearer.engine
    : engineOfOne(folder.engine, places.share(folder.engine.runner, folder.close, outbox));
  const openIn = folder?.narrowed ??
    ((further: readonly PlacedPolicy[]) => openEngine([...token?.policies ?? [], ...further]));
  const { budgets, approvals } = engine;
  const mcp = await import("../mcp/mcp_server.ts");
  let narrowing: readonly PlacedPolicy[] = [];
  const parent = () => ({ maker: makerOf(bearer, server.approver, narrowing), child: null });
  const calls = children.callsOf(parent);
  const own = { ...engine, runner: withAgents(engine.runner, calls) };
  const server: McpServer = new mcp.McpServer(own, {
    agent: agent.name,
    version,
    workspace: folder?.session.workspace ?? workspace,
    approver: token?.approver ?? null,
    openEngine: async (further) => {
      narrowing = further;
      const { engine: narrowed, close } = await openIn(further);
      const runner = withAgents(places.share(narrowed.runner, close, outbox), calls);
      return engineOfOne({ ...narrowed, budgets, approvals }, runner);
    },
    write: (line) => outbox.write(line),
  });
  return {
    server: new ReadingServer(server),
    agent: agent.name,
    close: () => {
      void server.runner.close();
      if (folder !== null) void engine.runner.close();
      close();
    },
  };
}

/** The gate's own runner ends with the gate. */
const stays = () => Promise.resolve();

const NO_AGENT = "the policy's callers name this user as no agent";

/** Whose calls are refused before anybody asks what he may. */
const NOBODY: PipeAgent = { name: "root", pinned: true };

const NOBODY_ASKED: Approver = {
  ask: () => Promise.resolve({ answer: "nobody", hint: "nobody is asked for this" }),
};

function denied(message: string): ToolError {
  return new ToolError("PERMISSION_DENIED", message);
}
