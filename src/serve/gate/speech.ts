/** What is spoken over one connection, and as whom: the server that its lines go to. */

import { ToolError } from "../../core/errors.ts";
import { engineOfOne, type StayingEngine } from "../../engine/create_engine.ts";
import { Server } from "../server.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { GateProtocol } from "../_read_request.ts";
import type { Caller } from "./caller.ts";
import type { Speech } from "./_connection.ts";
import type { FairPlaces } from "./fair_runner.ts";
import type { Outbox } from "./_outbox.ts";

/** An engine beside the gate's own. */
export interface FurtherEngine {
  readonly engine: StayingEngine;
  readonly close: () => Promise<void>;
}

/** What a gate has for all. */
export interface SpeechParts {
  readonly engine: StayingEngine;
  readonly places: FairPlaces;
  /** Whether the policies let a pipe register custom tools. */
  readonly registration: boolean;
  readonly status: () => unknown;
  readonly stop: () => void;
  readonly version: string;
  readonly workspace: CanonicalPath;
  /** An engine under the policies and these, whose runner the gate listens to until it is closed. */
  readonly openEngine: (further: readonly PlacedPolicy[]) => Promise<FurtherEngine>;
}

/** What is known of one connection when its first line has come. */
export interface Opening {
  readonly caller: Caller;
  readonly outbox: Outbox;
  readonly protocol: GateProtocol;
}

/** Throws PERMISSION_DENIED for messages of MCP from who is no agent. */
export async function openSpeech(
  { caller, outbox, protocol }: Opening,
  parts: SpeechParts,
): Promise<Speech> {
  const { agent, operator } = caller;
  const own = engineOfOne(parts.engine, parts.places.share(parts.engine.runner, stays));
  if (protocol === "mcp") {
    if (agent === null) throw denied(NO_AGENT);
    return await openMcp(own, agent.name, outbox, parts);
  }
  const { registration, status, stop } = parts;
  const operatorsOnly = <T>(act: () => T): T => {
    if (!operator) throw denied("this is for the gate's own user");
    return act();
  };
  const server = new Server(own, agent ?? NOBODY, outbox, {
    // A tool that one registers is there for all.
    registration: registration && operator,
    mute: agent === null ? NO_AGENT : null,
    gate: {
      status: () => operatorsOnly(status),
      stop: () =>
        operatorsOnly(() => {
          stop();
          return { stopping: true };
        }),
    },
  });
  return { server, agent: agent?.name ?? null, close: () => {} };
}

/** Roots of its client give it an engine of its own. */
async function openMcp(
  engine: StayingEngine,
  agent: string,
  outbox: Outbox,
  { version, workspace, places, openEngine }: SpeechParts,
): Promise<Speech> {
  const { budgets, approvals } = engine;
  const { McpServer } = await import("../mcp/mcp_server.ts");
  const server = new McpServer(engine, {
    agent,
    version,
    workspace,
    openEngine: async (further) => {
      const { engine: narrowed, close } = await openEngine(further);
      return engineOfOne({ ...narrowed, budgets, approvals }, places.share(narrowed.runner, close));
    },
    write: (line) => outbox.write(line),
  });
  return { server, agent, close: () => void server.runner.close() };
}

/** The gate's own runner ends with the gate. */
const stays = () => Promise.resolve();

const NO_AGENT = "the policy's callers name this user as no agent";

/** Whose calls are refused before anybody asks what he may. */
const NOBODY = { name: "root", pinned: true };

function denied(message: string): ToolError {
  return new ToolError("PERMISSION_DENIED", message);
}
