/** An MCP server over the same engine as `serve`: what each message of a client does. */

import type { Approver } from "../../engine/approvals/approvals.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import type { StayingRunner } from "../../engine/runner.ts";
import type { LineServer } from "../line_loop.ts";
import type { ReadLine } from "../reading_server.ts";
import { Batch } from "./_batch.ts";
import { abilitiesOf, Client } from "./_client.ts";
import {
  errorMessage,
  type Incoming,
  type MessageId,
  type Params,
  readMessages,
  resultMessage,
  RPC,
  RpcError,
  SESSION_REVISIONS,
  STATELESS_REVISION,
} from "./messages.ts";
import { createElicitor } from "./_elicit.ts";
import { FewAtOnce } from "./_few_at_once.ts";
import { NarrowedEngine, type NarrowingOptions } from "./_narrowed_engine.ts";
import { cancel, type Open, Requests } from "./_requests.ts";
import { RoundTrips } from "./_round_trips.ts";
import { levelOf, type Speaker, speakerOf } from "./_speaker.ts";
import { type ServerInfo, statelessResult } from "./_stateless_result.ts";
import { Subscriptions } from "./_subscriptions.ts";

/** What the server is made of. */
export interface McpOptions extends NarrowingOptions {
  readonly agent: string;
  readonly version: string;
  readonly write: (line: string) => void;
  /** Who agrees in place of the client; null where the client is asked. */
  readonly approver?: Approver | null;
}

/** Calls at work and waiting before no more input is read. */
const MOST_OPEN = 1024;
/** Their bytes, as so many of the longest messages that the policy takes. */
const MOST_LONGEST = 4;

/** What is answered on this thread at once. */
const HERE: ReadonlySet<string> = new Set([
  ...["initialize", "ping", "server/discover", "logging/setLevel"],
]);

/** What takes this thread, which all callers of a gate share, a millisecond or more. */
const LISTINGS: ReadonlySet<string> = new Set([
  ...["tools/list", "resources/list", "resources/templates/list"],
]);

/** Listings that are made at once: all those of a batch come together. */
const MOST_LISTINGS = 4;

const CAPABILITIES = { tools: {}, resources: {}, logging: {} } as const;

const INSTRUCTIONS =
  "Each tool call is decided by a policy. A denial names the rule and what would be allowed; " +
  "sending the same call again will not change it. Paths are relative to the workspace.";

/** Takes messages of MCP, a line each, and writes the answers. */
export class McpServer implements LineServer {
  readonly #options: McpOptions;
  readonly #write: (line: string) => void;
  readonly #info: ServerInfo;
  readonly #client: Client;
  readonly #open = new Map<MessageId, Open>();
  /** Of the lines of all that are open. */
  #bytes = 0;
  /** Those of them that no call is behind. */
  #listing = 0;
  readonly #listings = new FewAtOnce(MOST_LISTINGS);
  readonly #subscriptions = new Subscriptions();
  readonly #trips = new RoundTrips();
  readonly #engine: NarrowedEngine;
  readonly #requests: Requests;
  /** Whom requests come from that say nothing of themselves; null before `initialize`. */
  #session: Speaker | null = null;
  onAnswer: () => void = () => {};
  /** Who is at the other end, asked for those whom he has let in: as long as his session is one that can be asked. */
  readonly approver: Approver;

