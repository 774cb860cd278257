/** What a child speaks over its standard output: the pipe's protocol, as itself and nobody else. */

import { ToolError } from "../../../core/errors.ts";
import { engineOfOne, type StayingEngine } from "../../../engine/create_engine.ts";
import type { Opening, Speech } from "../_connection.ts";
import { ReadingServer } from "../../reading_server.ts";
import { Server } from "../../server.ts";
import type { FairPlaces } from "../fair_runner.ts";
import type { Outbox } from "../_outbox.ts";
import { withAgents } from "./agent_runner.ts";
import type { Child } from "./child.ts";
import type { Children } from "./children.ts";

/** What speaking takes beside the child. */
export interface ChildSpeechParts {
  readonly uid: number;
  /** The engine in its working files. */
  readonly engine: StayingEngine;
  readonly places: FairPlaces;
  readonly children: Children;
}

/** Throws PERMISSION_DENIED for who would be somebody else. */
export function openChildSpeech(
  child: Child,
  outbox: Outbox,
  { protocol, token: secret }: Opening,
  { uid, engine, places, children }: ChildSpeechParts,
): Promise<Speech> {
  const { children: rule } = engine.rulebook.settings;
  const acp = rule?.protocol === "acp";
  if (!acp && (protocol === "mcp" || secret !== null)) {
    const message = "hello: a child agent speaks NDJSON, as itself";
    return Promise.reject(new ToolError("PERMISSION_DENIED", message));
  }
  const { id, token, receipt } = child;
  const agent = { name: id, pinned: true };
  const shared = places.share(engine.runner, () => Promise.resolve(), outbox);
  const runner = withAgents(
    shared,
    children.callsOf(() => {
      const { rulebook } = engine;
      const { budget, approver } = token;
      const maker = {
        uid,
        agent,
        operator: false,
        token,
        narrowing: [],
        rulebook,
        budget,
        approver,
      };
      return { maker, child };
    }),
  );
  const recorder = receipt.beside(engine.recorder);
  const own = engineOfOne({ ...engine, recorder, budgets: token.budget }, runner);
  if (acp) return openAcp(child, own, outbox);
  const server = new Server(own, agent, outbox, {
    registration: false,
    approver: token.approver,
    onResult: (output) => child.result = output,
  });
  return Promise.resolve({ server, agent: id, close: () => {} });
}

async function openAcp(child: Child, engine: StayingEngine, outbox: Outbox): Promise<Speech> {
  const { AcpServer } = await import("../../acp/acp_server.ts");
  const { id: agent, task, context, token, receipt, messages } = child;
  const server = new AcpServer(engine, {
    ...{ agent, task, context, approver: token.approver },
    folder: receipt.root,
    write: (line) => outbox.write(line),
    nextMessage: () => messages.shift(),
    onActivity: () => receipt.lastActivity = Date.now(),
    onEnd: (result, why) => {
      child.result = result;
      // Such an agent waits for the next turn until it is ended.
      child.end(why === null ? "done" : "failed", why ?? "its turn is over");
    },
  });
  child.onMessage = () => server.told();
  return { server: new ReadingServer(server), agent, close: () => {} };
}
