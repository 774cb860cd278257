/** An MCP server over the same engine as `serve`: what each message of a client does. */

import type { CallRequest } from "../../core/request.ts";
import { refusal, type Result, resultError } from "../../core/result.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import { execute } from "../../engine/execute.ts";
import type { JobEvent, StayingRunner } from "../../engine/runner.ts";
import type { PlacedPolicy } from "../../policy/compile_lazily.ts";
import type { LineServer } from "../line_loop.ts";
import type { Line } from "../line_splitter.ts";
import { abilitiesOf, Client, type ClientAbilities, NO_ABILITIES } from "./client.ts";
import { createElicitor } from "./elicit.ts";
import { isLogged, LOG_LEVELS, type LogLevel } from "./log_level.ts";
import {
  errorMessage,
  type Incoming,
  isObject,
  type MessageId,
  type Params,
  readMessages,
  resultMessage,
  type Revision,
  REVISIONS,
  RPC,
  RpcError,
  textParam,
} from "./messages.ts";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./resources.ts";
import { policyOfRoots } from "./roots.ts";
import { callResult, listedTool } from "./tool_listing.ts";

export interface McpOptions {
  readonly agent: string;
  readonly version: string;
  readonly workspace: CanonicalPath;
  /** An engine under the session's policies and these. */
  readonly openEngine: (further: readonly PlacedPolicy[]) => Promise<StayingEngine>;
  readonly write: (line: string) => void;
}

/** Calls at work and waiting before no more input is read. */
const MOST_OPEN = 1024;
/** How long a client may take to name its roots before its calls are answered without. */
const ROOTS_MS = 5_000;

interface Open {
  /** Ends it, whatever it is doing just now. */
  cancel: () => void;
  cancelled: boolean;
}

export class McpServer implements LineServer {
  readonly #options: McpOptions;
  readonly #client: Client;
  readonly #open = new Map<MessageId, Open>();
  #engine: StayingEngine;
  /** Settled when it is known what the workspace is narrowed to. */
  #narrowed: Promise<void> = Promise.resolve();
  #narrowing = 0;
  #revision: Revision = REVISIONS[0];
  #abilities: ClientAbilities = NO_ABILITIES;
  #initialized = false;
  #level: LogLevel | null = null;
  #batch: { readonly replies: string[]; left: number } | null = null;
  onAnswer: () => void = () => {};

  constructor(engine: StayingEngine, options: McpOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#client = new Client((line) => this.#write(line));
  }

  get runner(): StayingRunner {
    return this.#engine.runner;
  }

  get pending(): number {
    return this.#open.size;
  }

  get full(): boolean {
    return this.#open.size >= MOST_OPEN;
  }

  get settling(): boolean {
    return this.#open.size > this.#engine.runner.running + this.#client.waiting + this.#narrowing;
  }

  accept(line: Line): void {
    if ("tooLong" in line) {
      const error = new RpcError(
        RPC.invalidRequest,
        "the message is longer than this server reads",
      );
      this.#write(errorMessage(null, error));
      return;
    }
    const batches = this.#revision === "2025-03-26";
    for (const message of readMessages(line.bytes, batches)) this.#take(message);
  }

  endInput(): void {
    this.#client.close();
  }

  refuseWaiting(): void {
    this.cancelAll();
  }

  cancelAll(): void {
    this.#client.close();
    for (const open of this.#open.values()) cancel(open);
  }

  #take(message: Incoming): void {
    switch (message.kind) {
      case "invalid":
        this.#write(errorMessage(message.id, new RpcError(message.code, message.message)));
        return;
      case "response":
        this.#client.settle(message.id, message.failed ? null : message.result);
        return;
      case "notification":
        this.#notified(message.method, message.params);
        return;
      case "request": {
        const { id, method, params } = message;
        if (this.#open.has(id)) {
          this.#write(errorMessage(id, new RpcError(RPC.invalidRequest, "this id is in use")));
          return;
        }
        const open: Open = { cancel: () => {}, cancelled: false };
        this.#open.set(id, open);
        void this.#answer(id, open, method, params);
      }
    }
  }

  #notified(method: string, params: Params): void {
    switch (method) {
      case "notifications/initialized":
      case "notifications/roots/list_changed":
        if (this.#abilities.roots) this.#narrowed = this.#narrow(this.#narrowed);
        return;
      case "notifications/cancelled": {
        const { requestId } = params;
        const open = typeof requestId === "string" || typeof requestId === "number"
          ? this.#open.get(requestId)
          : undefined;
        if (open !== undefined) cancel(open);
      }
    }
  }

