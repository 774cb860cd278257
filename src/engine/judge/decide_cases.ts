/** Judges cases by the policies of an engine: what fails and why, and which rules no case came upon. Runs nothing. */

import { ERROR_CODES, type ErrorCode, EXIT, ToolError } from "../../core/errors.ts";
import type { Risk } from "../../core/tool.ts";
import type { PolicyCase } from "../../policy/cases.ts";
import { type MergedRule, mergedRules, RULE_SECTIONS } from "../../policy/merged.ts";
import type { Effect } from "../../policy/model.ts";
import type { CommandEngine } from "../create_engine.ts";
import { decideCall } from "./decide_call.ts";

/** How a case was judged. */
export interface CaseActual {
  readonly effect: Effect;
  readonly code: ErrorCode | null;
  /** `default.yaml paths[2]`; of an allowed request those of all that it needs. */
  readonly rules: readonly string[];
  readonly risk: Risk | null;
  readonly reason: string;
}

/** A case that was judged otherwise than it expects. */
export interface CaseFailure {
  /** From 0. */
  readonly index: number;
  readonly case: PolicyCase;
  readonly actual: CaseActual;
  /** What is not as expected: `effect`, `code`, `rule`, `risk`, or `case` where the request itself is wrong. */
  readonly wrong: readonly string[];
}

/** What came of all cases. */
export interface CaseReport {
  readonly failures: readonly CaseFailure[];
  /** Rules that decided no case. */
  readonly missed: readonly MergedRule[];
  /** How many rules there are. */
  readonly rules: number;
}

/** `counted`: how many of the policies, from the first, have their rules counted. */
export async function decideCases(
  engine: CommandEngine,
  cases: readonly PolicyCase[],
  counted: number,
): Promise<CaseReport> {
  const exercised = new Set<string>();
  const failures: CaseFailure[] = [];
  for (const [index, one] of cases.entries()) {
    const actual = await judgeCase(engine, one, exercised);
    const wrong = differences(one, actual);
    if (wrong.length > 0) failures.push({ index, case: one, actual, wrong });
  }
  // Two policies may bear one name: each is asked about alone.
  const rules = engine.policies.slice(0, counted).flatMap((placed, at) =>
    RULE_SECTIONS.flatMap((section) => mergedRules([placed])[section])
      .map((rule) => ({ rule, key: `${at} ${rule.index}` }))
  );
  const missed = rules.filter(({ key }) => !exercised.has(key)).map(({ rule }) => rule);
  return { failures, missed, rules: rules.length };
}

async function judgeCase(
  engine: CommandEngine,
  { tool, args = {}, agent = "root", preview = false }: PolicyCase,
  exercised: Set<string>,
): Promise<CaseActual> {
  try {
    const request = { id: null, tool, args, agent, preview, timeoutMs: null, stream: false };
    const { decision } = await decideCall({ ...engine, programs: "assumed" }, request);
    const { effect, code, reason, risk, rule, verdicts } = decision;
    const { capabilities } = await decision.findings();
    for (const { policies } of capabilities.flat()) {
      for (const { policy, winner } of policies) exercised.add(`${policy} ${winner}`);
    }
    const cited = effect === "allow" ? verdicts.map(({ verdict }) => verdict.rule) : [rule];
    const rules = cited.flatMap((one) => one === null ? [] : [`${one.file} ${one.index}`]);
    return { effect, code, rules: [...new Set(rules)], risk, reason };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, message, rule } = error;
    const rules = rule === null ? [] : [`${rule.file} ${rule.index}`];
    return { effect: "deny", code, rules, risk: null, reason: message };
  }
}

function differences(expected: PolicyCase, actual: CaseActual): readonly string[] {
  const { effect, code, rule, risk } = expected;
  // A request that no policy was asked about proves nothing, unless that is what the case is about.
  const unasked = actual.code !== null && ERROR_CODES[actual.code] === EXIT.usage;
  if (unasked && code !== actual.code) return ["case"];
  const cites = (cited: string) => cited === rule || cited.endsWith(` ${rule}`);
  return [
    ...(effect === actual.effect ? [] : ["effect"]),
    ...(code === undefined || code === actual.code ? [] : ["code"]),
    ...(rule === undefined || actual.rules.some(cites) ? [] : ["rule"]),
    ...(risk === undefined || risk === actual.risk ? [] : ["risk"]),
  ];
}
