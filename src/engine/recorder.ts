/** What the way through tells the audit log: each decision before anything runs, each outcome after. */

import type { AuditLog } from "../audit/log.ts";
import type { AuditEntry } from "../audit/record.ts";
import type { Redactor } from "../audit/redact.ts";
import { REDACTED } from "../audit/secrets.ts";
import type { ResolvedCapability } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import type { CallRequest } from "../core/request.ts";
import type { Result } from "../core/result.ts";
import type { Tool } from "../core/tool.ts";
import type { ApprovalOutcome } from "./approvals.ts";
import type { AuditSettings, Decision } from "../policy/rulebook.ts";
import { isWithin } from "../sandbox/within.ts";

/** One call, as it goes on record. */
export interface CallRecord {
  /** Throws AUDIT_FAILED where it cannot be written and must be: then nothing may run. */
  decided(tool: Pick<Tool, "name" | "describe">, input: unknown, decision: Decision): void;
  /** What became of asking somebody. Throws as `decided`. */
  approval(tool: string, outcome: ApprovalOutcome): void;
  /** The result as it may be given: it says where its record is missing. Never throws. */
  ended(result: Result): Result;
}

export interface Recorder {
  begin(request: CallRequest): CallRecord;
}

/** Where no policy wants a log. */
export const NO_RECORDER: Recorder = {
  begin: () => NO_RECORD,
};

const NO_RECORD: CallRecord = {
  decided: () => {},
  approval: () => {},
  ended: (result) => result,
};

export interface RecorderOptions {
  readonly settings: AuditSettings;
  readonly workspace: string;
  readonly redactor: Redactor;
  /** Opens the log; called once, by the first call. */
  readonly open: () => AuditLog;
  readonly now: () => Date;
}

/** Longest list and longest text of one record: what a caller sends must not fill the log. */
const MOST_CAPABILITIES = 64;
const LONGEST_ARGUMENTS = 16 * 1024;
/** Agents and tools are named by callers, too. */
const LONGEST_NAME = 200;

/** Bytes of the random part of a call's name: two processes meet once in 2^24 pairs. */
const PREFIX_BYTES = 6;

export function createRecorder(options: RecorderOptions): Recorder {
  const { settings, redactor, now } = options;
  const prefix = [...crypto.getRandomValues(new Uint8Array(PREFIX_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
  let calls = 0;
  let opened: AuditLog | null = null;

  const append = (entry: AuditEntry, durable: boolean): void => {
    opened ??= options.open();
    opened.append([entry], durable);
  };

  return {
    begin({ agent, tool: asked, args, preview, tokens }) {
      const common = {
        time: now().toISOString(),
        call: `${prefix}-${++calls}`,
        agent: agent.slice(0, LONGEST_NAME),
      };
      const must = (tool: string, entry: AuditEntry, durable: boolean): void => {
        try {
          append(entry, durable);
        } catch (error) {
          if (!settings.required) return;
          throw new ToolError(
            "AUDIT_FAILED",
            `${tool}: nothing was run, since the audit log cannot be written: ${reasonOf(error)}`,
          );
        }
      };
      return {
        decided(tool, input, { effect, rule, risk, verdicts }) {
          const changes = risk !== "safe" && !preview;
          const entry: AuditEntry = {
            kind: "decision",
            ...common,
            tool: tool.name,
            description: redactor.text(tool.describe(input)),
            args: bounded(redactor.value(args)),
            capabilities: shownCapabilities(verdicts.map(({ capability }) => capability), options),
            effect,
            rule: rule === null ? null : `${rule.file} ${rule.index}`,
            risk,
            preview,
          };
          must(
            tool.name,
            entry,
            settings.sync === "always" || (settings.sync === "changes" && changes),
          );
        },
        approval(tool, { id, answer, reason }) {
          const said = reason === null ? null : redactor.text(reason);
          const time = now().toISOString();
          must(tool, {
            kind: "approval",
            ...common,
            time,
            tool,
            approval: id,
            answer,
            reason: said,
          }, settings.sync !== "never");
        },
        ended(result) {
          const { tool, success, error, latencyMs, usage } = result;
          const entry: AuditEntry = {
            kind: "outcome",
            ...common,
            time: now().toISOString(),
            tool: (tool ?? asked).slice(0, LONGEST_NAME),
            success,
            code: error?.code ?? null,
            message: error === null ? null : redactor.text(error.message),
            latency_ms: Number(latencyMs.toFixed(2)),
            layers: Array.isArray(usage.layers) ? usage.layers : [],
            ...(tokens === undefined ? {} : { tokens }),
          };
          try {
            append(entry, settings.sync === "always");
            return result;
          } catch (failure) {
            const missing = [`the outcome is not in the log: ${reasonOf(failure)}`];
            return { ...result, usage: { ...usage, audit: missing } };
          }
        },
      };
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof ToolError ? error.message : error instanceof Error ? error.name : "?";
}

function bounded(args: unknown): unknown {
  const text = JSON.stringify(args) ?? "null";
  return text.length <= LONGEST_ARGUMENTS ? args : `[arguments of ${text.length} characters]`;
}

function shownCapabilities(
  capabilities: readonly ResolvedCapability[],
  { workspace, redactor }: RecorderOptions,
): readonly Readonly<Record<string, unknown>>[] {
  const shownPath = (path: string) => redactor.text(relative(path, workspace));
  const secrets = secretWords(capabilities, redactor);
  const shown = capabilities.slice(0, MOST_CAPABILITIES).map((capability) => {
    const { kind } = capability;
    switch (kind) {
      case "fs.read":
      case "fs.write":
        return {
          kind,
          // What a program may take for a path is a word of its arguments: a secret there is one here.
          path: secrets.some((word) => word.includes(capability.requested))
            ? REDACTED
            : shownPath(capability.path),
          ...(capability.tree ? { tree: true } : {}),
        };
      case "process.spawn":
        return { kind, argv: redactor.value(capability.argv), cwd: shownPath(capability.cwd) };
      case "net.connect": {
        const { host, port, method } = capability;
        return { kind, host, port, ...(method === undefined ? {} : { method }) };
      }
      case "env.read":
        return { kind, name: capability.name };
    }
  });
  const more = capabilities.length - shown.length;
  return more > 0 ? [...shown, { kind: "more", count: more }] : shown;
}

/** Arguments of programs that are not shown, or not as they are. */
function secretWords(
  capabilities: readonly ResolvedCapability[],
  redactor: Redactor,
): readonly string[] {
  return capabilities.flatMap((capability) => {
    if (capability.kind !== "process.spawn") return [];
    const shown = redactor.value(capability.argv);
    return capability.argv.filter((word, index) => Array.isArray(shown) && shown[index] !== word);
  });
}

function relative(path: string, workspace: string): string {
  if (path === workspace) return ".";
  return isWithin(workspace, path)
    ? path.slice(workspace === "/" ? 1 : workspace.length + 1)
    : path;
}
