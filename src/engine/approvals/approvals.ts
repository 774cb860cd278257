/**
 * Actions that somebody must agree to. An approval is for exactly one action: the tool, who asks, the arguments,
 * what they lead to on this machine, and the state of all files concerned. Whatever changes asks again.
 */

import { ToolError } from "../../core/errors.ts";
import { sha256 } from "../../core/sha256.ts";
import type { CallRequest } from "../../core/request.ts";
import { JSON_NULL, type JsonText } from "../../core/result.ts";
import type { ResolvedCapability } from "../../core/capability.ts";
import type { Risk } from "../../core/tool.ts";
import { fileState } from "../../host/files/file_state.ts";
import type { ApprovalTimes } from "../../policy/model.ts";
import type { DecidedCall } from "../judge/decided_call.ts";

/** What is asked of a person. */
export interface PendingApproval {
  /** `ap_` and 32 hexadecimal digits: of the action itself, so that asking again asks for the same. */
  readonly id: string;
  readonly tool: string;
  readonly agent: string;
  readonly description: string;
  readonly risk: Risk;
  /** Why it must be asked for. */
  readonly reason: string;
  /** What would happen, where the tool can tell; else null. */
  readonly preview: JsonText;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * What became of a question. `once`: this call alone; `session`: the same action again, for as long as the policy
 * says.
 */
export type ApprovalAnswer =
  | { readonly answer: "approved"; readonly remember: "once" | "session" }
  | { readonly answer: "rejected"; readonly reason: string | null }
  | { readonly answer: "expired" }
  | { readonly answer: "cancelled" }
  /** There is nobody to ask; `hint` says what to do about it. */
  | { readonly answer: "nobody"; readonly hint: string };

/** Whoever can be asked. Answers "expired" by itself when the time is over. */
export interface Approver {
  ask(pending: PendingApproval): Promise<ApprovalAnswer>;
}

/** A remembered approval. */
export interface RememberedApproval {
  readonly id: string;
  readonly tool: string;
  readonly agent: string;
  readonly description: string;
  readonly until: number;
}

/** Actions that change while they are asked for are asked for so often, then given up. */
const MOST_ROUNDS = 3;

/** How long answers hold, and by which clock. */
export interface ApprovalsOptions {
  readonly times: ApprovalTimes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How one approval came about, for the log. */
export interface ApprovalOutcome {
  readonly id: string;
  readonly answer: "approved" | "rejected" | "expired" | "remembered";
  readonly reason: string | null;
}

/** Asks for actions, and remembers what was agreed to: the exact action, never its words alone. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #remembered = new Map<string, RememberedApproval>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Those that hold now. */
  list(): readonly RememberedApproval[] {
    const now = this.#options.now();
    for (const [id, { until }] of this.#remembered) {
      if (until <= now) this.#remembered.delete(id);
    }
    return [...this.#remembered.values()];
  }

  /** Whether one of that name was there. */
  revoke(id: string): boolean {
    return this.#remembered.delete(id);
  }

  /**
   * What the call may run as: the one given, where it is as it was when it was agreed to. `again`
   * judges the request anew. Throws APPROVAL_REQUIRED, APPROVAL_REJECTED, APPROVAL_EXPIRED.
   */
  async obtain(
    request: CallRequest,
    decided: DecidedCall,
    asking: {
      readonly approver: Approver;
      readonly again: () => Promise<DecidedCall>;
      readonly preview: (decided: DecidedCall) => Promise<JsonText>;
      readonly told: (outcome: ApprovalOutcome) => void;
    },
  ): Promise<DecidedCall> {
    let current = decided;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { tool, input, decision } = current;
      // What is no longer asked about, or denied by now, is not for an approver.
      if (decision.effect !== "ask") return current;
      const id = actionId(request, current);
      if (this.list().some((known) => known.id === id)) {
        asking.told({ id, answer: "remembered", reason: null });
        return current;
      }
      const description = tool.describe(input);
      const answer = await asking.approver.ask({
        id,
        tool: tool.name,
        agent: request.agent,
        description,
        risk: decision.risk,
        reason: decision.reason,
        preview: mayPreview(current) ? await asking.preview(current) : JSON_NULL,
        expiresAt: this.#options.now() + this.#options.times.expireMs,
      });
      if (answer.answer !== "approved") {
        throw refused(tool.name, id, decision, answer, asking.told);
      }
      asking.told({ id, answer: "approved", reason: null });
      const now = await asking.again();
      if (actionId(request, now) !== id) {
        current = now;
        continue;
      }
      if (answer.remember === "session" && this.#options.times.rememberMs > 0) {
        const until = this.#options.now() + this.#options.times.rememberMs;
        this.#remembered.set(id, { id, tool: tool.name, agent: request.agent, description, until });
      }
      return now;
    }
    throw new ToolError(
      "APPROVAL_EXPIRED",
      `${current.tool.name}: what it would do changed each time it was approved; nothing was run`,
    );
  }
}

/** A preview reads: only what the call may read unasked. */
function mayPreview({ tool, decision }: DecidedCall): boolean {
  return tool.preview !== undefined &&
    decision.verdicts.every(({ capability, verdict }) =>
      capability.kind !== "fs.read" || verdict.effect === "allow"
    );
}

function refused(
  tool: string,
  id: string,
  { reason, rule }: DecidedCall["decision"],
  answer: Exclude<ApprovalAnswer, { answer: "approved" }>,
  told: (outcome: ApprovalOutcome) => void,
): ToolError {
  const extra = { details: { approval: id }, rule };
  switch (answer.answer) {
    case "rejected": {
      told({ id, answer: "rejected", reason: answer.reason });
      const why = answer.reason === null ? "" : `: ${answer.reason}`;
      return new ToolError("APPROVAL_REJECTED", `${tool}: rejected${why}`, extra);
    }
    case "expired":
      told({ id, answer: "expired", reason: null });
      return new ToolError(
        "APPROVAL_EXPIRED",
        `${tool}: nobody approved it in time; send the call again to ask again`,
        extra,
      );
    case "cancelled":
      return new ToolError("CANCELLED", `${tool}: cancelled before anybody had agreed to it`);
    case "nobody":
      return new ToolError("APPROVAL_REQUIRED", `${tool}: ${reason}; ${answer.hint}`, extra);
  }
}

/** The action as a name: of everything that it is. */
function actionId({ agent, timeoutMs }: CallRequest, decided: DecidedCall): string {
  const { tool, input, decision } = decided;
  const capabilities = decision.verdicts.map(({ capability }) => stateOf(capability));
  const action = JSON.stringify([tool.name, agent, input, timeoutMs, capabilities]);
  return `ap_${sha256(new TextEncoder().encode(action)).slice(0, 32)}`;
}

function stateOf(capability: ResolvedCapability): unknown {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write":
      return [capability, fileState(capability.path, capability.tree)];
    case "process.spawn": {
      const { program, operands } = capability;
      return [
        capability,
        program === null ? null : fileState(program.path, false),
        operands.map(({ path }) => fileState(path, false)),
      ];
    }
    case "net.connect":
    case "env.read":
      return capability;
  }
}
