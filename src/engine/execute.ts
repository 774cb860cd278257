/** The one way through: every call, whichever way it came in, passes `execute()` and nothing else runs a tool. */

import type { CallRequest } from "../core/request.ts";
import { jsonText, refusal, type Result } from "../core/result.ts";
import type { Risk } from "../core/tool.ts";
import { asAgreed, type Grant } from "../policy/grant.ts";
import type { AgreedCall, Approvals, Approver } from "./approvals/approvals.ts";
import type { Budgets } from "./budgets.ts";
import { decideCall, subjectOf } from "./judge/decide_call.ts";
import type { DecidedCall, DecisionParts } from "./judge/decided_call.ts";
import { previewGrantOf } from "./judge/needs.ts";
import type { Metrics } from "./_metrics.ts";
import { requireOwnWorkspace } from "./judge/own_workspace.ts";
import { missingProgram, whyHopeless } from "./judge/missing_program.ts";
import type { CallRecord, Recorder } from "./recorder.ts";
import { isRepeatable, type Recovered, runWithRetries, tryAlternatives } from "./_recover.ts";
import { describeFailure } from "./run_tool.ts";
import type { AskWhileRunning, OnEvent, Outcome, Runner } from "./runner.ts";
import type { Telemetry } from "./telemetry.ts";
import type { ArrivalOrder } from "./_arrival_order.ts";

/** All that the way through needs; made once by `createEngine`. */
export interface Engine extends DecisionParts {
  readonly runner: Runner<Outcome | Promise<Outcome>>;
  readonly arrivalOrder: ArrivalOrder;
  readonly budgets: Budgets;
  readonly approvals: Approvals;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  /** Null where the build sends none. */
  readonly telemetry: Telemetry | null;
}

const NOTHING_AGREED: AgreedCall["agreed"] = [];

/** How a caller follows a call. */
export interface Follow {
  readonly onEvent: OnEvent;
  /** Asked where the policy wants somebody to agree. */
  readonly approver: Approver;
  /** Handed the way to cancel, once the call runs. */
  readonly onRunning: (cancel: () => void) => void;
}

/** Checks, decides, records, runs, and answers; where the policy names other tools for one that fails, with theirs. Never throws. */
export function execute(engine: Engine, request: CallRequest, follow: Follow): Promise<Result> {
  const attempted = attempt(engine, request, follow);
  const { alternatives } = engine.rulebook.settings.recovery;
  if (alternatives === undefined) return attempted;
  return attempted.then((result) => {
    const names = alternatives[result.tool ?? ""] ?? [];
    if (result.success || names.length === 0) return result;
    return tryAlternatives(result, request, names, {
      tool: (name) => engine.registry.get(name),
      call: (other) => attempt(engine, other, follow),
    });
  });
}

