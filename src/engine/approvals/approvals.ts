/**
 * Actions that somebody must agree to. An approval is for exactly one action: the tool, who asks, the arguments,
 * what they lead to on this machine, and the state of all files concerned. Whatever changes asks again.
 */

import { createHash } from "node:crypto";
import { ToolError } from "../../core/errors.ts";
import { printable, printableData } from "../../core/printable.ts";
import type { CallRequest } from "../../core/request.ts";
import { JSON_NULL, type JsonText, toJsonText } from "../../core/result.ts";
import type { CanonicalPath, ResolvedCapability } from "../../core/capability.ts";
import type { Risk } from "../../core/tool.ts";
import { fileState } from "../../host/files/file_state.ts";
import type { IdentityProbe } from "../../host/paths/identity.ts";
import type { ApprovalTimes } from "../../policy/model.ts";
import type { DecidedCall } from "../judge/decided_call.ts";
import { inTurns, Turns } from "../turns.ts";
import { type AgreedPath, agreedPathsOf } from "./agreed.ts";
import { hashData } from "./hash_data.ts";

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
  /** Why no approval of it can be remembered: what it would do is not all said by it. Null where one can. */
  readonly onceBecause: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** It is a command of a line that runs, and waits for the answer with all that it has started. */
  readonly whileRunning?: true;
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

/**
 * Whoever can be asked. Answers "expired" by itself when the time is over, and "cancelled" where `withdrawn` is aborted by
 * who waits for the answer.
 */
export interface Approver {
  ask(pending: PendingApproval, withdrawn?: AbortSignal): Promise<ApprovalAnswer>;
  /** Whether nobody will ever be there again; false where it is not given. */
  readonly gone?: boolean;
}

/** A remembered approval. */
export interface RememberedApproval {
  readonly id: string;
  readonly tool: string;
  readonly agent: string;
  readonly description: string;
  readonly until: number;
}

/** Longest line of a question, in characters: the whole command line of most calls. */
const LONGEST_TEXT = 1_000;
/** Actions that change while they are asked for are asked for so often, then given up. */
const MOST_ROUNDS = 3;

/** How long answers hold, and by which clock. */
export interface ApprovalsOptions {
  readonly times: ApprovalTimes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Asked for with the first question. */
  readonly probe: () => IdentityProbe;
}

/** How one approval came about, for the log. */
export interface ApprovalOutcome {
  readonly id: string;
  readonly answer: "approved" | "rejected" | "expired" | "remembered";
  readonly reason: string | null;
}

/** A call that somebody agreed to, now or earlier. */
export interface AgreedCall {
  /** What may run: with an effect of `deny` nothing may. */
  readonly call: DecidedCall;
  /** What it was agreed to with, to be compared by whoever acts on it. */
  readonly agreed: readonly AgreedPath[];
  /** It is not what was decided first: something of it changed while it was asked for. */
  readonly changed: boolean;
}

