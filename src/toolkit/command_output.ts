/** What became of a program, as results show it and as errors. */

import { type RuleReference, ToolError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import type { Infer, JsonSchema, Schema } from "../core/schema.ts";
import type { DeniedName, ProcessOutcome, ProgramLimit } from "../core/tool.ts";

/** What each means, for the schemas of outputs. */
export const OUTPUT_PROPERTIES = {
  stdout: { type: "string", description: "Up to the output limit (1 MiB by default)." },
  stderr: { type: "string", description: "Likewise." },
  exit_code: {
    oneOf: [{ type: "integer" }, { type: "null" }],
    description: "Null where a signal ended it.",
  },
  signal: {
    oneOf: [{ type: "string" }, { type: "null" }],
    description: "The signal that ended it, such as SIGKILL.",
  },
  timed_out: { type: "boolean", description: "Whether it was ended for taking too long." },
  truncated: { type: "boolean", description: "Whether output was dropped at the limit." },
  invalid_utf8: {
    type: "boolean",
    description: "True where the output was no UTF-8: bad bytes came out as U+FFFD.",
  },
  duration_ms: { type: "number", description: "From start to end." },
  sandbox: {
    type: "array",
    items: { type: "string" },
    description: "The layers that held it.",
  },
  denied: {
    type: "array",
    items: {
      type: "object",
      properties: {
        path: { type: "string", description: "As messages show it." },
        access: { enum: ["read", "write", "connect", "listen"], description: "What it wanted." },
        code: { type: "string", description: "PATH_DENIED, or as the rule has it." },
        reason: { type: "string", description: "Why, and by which rule." },
      },
      required: ["path", "access", "code", "reason"],
    },
    description: "Names that the policy refused to it while it ran, the first 16; hosts, too.",
  },
  hooks_run: {
    type: "array",
    items: { type: "string" },
    description: "Hooks of the repository that a git of the line came to, and that ran.",
  },
  hooks_skipped: {
    type: "array",
    items: { type: "string" },
    description: "Hooks of the repository that did not run.",
  },
  left_out: {
    type: "array",
    items: { type: "string" },
    description: "Names that git was told to leave out of what it showed: the policy denies them.",
  },
  reached: {
    type: "array",
    items: {
      type: "object",
      properties: {
        host: { type: "string", description: "As `host:port`." },
        connections: { type: "integer", description: "How many there were." },
        sent: { type: "integer", description: "Bytes that it sent." },
        received: { type: "integer", description: "Bytes that came back." },
      },
      required: ["host", "connections", "sent", "received"],
    },
    description: "Hosts that it reached because a network rule names it.",
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** Those of them that are in every answer. */
export const OUTPUT_REQUIRED = [
  "stdout",
  "stderr",
  "exit_code",
  "signal",
  "timed_out",
  "truncated",
  "duration_ms",
  "sandbox",
] as const;

/** The schema of a command's answer, which may have gone to a file as well. */
export const COMMAND_OUTPUT = {
  type: "object",
  properties: {
    ...OUTPUT_PROPERTIES,
    spilled: {
      type: "object",
      properties: {
        bytes: { type: "integer", description: "Bytes that output_file was given." },
        complete: { type: "boolean", description: "False where it could not take all of them." },
      },
      required: ["bytes", "complete"],
      description: "Where output_file was given.",
    },
  },
  required: OUTPUT_REQUIRED,
} as const satisfies Schema;

/** What became of a command. `invalid_utf8` is there where it is true, `spilled` where a file was named. */
export type CommandOutput = Infer<typeof COMMAND_OUTPUT>;

/** The output of a program that ended, or was ended. */
export function commandOutput(outcome: ProcessOutcome): CommandOutput {
  const stdout = decode(outcome.stdout);
  const stderr = decode(outcome.stderr);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    timed_out: outcome.timedOut,
    truncated: outcome.dropped.stdout + outcome.dropped.stderr > 0,
    ...(stdout.valid && stderr.valid ? {} : { invalid_utf8: true }),
    duration_ms: Math.round(outcome.durationMs * 100) / 100,
    sandbox: outcome.sandbox,
    ...(outcome.denied.length === 0 ? {} : { denied: outcome.denied.map(shownName) }),
    ...(outcome.hooksRun === undefined ? {} : { hooks_run: outcome.hooksRun }),
    ...(outcome.hooksSkipped === undefined ? {} : { hooks_skipped: outcome.hooksSkipped }),
    ...(outcome.leftOut === undefined ? {} : { left_out: outcome.leftOut }),
    ...(outcome.reached === undefined ? {} : { reached: outcome.reached }),
    ...(outcome.spilled === null ? {} : { spilled: outcome.spilled }),
  };
}

/** What a program that went over a limit of the policy is told. */
const EXCEEDED: Readonly<Record<ProgramLimit, string>> = {
  memory: "took more memory",
  processes: "started more processes",
  cpu: "took more processor time",
};

/** The error of a program that did not end with status 0, its whole output with it; null where it did. */
export function commandError(
  tool: string,
  program: string,
  outcome: ProcessOutcome,
  timeoutMs: number,
): ToolError | null {
  const output = commandOutput(outcome);
  const name = printable(program, 60);
  const { refusal, exceeded, limitedBy } = outcome;
  const rule = limitedBy?.rule ?? null;
  if (refusal !== null) {
    const { code, message, details, rule } = refusal;
    return new ToolError(code, message, { ...(details === null ? {} : { details }), rule, output });
  }
  if (exceeded !== null) {
    const gives = limitedBy === undefined
      ? `limits.${exceeded} of the policy gives`
      : `limits.${exceeded} of ${placeOf(limitedBy.rule)} gives (${limitedBy.text})`;
    return new ToolError(
      "RESOURCE_LIMIT",
      `${name} ${EXCEEDED[exceeded]} than ${gives}; it was killed`,
      {
        details: { limit: exceeded },
        rule,
        output,
      },
    );
  }
  if (outcome.cancelled) {
    return new ToolError("CANCELLED", `${tool}: cancelled; ${sent(outcome)}`, { output });
  }
  if (outcome.timedOut) {
    const ofCall = limitedBy === undefined;
    const time = ofCall ? timeoutMs : limitedBy.value;
    const whose = ofCall ? "" : `, which is the timeout of ${placeOf(limitedBy.rule)}`;
    return new ToolError("TIMEOUT", `${tool}: no exit in ${span(time)}${whose}; ${sent(outcome)}`, {
      details: { timeout_ms: time },
      rule,
      output,
    });
  }
  if (outcome.exitCode === 0) return null;
  const how = outcome.exitCode === null
    ? `${name} was ended by ${outcome.signal ?? "a signal"}`
    : `${name} ended with status ${outcome.exitCode}`;
  const said = lastLine(output.stderr);
  const { denied } = outcome;
  // Of several that which the program speaks of: it may have gone on after others, and tidied up after it.
  const last = denied.findLast(({ path }) => isNamed(output.stderr, path)) ?? denied.at(-1);
  // What a program makes of it ("Permission denied") names no rule.
  const why = last === undefined ? "" : ` (${last.reason}${wayOut(last)})`;
  return new ToolError("COMMAND_FAILED", `${said === "" ? how : `${how}: ${said}`}${why}`, {
    details: {
      exit_code: outcome.exitCode,
      signal: outcome.signal,
      ...(last === undefined ? {} : { denied }),
    },
    output,
  });
}

/** Whether a text speaks of a path: `open(".env"): Permission denied`. */
function isNamed(text: string, path: string): boolean {
  return text.split(path).some((before, index, parts) => {
    const behind = parts[index + 1];
    return behind !== undefined && /(?:^|[\s"'`/])$/.test(before) &&
      /^(?:$|[\s"'`:,])/.test(behind);
  });
}

/** Who says what would allow it; nothing of names that a shell would read otherwise. */
function wayOut({ path, access }: DeniedName): string {
  if (!/^[\w./@-]+$/.test(path) || (access !== "read" && access !== "write")) return "";
  const call = access === "read" ? `read_file path=${path}` : `write_file path=${path} content=x`;
  return `; "toolgate policy explain ${call}" says what would allow it`;
}

function shownName({ path, access, code, reason }: DeniedName) {
  return { path, access, code, reason };
}

/** `commands[3] of policy.yaml` */
function placeOf({ file, index }: RuleReference): string {
  return `${index} of ${file}`;
}

/** `30 s`, `1.5 s`, `20 ms`. */
function span(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`;
}

/** What it took to end it. */
function sent({ signal }: ProcessOutcome): string {
  return signal === "SIGKILL" ? "sent SIGTERM, then SIGKILL" : "sent SIGTERM";
}

function lastLine(text: string): string {
  return printable(text.trimEnd().split("\n").pop()?.trim() ?? "", 200);
}

/** The BOM is kept: it is output like any other. `valid` is false where bytes became U+FFFD. */
function decode(bytes: Uint8Array): { readonly text: string; readonly valid: boolean } {
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      valid: true,
    };
  } catch {
    return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), valid: false };
  }
}
