/** One caller's connection: its lines go to a server of its own, and everything of it ends with it. */

import { type ResultError, ToolError } from "../../core/errors.ts";
import type { RequestId } from "../../core/request.ts";
import { encodeResult, refusal, toJsonText } from "../../core/result.ts";
import { describeFailure } from "../../engine/run_tool.ts";
import { type GateProtocol, readRequest } from "../_read_request.ts";
import { readJsonLine } from "../json_line.ts";
import { isObject } from "../../core/json_value.ts";
import type { LineServer } from "../line_loop.ts";
import { type Line, LineSplitter } from "../line_splitter.ts";
import type { Caller } from "./caller.ts";
import type { Outbox } from "./_outbox.ts";

/** Answers that are made for one caller at a time on the thread that all have in common: a listing takes a millisecond. */
const MOST_ANSWERING = 4;

/** A server for one connection, and as whom. */
export interface Speech {
  readonly server: LineServer;
  /** Whom it speaks for; null: only what takes no agent. */
  readonly agent: string | null;
  /** Lets go of what it alone has. */
  readonly close: () => void;
}

/** How a connection is to go on, by its first line, and how it is ended from elsewhere. */
export interface Opening {
  readonly protocol: GateProtocol;
  /** The secret that came with `hello`; null where none did. */
  readonly token: string | null;
  /** Ends what runs, says why, and hears nothing more. */
  readonly end: (why: ResultError) => void;
}

/** What a connection is opened with. */
export interface ConnectionOptions {
  readonly descriptor: number;
  readonly number: number;
  readonly caller: Caller;
  readonly outbox: Outbox;
  /** Most bytes of a line. */
  readonly requestBytes: number;
  /** Makes the server, once it is known what is spoken. */
  readonly open: (opening: Opening) => Promise<Speech>;
}

/** What a first line says of the rest. */
interface First {
  readonly protocol: GateProtocol;
  readonly token: string | null;
  /** Of `hello`, which is answered; null where the line is already a request. */
  readonly hello: { readonly id: RequestId } | null;
  /** What is wrong with `hello`: who meant to come as somebody else is not heard as himself. */
  readonly problem: ResultError | null;
}