/** Asks for actions, and remembers what was agreed to: the exact action, never its words alone. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #remembered = new Map<string, RememberedApproval>();
  #probe: IdentityProbe | null = null;

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
   * What the call may run as: the one given, where it is as it was when it was agreed to. `again` decides on the
   * request anew: where it is another action by then it is asked for again, also one that would be allowed unasked, for
   * somebody has just agreed to something else. Throws APPROVAL_REQUIRED, APPROVAL_REJECTED, APPROVAL_EXPIRED.
   */
  async obtain(
    request: CallRequest,
    decided: DecidedCall,
    asking: {
      readonly approver: Approver;
      readonly again: () => Promise<DecidedCall>;
      readonly preview: (decided: DecidedCall) => Promise<JsonText>;
      readonly told: (outcome: ApprovalOutcome) => void;
      /** Asked of a command of a line that runs: aborted where the line waits no more. */
      readonly whileRunning?: AbortSignal;
    },
  ): Promise<AgreedCall> {
    const { whileRunning } = asking;
    const probe = this.#probe ??= this.#options.probe();
    let current = decided;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { tool, input, decision } = current;
      const changed = round > 0;
      // What is denied by now is not for an approver, and what is allowed from the start is not either.
      const settled = decision.effect === "deny" || (decision.effect === "allow" && !changed);
      if (settled) return { call: current, agreed: [], changed };
      // Before the state that the approval is bound to: what happens in between is seen by one of the two.
      const agreed = await inTurns(agreedPathsOf(current, probe));
      const id = await actionId(request, current, agreed);
      if (this.list().some((known) => known.id === id)) {
        asking.told({ id, answer: "remembered", reason: null });
        return { call: current, agreed, changed };
      }
      const description = printable(tool.describe(input), LONGEST_TEXT);
      const why = printable(decision.reason, LONGEST_TEXT);
      const answer = await asking.approver.ask({
        id,
        tool: tool.name,
        agent: printable(request.agent, LONGEST_TEXT),
        description,
        risk: decision.risk,
        reason: changed ? `it has changed while it was asked for; ${why}` : why,
        onceBecause: whileRunning === undefined ? onceBecause(current) : PART_OF_LINE,
        preview: mayPreview(current) ? safeText(await asking.preview(current)) : JSON_NULL,
        expiresAt: this.#options.now() + this.#options.times.expireMs,
        ...(whileRunning === undefined ? {} : { whileRunning: true }),
      }, whileRunning);
      if (answer.answer !== "approved") {
        throw refused(tool.name, id, decision, answer, asking.told);
      }
      asking.told({ id, answer: "approved", reason: null });
      const now = await asking.again();
      const run = await inTurns(agreedPathsOf(now, probe));
      if (await actionId(request, now, run) !== id) {
        current = now;
        continue;
      }
      const remembered = answer.remember === "session" && this.#options.times.rememberMs > 0 &&
        whileRunning === undefined && onceBecause(now) === null;
      if (remembered) {
        const until = this.#options.now() + this.#options.times.rememberMs;
        this.#remembered.set(id, { id, tool: tool.name, agent: request.agent, description, until });
      }
      return { call: now, agreed: run, changed };
    }
    throw new ToolError(
      "APPROVAL_EXPIRED",
      `${current.tool.name}: what it would do changed each time it was approved; nothing was run`,
    );
  }
}

/** JSON without a character that could be unsafe, written out or escaped: most previews. */
const SAFE_JSON = /^(?:[\x20-\x5b\x5d-\x7e]|\\[nt"\\/])*$/;

/** A preview is shown to people, wherever it goes: what is in it is made safe for them once, here. */
function safeText(preview: JsonText): JsonText {
  return SAFE_JSON.test(preview) ? preview : toJsonText(printableData(JSON.parse(preview)));
}

/** Of a command of a line that runs. */
const PART_OF_LINE = "it is a part of a line that runs, and the rest of the line is no part of it";

/** Commands whose words do not say all that they run: an approval of those words is good for one call. */
function onceBecause({ decision }: DecidedCall): string | null {
  for (const { capability } of decision.verdicts) {
    if (capability.kind !== "process.spawn" || capability.opened === true) continue;
    const name = printable(capability.argv[0] ?? "", 80);
    if (capability.runsFiles === true) {
      return `${name} runs files that are not part of what is agreed to, and that may change`;
    }
    if (capability.open !== undefined) {
      return `some words of ${name} are known only when it runs`;
    }
  }
  return null;
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
async function actionId(
  { agent, timeoutMs }: CallRequest,
  { tool, input, decision }: DecidedCall,
  agreed: readonly AgreedPath[],
): Promise<string> {
  const turns = new Turns();
  const hash = createHash("sha256");
  await hashData(hash, [tool.name, agent, input, timeoutMs], turns);
  // Contents count of files that are named; of whole folders times must do, which no program can set (inode(7), ctime).
  hash.update(JSON.stringify(agreed.map(({ path, tree }) => tree === null ? null : [path, tree])));
  const states: FileStates = new Map();
  for (const { capability } of decision.verdicts) {
    hash.update(`\n${JSON.stringify(await stateOf(capability, states, turns))}`);
    await turns.take();
  }
  return `ap_${hash.digest("hex").slice(0, 32)}`;
}

/** Of one action: what it names often is looked at once. */
type FileStates = Map<string, string>;

async function stateAt(path: CanonicalPath, states: FileStates): Promise<string> {
  const known = states.get(path);
  if (known !== undefined) return known;
  const state = await fileState(path);
  states.set(path, state);
  return state;
}

async function stateOf(
  capability: ResolvedCapability,
  known: FileStates,
  turns: Turns,
): Promise<unknown> {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write": {
      return [capability, await stateAt(capability.path, known)];
    }
    case "process.spawn": {
      const { program, operands, cwd, project = [] } = capability;
      const paths = [cwd, ...(program === null ? [] : [program.path])];
      const states: string[] = [];
      for (const path of [...paths, ...[...operands, ...project].map(({ path }) => path)]) {
        states.push(await stateAt(path, known));
        await turns.take();
      }
      return [capability, states];
    }
    case "net.connect":
    case "env.read":
      return capability;
  }
}
