/** What `serve` knows of its requests: which run, which wait, and how each line is answered. */

import type { ErrorCode } from "../core/errors.ts";
import type { CallRequest, RequestId } from "../core/request.ts";
import {
  type JsonText,
  type Lines,
  refusal,
  type Result,
  resultError,
  toJsonText,
  writeResult,
} from "../core/result.ts";
import type { Approver } from "../engine/approvals/approvals.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import { execute } from "../engine/execute.ts";
import { describeFailure } from "../engine/run_tool.ts";
import { worksApart } from "../engine/worktrees/works_apart.ts";
import type { JobEvent, StayingRunner } from "../engine/runner.ts";
import {
  operationOutput,
  type OperationParts,
  type PipeAgent,
  type ServerOptions,
} from "./_operations.ts";
import type { Counts, Give } from "./line_loop.ts";
import { isLook, LONGEST_LOOK } from "./listener/look.ts";
import type { ReadLine } from "./reading_server.ts";
import { PipeApprovals } from "./_pipe_approvals.ts";
import { type Operation, readRequest, type ServeRequest } from "./_read_request.ts";

/** Requests that wait for their turn before no more input is read. */
const MAX_WAITING = 1024;

/**
 * Bytes of requests without an answer before no more input is read, as so many of the longest that the policy takes: what
 * waits is held in memory.
 */
const MOST_LONGEST = 4;

/** Requests that are judged ahead of the threads' being free for them. */
const MAX_JUDGED = 64;

/** Requests that may wait for somebody to agree beside those that run. */
const MAX_ASKED = 256;

export type { GateOperations, PipeAgent, ServerOptions } from "./_operations.ts";

/** Where answers go. */
export interface Output extends Lines {
  /** Whether so much waits for its reader that nothing new is begun meanwhile. */
  readonly full: boolean;
  /** Kept once there is room again; null where there is. */
  room(): Promise<void> | null;
}

type Call = Extract<ServeRequest, { kind: "call" | "explain" }>;

/** What waits for its turn: calls, and operations that see or change which tools there are. `bytes`: of its line. */
type Waiting = (Call | Extract<ServeRequest, { kind: "operation" }>) & { readonly bytes: number };

interface Open {
  readonly id: RequestId;
  /** Set once it runs. */
  cancel: (() => void) | null;
  cancelled: boolean;
}

/** Takes lines of the pipe's protocol and writes the answers and events. */
export class Server {
  readonly #engine: StayingEngine;
  readonly #agent: PipeAgent;
  readonly #output: Output;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Open>();
  readonly #started = performance.now();
  readonly #approvals: PipeApprovals;
  readonly #options: ServerOptions;
  readonly #operations: OperationParts;
  #answers = 0;
  /** Of the lines of all requests that wait or run. */
  #bytes = 0;
  /** Operations whose answer is being made. */
  #operating = 0;
  /** Whether the tools are being changed or listed in order: what came after that waits. */
  #exclusive = false;
  /** Whether somebody has said what he spends: from then on each call is held against what he may. */
  #countsTokens = false;
  /** Called when an answer was written. */
  onAnswer: () => void = () => {};

