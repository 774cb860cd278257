/**
 * A child agent that speaks the Agent Client Protocol (version 1): it is the agent, this its client. What it asks its client
 * to do is done by tools, under the policy; what it asks leave for is asked of who started it.
 */

import { printable } from "../../core/printable.ts";
import type { CallRequest } from "../../core/request.ts";
import { jsonText, type Result } from "../../core/result.ts";
import type { Approver } from "../../engine/approvals/approvals.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import { execute, type Follow } from "../../engine/execute.ts";
import type { StayingRunner } from "../../engine/runner.ts";
import type { LineServer } from "../line_loop.ts";
import type { ReadLine } from "../reading_server.ts";
import {
  errorMessage,
  type Incoming,
  type MessageId,
  notificationMessage,
  type Params,
  readMessages,
  requestMessage,
  resultMessage,
  RPC,
  RpcError,
  textParam,
} from "../mcp/messages.ts";
import { INITIALIZE, VERSION } from "./greeting.ts";
import { askLeave } from "./_permission.ts";
import { Terminals } from "./terminals.ts";

/** Requests of the agent without an answer, before no more is read. */
const MOST_OPEN = 256;
/** Characters of what it says that are kept as its result. */
const LONGEST_RESULT = 1 << 20;
/** ACP, "Error Handling": what was asked for is not there. */
const NOT_FOUND = -32002;
const REVISION = "2025-06-18";

const [SESSION, PROMPT] = [1, 2];

/** Whom it speaks to, and what about. */
export interface AcpOptions {
  readonly agent: string;
  readonly approver: Approver;
  /** Its working files: absolute. */
  readonly folder: string;
  /** What it is told first, and beside it. */
  readonly task: string;
  readonly context: unknown;
  readonly write: (line: string) => void;
  /** What it is to be told next; undefined where nothing is left. */
  readonly nextMessage: () => string | undefined;
  /** Told whenever it says something. */
  readonly onActivity: () => void;
  /** Its turns are over: what it has said. `why`: null where it came to its end by itself. */
  readonly onEnd: (result: unknown, why: string | null) => void;
}

/** Speaks with one agent. */
export class AcpServer implements LineServer {
  readonly #engine: StayingEngine;
  readonly #options: AcpOptions;
  readonly #terminals: Terminals;
  readonly #open = new Map<MessageId, { bytes: number; cancel: () => void }>();
  readonly #withdrawn = new AbortController();
  #session: string | null = null;
  #prompting = false;
  #said = "";
  onAnswer: () => void = () => {};

  constructor(engine: StayingEngine, options: AcpOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#terminals = new Terminals((call, follow) => this.#execute(call, follow));
  }

  get runner(): StayingRunner {
    return this.#engine.runner;
  }

  get pending(): number {
    return this.#open.size;
  }

  get held(): number {
    return [...this.#open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get full(): boolean {
    return this.#open.size >= MOST_OPEN;
  }

  /** What an agent asks goes to threads, or to who agrees. */
  get answering(): number {
    return 0;
  }

  get settling(): boolean {
    return false;
  }

  accept(line: ReadLine): void {
    if ("tooLong" in line) {
      this.#write(
        errorMessage(null, new RpcError(RPC.invalidRequest, "too long a line"), REVISION),
      );
      return;
    }
    const read = readMessages(line.bytes, false, line.json) as Incoming | null;
    if (read === null) return;
    this.#options.onActivity();
    switch (read.kind) {
      case "invalid": {
        const error = new RpcError(read.code, read.message);
        return this.#write(errorMessage(read.id, error, REVISION));
      }
      case "response":
        return this.#answered(read.id, read.failed ? null : read.result);
      case "notification":
        if (read.method === "session/update") this.#hear(read.params);
        return;
      case "request":
        return void this.#take(read.id, line.bytes.length, read);
    }
  }

  /** Another word for it: a turn of its own once this one is over. */
  told(): void {
    if (!this.#prompting && this.#session !== null) this.#next();
  }

  resume(): void {}

  endInput(): void {
    this.#withdrawn.abort();
  }

  refuseWaiting(): void {}

  cancelAll(): void {
    this.#withdrawn.abort();
    if (this.#session !== null && this.#prompting) {
      this.#write(notificationMessage("session/cancel", { sessionId: this.#session }));
    }
    this.#terminals.close();
    for (const { cancel } of this.#open.values()) cancel();
  }

  #write(line: string): void {
    this.#options.write(line);
    this.onAnswer();
  }

  #answered(id: MessageId, result: Params | null): void {
    const { folder, task, context, onEnd } = this.#options;
    if (id === INITIALIZE) {
      if (result?.["protocolVersion"] !== VERSION) {
        return onEnd(null, `it speaks no version ${VERSION} of the Agent Client Protocol`);
      }
      return this.#write(requestMessage(SESSION, "session/new", { cwd: folder, mcpServers: [] }));
    }
    if (id === SESSION) {
      const session = result?.["sessionId"];
      if (typeof session !== "string") return onEnd(null, "it opened no session");
      this.#session = session;
      const more = context === null ? [] : [JSON.stringify(context)];
      return this.#prompt([task, ...more]);
    }
    if (typeof id !== "number" || id < PROMPT || !this.#prompting) return;
    this.#prompting = false;
    const reason = result?.["stopReason"];
    if (reason !== "end_turn") {
      const why = typeof reason === "string" ? printable(reason, 100) : "an error";
      return onEnd(this.#result, `its turn ended with ${why}`);
    }
    this.#next();
  }

  #next(): void {
    const message = this.#options.nextMessage();
    if (message === undefined) this.#options.onEnd(this.#result, null);
    else this.#prompt([message]);
  }

  get #result(): unknown {
    return this.#said;
  }

