/** What the way through tells the audit log: each decision before anything runs, each outcome after. */

import type { AuditLog } from "../audit/log.ts";
import type { AuditEntry, OutcomeRecord } from "../audit/record.ts";
import type { Redactor } from "../audit/redact.ts";
import { createTimestamps } from "../audit/timestamps.ts";
import { REDACTED } from "../audit/secrets.ts";
import type { ResolvedCapability } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import type { CallRequest } from "../core/request.ts";
import type { Result } from "../core/result.ts";
import type { Tool } from "../core/tool.ts";
import type { ApprovalOutcome } from "./approvals/approvals.ts";
import type { AuditSettings, Decision } from "../policy/rulebook.ts";
import { isWithin } from "../sandbox/within.ts";

/** One call, as it goes on record. */
export interface CallRecord {
  /** Throws AUDIT_FAILED where it cannot be written and must be: then nothing may run. */
  decided(
    tool: Pick<Tool, "name" | "describe">,
    input: unknown,
    decision: Pick<Decision, "effect" | "rule" | "risk" | "verdicts">,
  ): void;
  /** What became of asking somebody. Throws as `decided`. */
  approval(tool: string, outcome: ApprovalOutcome): void;
  /** The result as it may be given: it says where its record is missing. Never throws. */
  ended(result: Result): Result;
}

/** Writes down what is decided and how it ends. */
export interface Recorder {
  begin(request: CallRequest): CallRecord;
}

/** Where is recorded, and what of it. */
export interface RecorderOptions {
  readonly settings: AuditSettings;
  readonly workspace: string;
  readonly redactor: Redactor;
  /** Opens the log; called once, by the first call. */
  readonly open: () => AuditLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Longest list and longest text of one record: what a caller sends must not fill the log. */
const MOST_CAPABILITIES = 64;
const LONGEST_ARGUMENTS = 16 * 1024;
/** Agents and tools are named by callers, too. */
const LONGEST_NAME = 200;

/** Bytes of the random part of a call's name: two processes meet once in 2^24 pairs. */
const PREFIX_BYTES = 6;

/** Opens the log with the first record. What cannot be written throws before anything runs. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { settings, redactor } = options;
  const now = createTimestamps(options.now);
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
      const time = now();
      const call = `${prefix}-${++calls}`;
      const asking = redactor.text(agent.slice(0, LONGEST_NAME));
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
          // Member by member, here and below: spreading objects into each other takes as long as writing the line.
          const entry: AuditEntry = {
            kind: "decision",
            time,
            call,
            agent: asking,
            tool: tool.name,
            description: redactor.text(tool.describe(input)),
            args: bounded(redactor.value(args)),
            capabilities: shownCapabilities(verdicts, options),
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
          must(tool, {
            kind: "approval",
            time: now(),
            call,
            agent: asking,
            tool,
            approval: id,
            answer,
            reason: said,
          }, settings.sync !== "never");
        },
        ended(result) {
          const { tool, success, error, latencyMs, usage } = result;
          const entry: OutcomeRecord = {
            kind: "outcome",
            time: now(),
            call,
            agent: asking,
            tool: redactor.text((tool ?? asked).slice(0, LONGEST_NAME)),
            success,
            code: error?.code ?? null,
            message: error === null ? null : redactor.text(error.message),
            latency_ms: Math.round(latencyMs * 100) / 100,
            layers: Array.isArray(usage.layers) ? usage.layers : [],
            ...(Array.isArray(usage["hosts"])
              ? { hosts: usage["hosts"].map((host) => redactor.text(String(host))) }
              : {}),
          };
          try {
            append(tokens === undefined ? entry : { ...entry, tokens }, settings.sync === "always");
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
  if (mostCharacters(args) <= LONGEST_ARGUMENTS) return args;
  const text = JSON.stringify(args) ?? "null";
  return text.length <= LONGEST_ARGUMENTS ? args : `[arguments of ${text.length} characters]`;
}

/** Not fewer characters than the data takes as JSON: `\u0000` is the longest way to write one. */
function mostCharacters(data: unknown): number {
  if (typeof data === "string") return 6 * data.length + 2;
  if (typeof data !== "object" || data === null) return LONGEST_NUMBER;
  let most = 2;
  for (const name of Object.keys(data)) {
    most += 6 * name.length + 4 + mostCharacters((data as Record<string, unknown>)[name]);
  }
  return most;
}

/** `-1.7976931348623157e+308`, and one more. */
const LONGEST_NUMBER = 25;

function shownCapabilities(
  verdicts: Decision["verdicts"],
  options: RecorderOptions,
): readonly Readonly<Record<string, unknown>>[] {
  const secrets = secretWords(verdicts, options.redactor);
  const shown: Readonly<Record<string, unknown>>[] = [];
  for (const { capability } of verdicts) {
    if (shown.length === MOST_CAPABILITIES) {
      shown.push({ kind: "more", count: verdicts.length - MOST_CAPABILITIES });
      break;
    }
    shown.push(shownCapability(capability, secrets, options));
  }
  return shown;
}

function shownCapability(
  capability: ResolvedCapability,
  secrets: readonly string[],
  { workspace, redactor }: RecorderOptions,
): Readonly<Record<string, unknown>> {
  const { kind } = capability;
  switch (kind) {
    case "fs.read":
    case "fs.write": {
      // What a program may take for a path is a word of its arguments: a secret there is one here.
      const hidden = secrets.some((word) => word.includes(capability.requested));
      const path = hidden ? REDACTED : redactor.text(relative(capability.path, workspace));
      const whole = capability.tree ? { kind, path, tree: true } : { kind, path };
      return capability.by === undefined ? whole : { ...whole, by: capability.by };
    }
    case "process.spawn": {
      const cwd = redactor.text(relative(capability.cwd, workspace));
      return { kind, argv: redactor.value(capability.argv), cwd };
    }
    case "net.connect": {
      const { host, port, method, by } = capability;
      return {
        kind,
        host,
        port,
        ...(method === undefined ? {} : { method }),
        ...(by === undefined ? {} : { by }),
      };
    }
    case "env.read":
      return { kind, name: capability.name };
  }
}

const NO_WORDS: readonly string[] = [];

/** Arguments of programs that are not shown, or not as they are. */
function secretWords(
  verdicts: Decision["verdicts"],
  redactor: Redactor,
): readonly string[] {
  if (!verdicts.some(({ capability }) => capability.kind === "process.spawn")) return NO_WORDS;
  return verdicts.flatMap(({ capability }) => {
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