async function attempt(engine: Engine, asked: CallRequest, follow: Follow): Promise<Result> {
  const started = performance.now();
  const latency = () => performance.now() - started;
  const name = engine.registry.canonicalName(asked.tool) ?? asked.tool;
  const request = asked.tool === name ? asked : { ...asked, tool: name };
  let ran = name;
  let risk: Risk | null = null;
  const record = engine.recorder.begin(asked);
  const observed = engine.telemetry?.begin(asked);
  const finish = (result: Result): Result => {
    observed?.ended(result);
    engine.metrics.record(ran, result.error?.code ?? null, result.latencyMs);
    return record.ended(result);
  };
  try {
    requireOwnWorkspace(engine, request.agent);
    engine.budgets.charge(request.agent, request.tokens ?? 0);
    const judging = engine.arrivalOrder.take(decideCall(engine, request));
    const judged = judging instanceof Promise ? await judging : judging;
    ran = judged.tool.name;
    risk = judged.decision.risk;
    record.decided(judged.tool, judged.input, judged.decision);
    // Nobody is asked about what could not start.
    const missing = judged.decision.effect === "deny" ? null : whyHopeless(judged, engine.resolver);
    if (missing !== null) throw missing;
    const asked = judged.decision.effect === "ask" && !request.preview;
    const { call, agreed, changed } = asked
      ? await approve(engine, request, judged, follow, record)
      : { call: judged, agreed: NOTHING_AGREED, changed: false };
    // On record is what is acted on, too, where that is not what was decided first.
    if (changed) record.decided(call.tool, call.input, call.decision);
    const { effect, code, reason, rule } = call.decision;
    if (effect === "deny" || (effect === "ask" && !asked)) {
      const message = `${name}: ${reason}`;
      const error = { code: code ?? "TOOL_DENIED", message, details: null, rule };
      return finish(refusal(name, error, latency(), risk));
    }
    // It may have gone while somebody was asked.
    const gone = asked ? missingProgram(call, engine.resolver) : null;
    if (gone !== null) throw gone;
    const grant = asked ? asAgreed(call.grant, call.decision) : call.grant;
    const acted = { ...call, grant, agreed };
    const running = run(engine, request, acted, follow, record);
    const { outcome, steps } = running instanceof Promise ? await running : running;
    const { output, error, usage } = outcome;
    const success = error === null;
    const recovery = steps.length === 0 ? {} : { recovery: steps };
    const latencyMs = latency();
    return finish({ tool: name, success, output, error, risk, latencyMs, usage, ...recovery });
  } catch (error) {
    return finish(refusal(name, describeFailure(name, error), latency(), risk));
  }
}

/** On the threads; again where the policy wants that and the call only looks. */
function run(
  engine: Engine,
  request: CallRequest,
  { tool, input, grant, agreed }: DecidedCall & Pick<AgreedCall, "agreed">,
  { onEvent, onRunning, approver }: Follow,
  record: CallRecord,
): Recovered | Promise<Recovered> {
  const preview = request.preview && tool.dryRun === undefined;
  const subject = subjectOf(tool, request.agent);
  const start = (granted: Grant) => {
    const { stream } = request;
    const ask: AskWhileRunning = async (question) => {
      const { askWhileRunning } = await import("./approvals/ask_while_running.ts");
      const { cancel, outcome } = running;
      const ended = Promise.resolve(outcome);
      const call = { engine, request, tool, input, approver, record, outcome: ended };
      return await askWhileRunning(call, question, () => onRunning(cancel));
    };
    const job = { tool, input, grant: granted, preview, stream, subject, agreed, ask };
    const running = engine.runner.run(job, onEvent);
    onRunning(running.cancel);
    return running.outcome;
  };
  const { recovery } = engine.rulebook.settings;
  const retries = (recovery.timeout?.retries ?? 0) + (recovery.network?.retries ?? 0);
  const wanted = retries > 0 || recovery.degraded === true;
  if (!wanted || !isRepeatable(tool, grant)) {
    const outcome = start(grant);
    return outcome instanceof Promise ? outcome.then(atFirst) : atFirst(outcome);
  }
  const callerMs = request.timeoutMs;
  return runWithRetries(recovery, { grant, callerMs }, start, (ms) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, ms, true);
    onRunning(() => {
      clearTimeout(timer);
      resolve(false);
    });
    return promise;
  });
}

function atFirst(outcome: Outcome): Recovered {
  return { outcome, steps: [] };
}

/** Asks who can be asked. Answers with the decision that was agreed to. */
function approve(
  engine: Engine,
  request: CallRequest,
  judged: DecidedCall,
  { approver, onEvent }: Follow,
  record: CallRecord,
): Promise<AgreedCall> {
  return engine.approvals.obtain(request, judged, {
    approver,
    again: async () => await decideCall(engine, request),
    async preview(asked) {
      const { tool, input } = asked;
      const grant = previewGrantOf(engine, request.agent, asked);
      const subject = subjectOf(tool, request.agent);
      const job = { tool, input, grant, preview: true, stream: false, subject };
      return jsonText((await engine.runner.run(job, onEvent).outcome).output);
    },
    told: (outcome) => record.approval(judged.tool.name, outcome),
  });
}