  constructor(
    engine: StayingEngine,
    agent: PipeAgent,
    output: Output,
    options: ServerOptions = { registration: false },
  ) {
    this.#engine = engine;
    this.#agent = agent;
    this.#output = output;
    this.#options = options;
    this.#approvals = new PipeApprovals((line) => {
      output.write(line);
      // It waits without a thread: another may take its place.
      this.#startNext();
      this.onAnswer();
    }, options.approver ?? null);
    this.#operations = {
      engine,
      agent,
      approvals: this.#approvals,
      options,
      counts: () => ({
        uptimeMs: performance.now() - this.#started,
        running: this.#running.size,
        waiting: this.#waiting.length,
        requestBytes: this.#bytes,
        answered: this.#answers,
      }),
      cancel: (target) => this.#cancel(target),
    };
  }

  get runner(): StayingRunner {
    return this.#engine.runner;
  }

  /** Who is at the other end, asked for those whom he has let in. */
  get approver(): Approver {
    return this.#approvals.forOthers;
  }

  /** Requests without an answer. */
  get pending(): number {
    return this.#running.size + this.#waiting.length + this.#operating;
  }

  /** Bytes of the requests without an answer. */
  get held(): number {
    return this.#bytes;
  }

  /** Whether reading on has to wait. */
  get full(): boolean {
    return (this.#waiting.length >= MAX_WAITING || this.#bytes >= this.#mostBytes) &&
      !this.#standsStill;
  }

  get #mostBytes(): number {
    return MOST_LONGEST * this.#engine.rulebook.settings.limits.request;
  }

  /** Whether nothing goes on until somebody agrees or refuses, who answers by the way that requests come. */
  get #standsStill(): boolean {
    return this.#running.size === this.#approvals.waiting;
  }

  get answering(): number {
    return this.#operating;
  }

  /** Whether some request is neither on a thread nor answered: its answer is being made. */
  get settling(): boolean {
    const { waiting, onThreads } = this.#approvals;
    return this.#running.size - (waiting - onThreads) > this.#engine.runner.running;
  }

  /**
   * Whether a thread that only looks may answer it, now: nothing waits that came before, one more may run, nobody counts
   * tokens, and who asks has no engine of his own.
   */
  #isLook(call: Call, bytes: number): boolean {
    const { registry, rulebook } = this.#engine;
    if (this.#waiting.length + this.#operating > 0 || bytes > LONGEST_LOOK) return false;
    if (this.#exclusive || this.#options.mute || this.#countsTokens) return false;
    if (this.#running.size >= rulebook.settings.limits.concurrency) return false;
    return isLook(call, this.#agent, (tool) => registry.looks(tool)) &&
      !worksApart(rulebook, call.call.agent);
  }

  /** What such a thread has answered. */
  addCounts(counts: Counts): void {
    this.#answers += this.#engine.metrics.add(counts);
  }

  accept(line: ReadLine, give: Give | null = null): void {
    if ("tooLong" in line) {
      const { request } = this.#engine.rulebook.settings.limits;
      this.#fail(null, null, "REQUEST_TOO_LARGE", `a request line has at most ${request} bytes`);
      return;
    }
    const request = readRequest(line.bytes, this.#agent.name, line.json);
    if (request === null) return;
    const bytes = line.bytes.length;
    switch (request.kind) {
      case "invalid":
        this.#answer(request.id, refusal(null, request.error));
        return;
      case "operation":
        if (this.#isInOrder(request.operation)) {
          this.#enqueue({ ...request, bytes });
        } else {
          void this.#operate(request.id, request.operation);
        }
        return;
      case "call":
      case "explain":
        if (give !== null && this.#isLook(request, bytes) && give(line)) return;
        if (this.#options.mute) {
          this.#fail(request.id, request.call.tool, "PERMISSION_DENIED", this.#options.mute);
          return;
        }
        if (this.#agent.pinned && request.call.agent !== this.#agent.name) {
          const message =
            `this pipe speaks for agent ${this.#agent.name} alone; a request cannot name another`;
          this.#fail(request.id, request.call.tool, "PERMISSION_DENIED", message);
          return;
        }
        if (this.#isOverfull(bytes) && this.#standsStill) {
          const message =
            `${request.call.tool}: as many requests as are kept wait behind calls that somebody has to agree to; ` +
            "approve or reject some of those, then send it again";
          this.#fail(request.id, request.call.tool, "RESOURCE_LIMIT", message);
          return;
        }
        this.#countsTokens ||= request.call.tokens !== undefined;
        this.#enqueue({ ...request, bytes });
    }
  }

  /** Whether one more is more than is kept. One that is alone always fits. */
  #isOverfull(bytes: number): boolean {
    return this.#waiting.length >= MAX_WAITING ||
      (this.#bytes > 0 && this.#bytes + bytes > this.#mostBytes);
  }

  #enqueue(waiting: Waiting): void {
    this.#bytes += waiting.bytes;
    this.#waiting.push(waiting);
    this.#startNext();
  }

  /** The input has ended: whoever waits for somebody to agree is told that nobody will. */
  endInput(): void {
    this.#approvals.endInput();
  }

  /** Answers what has not begun; there will be no turn for it. */
  refuseWaiting(why = "toolgate is ending"): void {
    for (const waiting of this.#waiting.splice(0)) {
      this.#refuse(waiting, `${why}; the call was not begun`);
    }
  }

  #refuse(waiting: Waiting, why: string): void {
    const { id, bytes } = waiting;
    this.#bytes -= bytes;
    if (waiting.kind === "operation") {
      const { op } = waiting.operation;
      this.#answer(id, refusal(null, resultError("CANCELLED", `${op}: ${why}`)), op);
    } else {
      this.#fail(id, waiting.call.tool, "CANCELLED", `${waiting.call.tool}: ${why}`);
    }
  }

  /** Whether an operation must wait for what came before it, and what comes after it for it. */
  #isInOrder({ op }: Operation): boolean {
    if (op === "register" || op === "unregister") return true;
    // A listing shows what the operations before it have changed.
    return op === "tools" && (this.#exclusive || this.#waiting.some(isOperation));
  }

  /** There is room for answers again. */
  resume(): void {
    this.#startNext();
  }

  cancelAll(): void {
    this.#approvals.close();
    for (const open of this.#running) cancel(open);
  }

  #startNext(): void {
    const { concurrency } = this.#engine.rulebook.settings.limits;
    // Short calls take turns on their threads: judging the next ones meanwhile costs them nothing.
    const most = concurrency === 1 ? 1 : Math.max(concurrency, MAX_JUDGED);
    while (this.#running.size - Math.min(this.#approvals.waiting, MAX_ASKED) < most) {
      const blocked = this.#exclusive || this.#output.full;
      const next = blocked ? undefined : this.#waiting.shift();
      if (next === undefined) return;
      if (next.kind === "operation") {
        this.#exclusive = true;
        void this.#operate(next.id, next.operation).then(() => {
          this.#bytes -= next.bytes;
          this.#exclusive = false;
          this.#startNext();
        });
        return;
      }
      const open: Open = { id: next.id, cancel: null, cancelled: false };
      this.#running.add(open);
      const running = this.#run(next, open);
      running.then((result) => {
        this.#running.delete(open);
        this.#bytes -= next.bytes;
        this.#answer(next.id, result, next.kind === "explain" ? "explain" : null);
        this.#startNext();
      });
    }
  }

  #run({ kind, call, words }: Call, open: Open): Promise<Result> {
    if (words.length > 0) return this.#runTyped({ kind, call, words }, open);
    return kind === "call" ? this.#call(call, open) : this.#explain(call);
  }

  /** Arguments as words of a command line: their types are the schema's to say. */
  async #runTyped({ kind, call, words }: Pick<Call, "kind" | "call" | "words">, open: Open) {
    try {
      const { withWords } = await import("../engine/typed_words.ts");
      const args = await withWords(this.#engine.registry, call.tool, call.args, words);
      const typed = { ...call, args };
      return kind === "call" ? await this.#call(typed, open) : await this.#explain(typed);
    } catch (error) {
      return refusal(call.tool, describeFailure(call.tool, error));
    }
  }

  #call(call: CallRequest, open: Open): Promise<Result> {
    const apart = this.#options.apart?.of(call.agent) ?? null;
    if (apart === null) return this.#callBy(this.#engine, call, open);
    return apart.then(
      (engine) => this.#callBy(engine, call, open),
      (error) => refusal(call.tool, describeFailure(call.tool, error)),
    );
  }

  #callBy(engine: StayingEngine, call: CallRequest, open: Open): Promise<Result> {
    return execute(engine, call, {
      approver: this.#approvals.approverOf(call.id),
      onEvent: (event) => this.#event(call.id, event),
      onRunning: (how) => {
        open.cancel = how;
        if (open.cancelled) how();
      },
    });
  }

  async #explain(call: CallRequest): Promise<Result> {
    const started = performance.now();
    try {
      // With all that it can tell of the layers below, which no call needs.
      const { explain } = await import("../engine/judge/explain.ts");
      const { tool, explanation, risk } = await explain(
        await this.#options.apart?.of(call.agent) ?? this.#engine,
        call,
      );
      const latencyMs = performance.now() - started;
      const output = toJsonText(explanation);
      return { tool, success: true, output, error: null, risk, latencyMs, usage: {} };
    } catch (error) {
      return refusal(call.tool, describeFailure(call.tool, error), performance.now() - started);
    }
  }

  async #operate(id: RequestId, operation: Operation): Promise<void> {
    this.#operating++;
    try {
      const output = await operationOutput(operation, this.#operations);
      this.#answer(id, {
        tool: null,
        success: true,
        output: operation.op === "cancel" ? output as JsonText : toJsonText(output),
        error: null,
        risk: null,
        latencyMs: 0,
        usage: {},
      }, operation.op);
    } catch (error) {
      this.#answer(id, refusal(null, describeFailure(operation.op, error)), operation.op);
    } finally {
      this.#operating--;
    }
  }

  /** Whether a request of that id was there to be cancelled. */
  #cancel(target: RequestId): boolean {
    const at = this.#waiting.findIndex(({ id }) => id === target);
    if (at !== -1) {
      for (const waiting of this.#waiting.splice(at, 1)) {
        this.#refuse(waiting, "cancelled before it began");
      }
      return true;
    }
    const found = [...this.#running].filter(({ id }) => id === target);
    for (const open of found) cancel(open);
    this.#approvals.cancel(target);
    return found.length > 0;
  }

  #event(id: RequestId, event: JobEvent): void | Promise<void> {
    this.#output.write(`{"id":${id ?? "null"},${JSON.stringify(event).slice(1)}`);
    return this.#output.room() ?? undefined;
  }

  #fail(id: RequestId, tool: string | null, code: ErrorCode, message: string): void {
    this.#answer(id, refusal(tool, resultError(code, message)));
  }

  #answer(id: RequestId, result: Result, op: string | null = null): void {
    this.#answers++;
    writeResult(this.#output, id, result, op);
    this.onAnswer();
  }
}

function isOperation({ kind }: Waiting): boolean {
  return kind === "operation";
}

function cancel(open: Open): void {
  open.cancelled = true;
  open.cancel?.();
}