  constructor(engine: StayingEngine, options: McpOptions) {
    this.#options = options;
    this.#write = (line) => {
      options.write(line);
      this.onAnswer();
    };
    this.#info = { name: "toolgate", title: "Toolgate", version: options.version };
    this.#client = new Client(this.#write);
    this.#engine = new NarrowedEngine(engine, options, () => this.onAnswer());
    this.#requests = new Requests(this.#engine, this.#client, {
      agent: options.agent,
      serverInfo: this.#info,
      approver: options.approver ?? null,
      onEvent: () => this.onAnswer(),
    });
    this.approver = options.approver ?? this.#elicitor();
  }

  #elicitor(): Approver {
    const client = this.#client;
    return {
      ask: async (pending, withdrawn) => {
        let cancel = () => {};
        const withdraw = () => cancel();
        withdrawn?.addEventListener("abort", withdraw);
        const able = this.#session?.abilities.elicitation === true;
        const elicitor = createElicitor(client, able, (how) => cancel = how);
        try {
          return await elicitor.ask(pending);
        } finally {
          withdrawn?.removeEventListener("abort", withdraw);
        }
      },
      get gone() {
        return client.gone;
      },
    };
  }

  get runner(): StayingRunner {
    return this.#engine.current.runner;
  }

  get pending(): number {
    return this.#open.size;
  }

  get held(): number {
    return this.#bytes;
  }

  /** While the client is asked something there is reading on: its answer comes behind all that it sent before. */
  get full(): boolean {
    return (this.#open.size >= MOST_OPEN || this.#bytes >= this.#mostBytes) &&
      this.#client.waiting === 0;
  }

  get #mostBytes(): number {
    return MOST_LONGEST * this.#engine.current.rulebook.settings.limits.request;
  }

  /** None while the client is asked something, which they may wait for: its answer comes behind all that it sent before. */
  get answering(): number {
    return this.#client.waiting > 0 ? 0 : this.#listing;
  }

  get settling(): boolean {
    return this.#open.size > this.#engine.busy + this.#client.waiting + this.#listings.waiting;
  }

  accept(line: ReadLine): void {
    if ("tooLong" in line) {
      const message = "the message is longer than this server reads";
      this.#write(this.#refusal(null, new RpcError(RPC.invalidRequest, message)));
      return;
    }
    const read = readMessages(line.bytes, this.#session?.revision === "2025-03-26", line.json);
    if (read === null) return;
    if ("kind" in read) {
      const done = (reply: string | null) => reply === null ? this.onAnswer() : this.#write(reply);
      this.#take(read, line.bytes.length, done);
      return;
    }
    const batch = new Batch(read.length, (replies) => this.#write(replies));
    for (const message of read) {
      this.#take(message, line.bytes.length / read.length, (reply) => {
        batch.settle(reply);
        this.onAnswer();
      });
    }
  }

  endInput(): void {
    for (const [id, result] of this.#subscriptions.close()) {
      this.#write(resultMessage(id, JSON.stringify(statelessResult(result, null, this.#info))));
    }
    this.#client.close();
  }

  /** It begins what it has read at once: nothing waits for room. */
  resume(): void {}

  refuseWaiting(): void {
    this.cancelAll();
  }

  cancelAll(): void {
    this.#client.close();
    for (const open of this.#open.values()) cancel(open);
  }

  /** `done` is handed the answer; null where there is none, or it comes later. */
  #take(message: Incoming, bytes: number, done: (reply: string | null) => void): void {
    switch (message.kind) {
      case "invalid":
        done(this.#refusal(message.id, new RpcError(message.code, message.message)));
        return;
      case "response":
        this.#client.settle(message.id, message.failed ? null : message.result);
        done(null);
        return;
      case "notification":
        this.#notified(message.method, message.params);
        done(null);
        return;
      case "request": {
        const { id, method, params } = message;
        if (this.#open.has(id) || this.#subscriptions.has(id)) {
          done(this.#refusal(id, new RpcError(RPC.invalidRequest, "this id is in use")));
          return;
        }
        const overfull = this.#bytes > 0 && this.#bytes + bytes > this.#mostBytes;
        if (this.#open.size >= 2 * MOST_OPEN || (overfull && this.#client.waiting > 0)) {
          done(this.#refusal(id, new RpcError(RPC.invalidRequest, "too many requests are open")));
          return;
        }
        const open: Open = { id, bytes, cancel: () => {}, cancelled: false, answered: false };
        this.#bytes += bytes;
        this.#open.set(id, open);
        void this.#answer(open, method, params, done);
      }
    }
  }

  #notified(method: string, params: Params): void {
    switch (method) {
      case "notifications/initialized":
      case "notifications/roots/list_changed":
        if (this.#session?.abilities.roots === true) this.#engine.narrow(this.#client);
        return;
      case "notifications/cancelled": {
        const { requestId } = params;
        if (typeof requestId !== "string" && typeof requestId !== "number") return;
        this.#subscriptions.cancel(requestId);
        const open = this.#open.get(requestId);
        if (open !== undefined) cancel(open);
      }
    }
  }

  /** `done` in the same turn in which the request is none any more: when none is left, who waits for them ends. */
  async #answer(
    open: Open,
    method: string,
    params: Params,
    done: (reply: string | null) => void,
  ): Promise<void> {
    let reply: string | null;
    const lists = LISTINGS.has(method);
    const here = lists || HERE.has(method);
    if (here) this.#listing++;
    try {
      // One that is cancelled before its turn has come is not begun.
      const result = lists
        ? await this.#listings.run(async () =>
          open.cancelled ? null : await this.#dispatch(open, method, params)
        )
        : await this.#dispatch(open, method, params);
      const text = typeof result === "string" ? result : JSON.stringify(result);
      reply = result === null ? null : resultMessage(open.id, text);
    } catch (error) {
      const known = error instanceof RpcError
        ? error
        : new RpcError(RPC.internal, "a defect of Toolgate; nothing is known to have run");
      reply = this.#refusal(open.id, known);
    }
    if (here) this.#listing--;
    open.answered = true;
    this.#open.delete(open.id);
    this.#bytes -= open.bytes;
    // Who cancels a request expects no answer to it (MCP, cancellation).
    done(open.cancelled ? null : reply);
  }

  /** The result: an object, or JSON text; null where the answer comes later. */
  async #dispatch(open: Open, method: string, params: Params): Promise<Params | string | null> {
    if (method === "initialize") return this.#initialize(params);
    const itself = speakerOf(params);
    if (itself !== null) return await this.#answerStateless(open, method, params, itself);
    if (method === "ping") return {};
    if (this.#session === null) {
      throw new RpcError(
        RPC.invalidParams,
        `initialize comes first, or _meta says the revision (${STATELESS_REVISION}) and the client's capabilities`,
      );
    }
    if (method === "logging/setLevel") {
      this.#session = { ...this.#session, level: levelOf(params["level"]) };
      return {};
    }
    const speaker = this.#session;
    const level = () => this.#session?.level ?? null;
    return await this.#requests.serve({ open, method, params, speaker, level, trip: null });
  }

  /** One that stands for itself, whatever else was said on the pipe. */
  async #answerStateless(
    open: Open,
    method: string,
    params: Params,
    speaker: Speaker,
  ): Promise<Params | string | null> {
    if (method === "server/discover") {
      const discovered = {
        supportedVersions: [STATELESS_REVISION],
        capabilities: CAPABILITIES,
        instructions: INSTRUCTIONS,
      };
      return statelessResult(discovered, method, this.#info);
    }
    if (method === "subscriptions/listen") {
      const acknowledgement = this.#subscriptions.open(open.id, params);
      this.#client.notify("notifications/subscriptions/acknowledged", acknowledgement);
      return null;
    }
    const trip = await this.#trips.begin(method, params, speaker.abilities.elicitation);
    const level = () => speaker.level;
    // A line that runs was begun by an earlier request.
    if (trip.begun) open.cancel = trip.cancel;
    const result = await trip.turn(
      () => this.#requests.serve({ open, method, params, speaker, level, trip }),
      () => cancel(open),
    );
    return typeof result === "string" ? result : statelessResult(result, method, this.#info);
  }

  #initialize({ protocolVersion, capabilities }: Params): Params {
    const revision = SESSION_REVISIONS.find((known) => known === protocolVersion) ??
      SESSION_REVISIONS[0];
    const said = abilitiesOf(capabilities);
    const abilities = revision === "2025-03-26" ? { ...said, elicitation: false } : said;
    this.#session = { revision, abilities, level: null };
    return {
      protocolVersion: revision,
      capabilities: CAPABILITIES,
      serverInfo: this.#info,
      instructions: INSTRUCTIONS,
    };
  }

  #refusal(id: MessageId | null, error: RpcError): string {
    return errorMessage(id, error, this.#session?.revision ?? STATELESS_REVISION);
  }
}