  async #answer(id: MessageId, open: Open, method: string, params: Params): Promise<void> {
    let reply: string | null;
    try {
      const result = await this.#dispatch(open, method, params);
      reply = resultMessage(id, typeof result === "string" ? result : JSON.stringify(result));
    } catch (error) {
      const known = error instanceof RpcError
        ? error
        : new RpcError(RPC.internal, "a defect of Toolgate; nothing is known to have run");
      reply = errorMessage(id, known);
    }
    this.#open.delete(id);
    // Who cancels a request expects no answer to it (MCP, cancellation).
    if (!open.cancelled) this.#write(reply);
    else this.onAnswer();
  }

  /** The result: an object, or JSON text. */
  async #dispatch(open: Open, method: string, params: Params): Promise<Params | string> {
    if (method === "initialize") return this.#initialize(params);
    if (method === "ping") return {};
    if (!this.#initialized) throw new RpcError(RPC.invalidRequest, "initialize comes first");
    const call = (tool: string, args: Params) => this.#call(open, tool, args, null);
    switch (method) {
      case "tools/list":
        await this.#whenNarrowed();
        return {
          tools: (await this.#engine.offered(this.#options.agent)).map((tool) =>
            listedTool(tool, this.#revision)
          ),
        };
      case "tools/call":
        return await this.#callTool(open, params);
      case "resources/list":
        return await listResources(params, call);
      case "resources/templates/list":
        return RESOURCE_TEMPLATES;
      case "resources/read":
        return await readResource(params, call);
      case "logging/setLevel": {
        const level = LOG_LEVELS.find((known) => known === params["level"]);
        if (level === undefined) {
          throw new RpcError(RPC.invalidParams, `level: one of ${LOG_LEVELS.join(", ")}`);
        }
        this.#level = level;
        return {};
      }
      default:
        throw new RpcError(RPC.methodNotFound, `this server has no method ${method.slice(0, 100)}`);
    }
  }

  #initialize({ protocolVersion, capabilities }: Params): Params {
    this.#revision = REVISIONS.find((known) => known === protocolVersion) ?? REVISIONS[0];
    this.#abilities = abilitiesOf(capabilities);
    if (this.#revision === "2025-03-26") {
      this.#abilities = { ...this.#abilities, elicitation: false };
    }
    this.#initialized = true;
    return {
      protocolVersion: this.#revision,
      capabilities: { tools: {}, resources: {}, logging: {} },
      serverInfo: { name: "toolgate", title: "Toolgate", version: this.#options.version },
      instructions:
        "Each tool call is decided by a policy. A denial names the rule and what would be allowed; " +
        "sending the same call again will not change it. Paths are relative to the workspace.",
    };
  }

  async #callTool(open: Open, params: Params): Promise<string> {
    const name = textParam(params, "name");
    const { arguments: args = {}, _meta: meta } = params;
    if (!isObject(args)) throw new RpcError(RPC.invalidParams, "arguments: an object");
    if (this.#engine.registry.canonicalName(name) === null) {
      const near = this.#engine.registry.nearest(name);
      const hint = near.length === 0 ? "" : `; the nearest are ${near.join(", ")}`;
      throw new RpcError(
        RPC.invalidParams,
        `unknown tool ${JSON.stringify(name.slice(0, 100))}${hint}`,
      );
    }
    const token = isObject(meta) ? meta["progressToken"] : undefined;
    const known = typeof token === "string" || typeof token === "number" ? token : null;
    const result = await this.#call(open, name, args, known);
    if (result.error !== null) this.#log("warning", { tool: name, error: result.error });
    else this.#log("debug", { tool: name, latency_ms: result.latencyMs });
    return callResult(result, this.#revision);
  }

  /** The whole way through, for the client's agent. */
  async #call(
    open: Open,
    tool: string,
    args: Params,
    progress: string | number | null,
  ): Promise<Result> {
    await this.#whenNarrowed();
    if (open.cancelled) return refusal(tool, resultError("CANCELLED", `${tool}: cancelled`));
    const request: CallRequest = {
      id: null,
      tool,
      args,
      agent: this.#options.agent,
      timeoutMs: null,
      preview: false,
      stream: progress !== null,
    };
    let steps = 0;
    const onCancel = (how: () => void) => {
      open.cancel = how;
      if (open.cancelled) how();
    };
    return await execute(this.#engine, request, {
      onEvent: (event) => {
        if (progress !== null) this.#progress(progress, ++steps, event);
      },
      approver: createElicitor(this.#client, this.#abilities.elicitation, onCancel),
      onRunning: onCancel,
    });
  }

  /** Progress must rise with each notification (MCP, progress): bytes of output count as a step. */
  #progress(progressToken: string | number, step: number, event: JobEvent): void {
    const params = event.event === "progress"
      ? {
        progress: Math.max(step, event.done),
        ...(event.total === null ? {} : { total: event.total }),
        message: event.message,
      }
      : { progress: step, message: event.data };
    this.#client.notify("notifications/progress", { progressToken, ...params });
    this.onAnswer();
  }

  #log(level: LogLevel, data: Params): void {
    if (this.#level === null || !isLogged(level, this.#level)) return;
    this.#client.notify("notifications/message", { level, logger: "toolgate", data });
  }

  async #whenNarrowed(): Promise<void> {
    this.#narrowing++;
    try {
      await this.#narrowed;
    } finally {
      this.#narrowing--;
    }
  }

  /** Asks for the roots, and takes an engine under them. What runs already ends under the old one. */
  async #narrow(before: Promise<void>): Promise<void> {
    await before;
    const { answer } = this.#client.ask("roots/list", {}, ROOTS_MS);
    const policy = policyOfRoots(await answer, this.#options.workspace);
    const old = this.#engine;
    this.#engine = await this.#options.openEngine(policy === null ? [] : [policy]);
    this.#engine.warm();
    await old.runner.close();
    this.onAnswer();
  }

  #write(line: string): void {
    this.#options.write(line);
    this.onAnswer();
  }
}

function cancel(open: Open): void {
  open.cancelled = true;
  open.cancel();
}