/** A caller that is connected. */
export class Connection {
  readonly options: ConnectionOptions;
  readonly since = Date.now();
  readonly #splitter: LineSplitter;
  #speech: Speech | null = null;
  /** Lines that came while the server was being made. */
  #early: Line[] | null = null;
  /** Lines that came with others whose answers have no room, or are still to be made: see `#takes`. */
  readonly #later: Line[] = [];
  #laterBytes = 0;
  #protocol: GateProtocol = "ndjson";
  #inputEnded = false;
  #refused = false;
  #closed = false;
  /** Since when it has kept more unfinished than its share, by performance.now(); null where it does not. */
  overSince: number | null = null;
  /** What the gate has last been told that it holds. */
  counted = 0;
  /** What is wanted of its descriptor now. */
  wanted = { read: true, write: false };
  onChange: () => void = () => {};
  readonly #drained = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  /** Called when it is over, but for what still goes out. */
  onEnd: () => void = () => {};

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.#splitter = new LineSplitter(options.requestBytes);
  }

  get agent(): string | null {
    return this.#speech?.agent ?? null;
  }

  /** Requests without an answer. */
  get pending(): number {
    return (this.#speech?.server.pending ?? 0) + this.#later.length +
      (this.#early === null ? 0 : 1);
  }

  /** Bytes that are kept for it: of lines that have not ended, of requests, of answers. */
  get held(): number {
    const early = this.#early?.reduce((sum, line) => sum + sizeOf(line), 0) ?? 0;
    return this.#splitter.held + early + this.#laterBytes + (this.#speech?.server.held ?? 0) +
      this.options.outbox.held;
  }

  /** Those of them that only its caller can let go: of a line without an end, of answers without a reader. */
  get unfinished(): number {
    return this.#splitter.held + this.options.outbox.held;
  }

  /** Kept when all that was sent is taken in. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  get inputEnded(): boolean {
    return this.#inputEnded;
  }

  /** Whether reading on would only move its backlog into this process. */
  get full(): boolean {
    return this.options.outbox.full || this.#early !== null || this.#later.length > 0 ||
      (this.#speech?.server.full ?? false);
  }

  /** Whether nothing is left to do for it. */
  get done(): boolean {
    return this.#inputEnded && this.pending === 0 && this.options.outbox.held === 0;
  }

  /** Bytes have come. */
  take(bytes: Uint8Array): void {
    // Before it has said something it would take an end for a failure, and never read why.
    if (this.#refused) this.#inputEnded = true;
    for (const line of this.#splitter.push(bytes)) this.#accept(line);
  }

  /** Nothing more comes: what runs is finished and answered. */
  endInput(): void {
    if (this.#inputEnded) return;
    const last = this.#splitter.end();
    if (last !== null) this.#accept(last);
    this.#inputEnded = true;
    this.#drained.resolve();
    if (this.#early === null && this.#later.length === 0) this.#speech?.server.endInput();
  }

  /** The gate is ending: nothing more is begun. */
  stop(): void {
    this.#inputEnded = true;
    this.#dropLines();
    this.#speech?.server.endInput();
    this.#speech?.server.refuseWaiting();
  }

  /** Nothing more is done for it: what runs is cancelled and answered, then it is told why. */
  end(why: ResultError): void {
    if (this.#closed) return;
    this.#inputEnded = true;
    this.#dropLines();
    this.#speech?.server.refuseWaiting("the token is over");
    this.#speech?.server.cancelAll();
    if (this.#protocol === "ndjson") {
      this.options.outbox.write(encodeResult(null, refusal(null, why)));
    }
    this.onEnd();
    this.onChange();
  }

  /** There may be room for answers again: what waits for that goes on. */
  resume(): void {
    const { server } = this.#speech ?? {};
    server?.resume();
    if (server === undefined || this.#later.length === 0) return;
    while (this.#later.length > 0 && this.#takes(server)) {
      const line = this.#later.shift() as Line;
      this.#laterBytes -= sizeOf(line);
      server.accept(line);
    }
    if (this.#inputEnded && this.#later.length === 0) server.endInput();
  }

  /**
   * Whether one more line is begun: not where its answer would only wait in this process, nor where this thread has enough to
   * do for this caller already. So many lines come at once that both are looked at line by line.
   */
  #takes(server: LineServer): boolean {
    return !this.options.outbox.full && server.answering < MOST_ANSWERING;
  }

  #wait(line: Line): void {
    this.#later.push(kept(line));
    this.#laterBytes += sizeOf(line);
  }

  #dropLines(): void {
    this.#early = null;
    this.#later.length = 0;
    this.#laterBytes = 0;
  }

  /** Kept when nobody is there any more. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Nobody is there any more: what runs is cancelled. */
  close(): void {
    this.#closed = true;
    this.#gone.resolve();
    this.#inputEnded = true;
    this.#dropLines();
    this.options.outbox.close();
    this.#speech?.server.refuseWaiting();
    this.#speech?.server.cancelAll();
    this.#speech?.close();
  }

  /** Ends what runs, and answers it. */
  cancelAll(): void {
    this.#speech?.server.cancelAll();
  }

  /** Nobody is heard: what comes is answered so, and then it ends. */
  refuse(error: ResultError): void {
    this.options.outbox.write(encodeResult(null, refusal(null, error)));
    this.#refused = true;
  }

  #accept(line: Line): void {
    if (this.#inputEnded) return;
    if (this.#speech !== null) {
      const { server } = this.#speech;
      if (this.#later.length === 0 && this.#takes(server)) server.accept(line);
      else this.#wait(line);
      return;
    }
    if (this.#early !== null) {
      this.#early.push(kept(line));
      return;
    }
    const first = readFirst(line);
    this.#early = first.hello === null ? [kept(line)] : [];
    void this.#open(first);
  }

  async #open({ protocol, token, hello, problem }: First): Promise<void> {
    const { open } = this.options;
    this.#protocol = protocol;
    try {
      if (problem !== null) throw new ToolError(problem.code, problem.message);
      const speech = await open({ protocol, token, end: (why) => this.end(why) });
      if (this.#closed) return speech.close();
      this.#speech = speech;
      speech.server.onAnswer = () => this.onChange();
      if (hello !== null) this.#greet(hello.id, speech);
      const early = this.#early ?? [];
      this.#early = null;
      for (const line of early) this.#wait(line);
      this.resume();
      if (this.#inputEnded && this.#later.length === 0) speech.server.endInput();
    } catch (error) {
      this.#early = null;
      const result = refusal(null, describeFailure("hello", error));
      const op = hello === null ? null : "hello";
      this.options.outbox.write(encodeResult(hello?.id ?? null, result, op));
      this.#inputEnded = true;
    }
    this.onChange();
  }

  #greet(id: RequestId, { agent }: Speech): void {
    const output = toJsonText({ agent });
    const nothing = { tool: null, error: null, risk: null, latencyMs: 0, usage: {} };
    this.options.outbox.write(encodeResult(id, { ...nothing, success: true, output }, "hello"));
  }
}

/** Messages of MCP tell themselves (`jsonrpc`): their client need not say hello, and cannot. */
function readFirst(line: Line): First {
  const pipe: First = { protocol: "ndjson", token: null, hello: null, problem: null };
  if ("tooLong" in line) return pipe;
  const json = readJsonLine(line.bytes);
  if (json !== null && "value" in json && isObject(json.value) && "jsonrpc" in json.value) {
    return { ...pipe, protocol: "mcp" };
  }
  const request = readRequest(line.bytes, "", json);
  if (request?.kind === "invalid" && saysHello(json)) {
    return { ...pipe, hello: { id: request.id }, problem: request.error };
  }
  if (request?.kind !== "operation" || request.operation.op !== "hello") return pipe;
  const { protocol, token } = request.operation;
  return { ...pipe, protocol, token, hello: { id: request.id } };
}

function saysHello(json: ReturnType<typeof readJsonLine>): boolean {
  return json !== null && "value" in json && isObject(json.value) && json.value["op"] === "hello";
}

/** A line for later: its bytes are valid only now. */
function kept(line: Line): Line {
  return "tooLong" in line ? line : { bytes: line.bytes.slice() };
}

function sizeOf(line: Line): number {
  return "tooLong" in line ? 0 : line.bytes.length;
}