  #prompt(texts: readonly string[]): void {
    this.#prompting = true;
    const prompt = texts.map((text) => ({ type: "text", text }));
    this.#write(
      requestMessage(PROMPT, "session/prompt", { sessionId: this.#session as string, prompt }),
    );
  }

  #hear({ update }: Params): void {
    const { sessionUpdate, content } = (update ?? {}) as {
      readonly sessionUpdate?: unknown;
      readonly content?: { readonly type?: unknown; readonly text?: unknown };
    };
    if (sessionUpdate !== "agent_message_chunk" || typeof content?.text !== "string") return;
    this.#said = (this.#said + content.text).slice(-LONGEST_RESULT);
  }

  async #take(
    id: MessageId,
    bytes: number,
    { method, params }: { readonly method: string; readonly params: Params },
  ): Promise<void> {
    if (this.#open.has(id)) {
      const error = new RpcError(RPC.invalidRequest, "this id is in use");
      return this.#write(errorMessage(id, error, REVISION));
    }
    const open = { bytes, cancel: () => {} };
    this.#open.set(id, open);
    let line: string;
    try {
      line = resultMessage(id, JSON.stringify(await this.#do(method, params, open)));
    } catch (error) {
      const known = error instanceof RpcError
        ? error
        : new RpcError(RPC.internal, "a defect of Toolgate; nothing is known to have run");
      line = errorMessage(id, known, REVISION);
    }
    this.#open.delete(id);
    this.#write(line);
  }

  #do(method: string, params: Params, open: { cancel: () => void }): Promise<Params> | Params {
    switch (method) {
      case "fs/read_text_file":
        return this.#read(params, open);
      case "fs/write_text_file":
        return this.#writeFile(params, open);
      case "terminal/create":
        return this.#terminals.create(params);
      case "terminal/output":
        return this.#terminals.output(params);
      case "terminal/wait_for_exit":
        return this.#terminals.wait(params);
      case "terminal/kill":
        return this.#terminals.kill(params);
      case "terminal/release":
        return this.#terminals.release(params);
      case "session/request_permission":
        return this.#permission(params);
      default: {
        const message = `this client has no method ${method.slice(0, 100)}`;
        throw new RpcError(RPC.methodNotFound, message);
      }
    }
  }

  async #read(params: Params, open: { cancel: () => void }): Promise<Params> {
    const { line, limit } = params;
    const from = typeof line === "number" && line > 0 ? line : 1;
    const to = typeof limit === "number" && limit > 0 ? { end_line: from + limit - 1 } : {};
    const args = { path: textParam(params, "path"), start_line: from, ...to };
    const result = await this.#call({ tool: "read_file", args }, open);
    return {
      content: (JSON.parse(jsonText(result.output)) as { readonly content: string }).content,
    };
  }

  async #writeFile(params: Params, open: { cancel: () => void }): Promise<Params> {
    const { content } = params;
    if (typeof content !== "string") throw new RpcError(RPC.invalidParams, "content: a string");
    const args = { path: textParam(params, "path"), content, validate_syntax: false };
    await this.#call({ tool: "write_file", args }, open);
    return {};
  }

  async #call(
    call: Pick<CallRequest, "tool" | "args">,
    open: { cancel: () => void },
  ): Promise<Result> {
    const result = await this.#execute(call, {
      onEvent: () => {},
      onRunning: (how) => open.cancel = how,
    });
    if (result.error === null) return result;
    const { code, message, rule } = result.error;
    const missing = code === "FILE_NOT_FOUND" ? NOT_FOUND : RPC.invalidParams;
    throw new RpcError(missing, `${code}: ${message}`, { code, rule });
  }

  /** The whole way through, as the agent. */
  async #execute(
    { tool, args }: Pick<CallRequest, "tool" | "args">,
    follow: Omit<Follow, "approver">,
  ): Promise<Result> {
    const { agent, approver } = this.#options;
    const call: CallRequest = {
      ...{ id: null, tool, args, agent, timeoutMs: null },
      ...{ preview: false, stream: true },
    };
    const { signal } = this.#withdrawn;
    return await execute(this.#engine, call, {
      ...follow,
      approver: { ask: (pending) => approver.ask(pending, signal) },
    });
  }

  #permission(params: Params): Promise<Params> {
    const { agent, approver } = this.#options;
    const { signal } = this.#withdrawn;
    return askLeave(this.#engine, params, {
      agent,
      ask: (pending) => approver.ask(pending, signal),
    });
  }
}
