/** What `serve` answers beside calls: one operation at a time. */

import { ToolError } from "../core/errors.ts";
import type { RequestId } from "../core/request.ts";
import type { ApprovalAnswer, Approver } from "../engine/approvals/approvals.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import type { ApartEngines } from "./apart_engines.ts";
import type { PipeApprovals } from "./_pipe_approvals.ts";
import type { Operation } from "./_read_request.ts";
import type { TokenTerms } from "./_read_token.ts";
import { toolShape } from "./tool_shape.ts";

/** Who asks. A pinned name is the only one that requests may give. */
export interface PipeAgent {
  readonly name: string;
  readonly pinned: boolean;
}

/** What a gate answers beside what the calls of one caller come to. Each throws what is said to who asks. */
export interface GateOperations {
  /** Who is connected. `approver`: asked from now on for those who come with a token of who asks, where nobody else is. */
  status(approver: Approver): unknown;
  /** Ends the gate as SIGTERM does. */
  stop(): unknown;
  /** Makes a token. `approver`: asked for those who come with it. */
  token(terms: TokenTerms, approver: Approver): unknown;
  /** Ends a token, and those that were made with it. */
  revoke(token: string): unknown;
}

/** What a server is told beside who asks. */
export interface ServerOptions {
  /** Whether custom tools may be registered by who asks. */
  readonly registration: boolean;
  /** Null on a pipe. */
  readonly gate?: GateOperations | null;
  /** Why nothing is done for who asks but what concerns the gate; null where it is. */
  readonly mute?: string | null;
  /** Who agrees in place of who asks; null where he does himself. */
  readonly approver?: Approver | null;
  /** Engines of agents that work in folders of their own; null where there are none. */
  readonly apart?: Pick<ApartEngines, "of"> | null;
  /** Told the result of a child agent; null where who asks is none. */
  readonly onResult?: ((output: unknown) => void) | null;
}

/** What a server has under way. */
export interface ServerCounts {
  readonly uptimeMs: number;
  readonly running: number;
  readonly waiting: number;
  readonly requestBytes: number;
  readonly answered: number;
}

/** What operations are answered from. */
export interface OperationParts {
  readonly engine: StayingEngine;
  readonly agent: PipeAgent;
  readonly approvals: PipeApprovals;
  readonly options: ServerOptions;
  counts(): ServerCounts;
  /** Whether a request of that id was there to be cancelled. */
  cancel(target: RequestId): boolean;
}

/** The output: JSON text of `cancel`, whose id goes back as it was written; data of all others. Throws a ToolError. */
export function operationOutput(operation: Operation, parts: OperationParts): unknown {
  const { engine, agent, options } = parts;
  switch (operation.op) {
    case "tools":
      return toolsOf(engine, agent.name);
    case "register":
    case "unregister": {
      const rules = { agent: agent.name, allowed: options.registration };
      return import("./_plugin_registration.ts").then(({ changePlugins }) =>
        changePlugins(engine, rules, operation)
      );
    }
    case "cancel":
      return `{"target":${operation.target},"cancelled":${parts.cancel(operation.target)}}`;
    case "approve":
      return decide(parts, operation.approval, {
        answer: "approved",
        remember: operation.remember,
      });
    case "reject":
      return decide(parts, operation.approval, { answer: "rejected", reason: operation.reason });
    case "revoke": {
      if ("token" in operation) return gateOf(parts, "revoke").revoke(operation.token);
      const { approval } = operation;
      const own = remembered(parts).some(({ id }) => id === approval);
      return { approval, revoked: own && engine.approvals.revoke(approval) };
    }
    case "approvals":
      return { approvals: remembered(parts) };
    case "gate":
      return gateOf(parts, "gate").status(parts.approvals.forOthers);
    case "stop":
      return gateOf(parts, "stop").stop();
    case "result":
      if (!options.onResult) {
        throw new ToolError(
          "INVALID_REQUEST",
          "result: only a child agent of a gate has one to give",
        );
      }
      options.onResult(operation.output);
      return { taken: true };
    case "token":
      return gateOf(parts, "token").token(operation.terms, parts.approvals.forOthers);
    case "hello":
      gateOf(parts, "hello");
      throw new ToolError("INVALID_REQUEST", "hello: it is the first line of a connection");
    case "stats":
      return stats(parts);
    default:
      return { pong: true };
  }
}

async function toolsOf(engine: StayingEngine, agent: string): Promise<unknown> {
  return { tools: (await engine.offered(agent)).map(toolShape) };
}

function stats(parts: OperationParts): unknown {
  const { runner, budgets, metrics } = parts.engine;
  const { uptimeMs, running, waiting, requestBytes, answered } = parts.counts();
  return {
    uptime_ms: Math.round(uptimeMs),
    running,
    waiting,
    queued: runner.queued,
    request_bytes: requestBytes,
    answered,
    threads: runner.threads,
    memory_bytes: Deno.memoryUsage().rss,
    tokens: budgets.report().filter(({ agent }) => sees(parts, agent)),
    tools: metrics.report(),
  };
}

/** Whether what is of that agent is shown to who asks. */
function sees({ agent }: OperationParts, other: string): boolean {
  return !agent.pinned || other === agent.name;
}

function remembered(parts: OperationParts) {
  return parts.engine.approvals.list().filter(({ agent }) => sees(parts, agent));
}

function gateOf({ options }: OperationParts, op: string): GateOperations {
  const { gate = null } = options;
  if (gate !== null) return gate;
  throw new ToolError("GATE_REQUIRED", `${op}: this is a pipe; serve --listen makes a gate`);
}

function decide({ approvals }: OperationParts, approval: string, answer: ApprovalAnswer): unknown {
  const answered = approvals.answer(approval, answer);
  if (answered !== null) {
    const refusedToRemember = answer.answer === "approved" && answer.remember === "session" &&
      answered.onceBecause !== null;
    return {
      approval,
      answer: answer.answer,
      ...(refusedToRemember ? { remember: "once", once_because: answered.onceBecause } : {}),
    };
  }
  throw new ToolError(
    "INVALID_REQUEST",
    "approval: no request waits for it; it was answered, has expired, or never was",
  );
}
