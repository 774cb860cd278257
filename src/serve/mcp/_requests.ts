/** Tools and resources for a client: what all revisions have in common. */

import { isObject } from "../../core/json_value.ts";
import type { CallRequest } from "../../core/request.ts";
import { refusal, type Result, resultError } from "../../core/result.ts";
import type { Approver } from "../../engine/approvals/approvals.ts";
import { execute } from "../../engine/execute.ts";
import { inTurns } from "../../engine/turns.ts";
import type { Client } from "./_client.ts";
import { createElicitor } from "./_elicit.ts";
import { isLogged, type LogLevel } from "./_log_level.ts";
import { type MessageId, type Params, RPC, RpcError, textParam } from "./messages.ts";
import type { NarrowedEngine } from "./_narrowed_engine.ts";
import { Progress } from "./_progress.ts";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./_resources.ts";
import type { RoundTrip } from "./_round_trips.ts";
import type { Speaker } from "./_speaker.ts";
import type { ServerInfo } from "./_stateless_result.ts";
import { callResult, listedTool } from "./tool_listing.ts";

/** A request without an answer. */
export interface Open {
  readonly id: MessageId;
  /** Of its line, which is kept until then. */
  readonly bytes: number;
  /** Ends it, whatever it is doing just now. */
  cancel: () => void;
  cancelled: boolean;
  /** What it began may go on, and ask once more: nothing is told of that under its name. */
  answered: boolean;
}

/** Ends a request, also one that does not run yet. */
export function cancel(open: Open): void {
  open.cancelled = true;
  open.cancel();
}

/** One request on its way. */
export interface Turn {
  readonly open: Open;
  readonly method: string;
  readonly params: Params;
  readonly speaker: Speaker;
  /** Least severe messages that the client wants logged just now; null for none. */
  readonly level: () => LogLevel | null;
  /** How its approvals are asked for; null where its session can be asked. */
  readonly trip: RoundTrip | null;
}

/** Who asks, and who answers. */
export interface RequestsOptions {
  readonly agent: string;
  readonly serverInfo: ServerInfo;
  /** Who agrees in place of the client; null where the client is asked. */
  readonly approver: Approver | null;
  /** Called when something was written that is no answer. */
  readonly onEvent: () => void;
}

/** Answers the requests of both kinds of revision, each in a method of its own. */
export class Requests {
  readonly #engine: NarrowedEngine;
  readonly #client: Client;
  readonly #options: RequestsOptions;

  constructor(engine: NarrowedEngine, client: Client, options: RequestsOptions) {
    this.#engine = engine;
    this.#client = client;
    this.#options = options;
  }

  /** The result: an object, or JSON text. Throws an RpcError. */
  async serve(turn: Turn): Promise<Params | string> {
    const { method, params, speaker } = turn;
    const call = (tool: string, args: Params) => this.#call(turn, tool, args, null);
    switch (method) {
      case "tools/list":
        refuseCursor(params);
        return {
          tools: (await this.#engine.use((engine) => engine.offered(this.#options.agent)))
            .map((tool) => listedTool(tool, speaker.revision)),
        };
      case "tools/call":
        return await this.#callTool(turn);
      case "resources/list":
        return await listResources(params, call);
      case "resources/templates/list":
        refuseCursor(params);
        return RESOURCE_TEMPLATES;
      case "resources/read":
        try {
          return await readResource(params, call, speaker.revision);
        } catch (error) {
          const question = turn.trip?.question ?? null;
          if (question === null) throw error;
          return question;
        }
      default:
        throw new RpcError(RPC.methodNotFound, `this server has no method ${method.slice(0, 100)}`);
    }
  }

  async #callTool(turn: Turn): Promise<Params | string> {
    const { params, speaker, trip } = turn;
    const name = textParam(params, "name");
    const { arguments: args = {}, _meta: meta } = params;
    if (!isObject(args)) throw new RpcError(RPC.invalidParams, "arguments: an object");
    if (this.#engine.current.registry.canonicalName(name) === null) {
      const near = this.#engine.current.registry.nearest(name);
      const hint = near.length === 0 ? "" : `; the nearest are ${near.join(", ")}`;
      throw new RpcError(
        RPC.invalidParams,
        `unknown tool ${JSON.stringify(name.slice(0, 100))}${hint}`,
      );
    }
    const result = await this.#call(turn, name, args, Progress.wanted(meta));
    const question = trip?.question ?? null;
    if (!result.success && question !== null) return question;
    if (result.error !== null) this.#log(turn, "warning", { tool: name, error: result.error });
    else this.#log(turn, "debug", { tool: name, latency_ms: result.latencyMs });
    return await inTurns(callResult(result, speaker.revision, this.#options.serverInfo));
  }

  /** The whole way through, for the client's agent. */
  async #call(turn: Turn, tool: string, args: Params, progress: Progress | null): Promise<Result> {
    const { open, speaker, trip } = turn;
    const request: CallRequest = {
      id: null,
      tool,
      args,
      agent: this.#options.agent,
      timeoutMs: null,
      preview: false,
      stream: progress !== null,
    };
    const onCancel = (how: () => void) => {
      open.cancel = how;
      if (open.cancelled) how();
    };
    return await this.#engine.use((engine) => {
      if (open.cancelled) {
        return Promise.resolve(refusal(tool, resultError("CANCELLED", `${tool}: cancelled`)));
      }
      return execute(engine, request, {
        onEvent: (event) => {
          if (progress === null || open.cancelled || open.answered) return;
          this.#client.notify("notifications/progress", progress.next(event));
          this.#options.onEvent();
        },
        approver: this.#approver(trip, speaker, onCancel),
        onRunning: onCancel,
      });
    });
  }

  #approver(
    trip: RoundTrip | null,
    { abilities }: Speaker,
    onCancel: (how: () => void) => void,
  ): Approver {
    const { approver } = this.#options;
    if (approver === null) {
      return trip ?? createElicitor(this.#client, abilities.elicitation, onCancel);
    }
    const withdrawn = new AbortController();
    onCancel(() => withdrawn.abort());
    return {
      ask: (pending, over) => {
        over?.addEventListener("abort", () => withdrawn.abort());
        return approver.ask(pending, withdrawn.signal);
      },
    };
  }

  #log({ open, level: wanted }: Turn, level: LogLevel, data: Params): void {
    const least = wanted();
    if (open.cancelled || least === null || !isLogged(level, least)) return;
    this.#client.notify("notifications/message", { level, logger: "toolgate", data });
  }
}

/** Lists of one page give no cursor; one from elsewhere is refused (MCP, "Pagination", error handling). */
function refuseCursor({ cursor }: Params): void {
  if (cursor !== undefined) {
    throw new RpcError(RPC.invalidParams, "cursor: this list has one page and gave none");
  }
}
