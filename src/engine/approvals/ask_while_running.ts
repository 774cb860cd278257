/** Asking for a command of a line while the line runs: decided, asked for and compared as a call of its own would be. */

import type { ResultError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { CallRequest } from "../../core/request.ts";
import { JSON_NULL } from "../../core/result.ts";
import type { Tool } from "../../core/tool.ts";
import { asAgreed } from "../../policy/grant.ts";
import { printfQuoted } from "../../host/run/line/expand/quote.ts";
import type { LineCommand } from "../../host/run/line/line_host.ts";
import { decideOn } from "../judge/decide_call.ts";
import { capabilitiesOf, FILES_ALONE } from "../judge/decide_at_run.ts";
import type { DecidedCall, DecisionParts } from "../judge/decided_call.ts";
import type { CallRecord } from "../recorder.ts";
import { describeFailure } from "../run_tool.ts";
import type { RunningAnswer, RunningCommand } from "../runner.ts";
import type { Approvals, Approver } from "./approvals.ts";

/** Characters of the words that a person is shown. */
const LONGEST_WORDS = 600;

/** The call whose line runs, and who is asked for it. */
export interface RunningCall {
  readonly engine: DecisionParts & { readonly approvals: Approvals };
  readonly request: CallRequest;
  readonly tool: Tool;
  readonly input: unknown;
  readonly approver: Approver;
  readonly record: CallRecord;
  readonly outcome: Promise<unknown>;
}

/**
 * Decides on the command anew, here, and asks who can be asked. On record is what was asked for, and what was answered.
 * `onAnswer`: called when the call goes on: while somebody is asked it may be cancelled by another way.
 */
export async function askWhileRunning(
  { engine, request, tool: lineTool, input: line, approver, record, outcome }: RunningCall,
  { command, folder }: RunningCommand,
  onAnswer: () => void,
): Promise<RunningAnswer> {
  const ended = new AbortController();
  void outcome.then(() => ended.abort());
  const words = wordsOf(command);
  const tool = toolOf(lineTool, command, words);
  const { argv, directory, redirections, variables } = command;
  const input = { line, running: { argv, directory, redirections, variables } };
  const decide = async (): Promise<DecidedCall> => {
    const capabilities = await capabilitiesOf(command);
    await engine.prepare(capabilities, tool);
    const { rulebook } = engine;
    const own = folder === null ? engine : { ...engine, rulebook: rulebook.withFolder(folder) };
    const decided = await decideOn(own, request, { tool, input }, capabilities);
    const { decision } = decided;
    const reason = `"${words}", known only while the line runs: ${decision.reason}`;
    return { ...decided, decision: { ...decision, reason } };
  };
  try {
    const decided = await decide();
    record.decided(tool, { line, running: words }, decided.decision);
    const { call, agreed, changed } = await engine.approvals.obtain(request, decided, {
      approver,
      again: decide,
      preview: () => Promise.resolve(JSON_NULL),
      told: (outcome) => record.approval(tool.name, outcome),
      whileRunning: ended.signal,
    });
    const { decision, grant } = call;
    if (changed) record.decided(tool, { line, running: words }, decision);
    if (decision.effect === "deny") return refused(errorOf(tool, call));
    return { error: null, agreed, files: asAgreed(grant, decision).agreed ?? [] };
  } catch (error) {
    return refused(describeFailure(tool.name, error));
  } finally {
    if (!ended.signal.aborted) onAnswer();
  }
}

function refused(error: ResultError): RunningAnswer {
  return { error, agreed: [], files: [] };
}

function errorOf(tool: Tool, { decision: { code, reason, rule } }: DecidedCall): ResultError {
  const message = `${tool.name}: ${reason}`;
  return { code: code ?? "COMMAND_DENIED", message, details: null, rule };
}

/** The tool as it stands for the one command: judged by its own risk, described by its words. */
function toolOf(line: Tool, { argv }: LineCommand, words: string): Tool {
  const { preview: _, ...tool } = line;
  return {
    ...tool,
    ...(argv === null ? FILES_ALONE : {}),
    describe: (input) =>
      `Run ${words} in ${line.describe((input as { readonly line: unknown }).line)}`,
  };
}

/** The command as one would write it, on one line. */
function wordsOf({ argv, redirections, variables }: LineCommand): string {
  const signs = { read: "<", write: ">", append: ">>", "read-write": "<>" } as const;
  const parts = [
    ...variables.map((name) => `${name}=…`),
    ...(argv ?? []).map(printfQuoted),
    ...redirections.map(({ kind, target }) => `${signs[kind]} ${printfQuoted(target)}`),
  ];
  return printable(parts.join(" "), LONGEST_WORDS);
}
