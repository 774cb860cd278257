/** The one table of error codes, the error that carries one, and the exit status each means for `call`. */

/** Exit statuses of `toolgate call`. */
export const EXIT = {
  success: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  approval: 4,
  stopped: 5,
  internal: 70,
} as const;

/** Every code a result may carry, with the exit status that `call` ends with. */
export const ERROR_CODES = {
  INVALID_JSON: EXIT.usage,
  INVALID_REQUEST: EXIT.usage,
  REQUEST_TOO_LARGE: EXIT.usage,
  UNKNOWN_TOOL: EXIT.usage,
  INVALID_ARGUMENTS: EXIT.usage,

  PATH_OUTSIDE_WORKSPACE: EXIT.denied,
  PATH_DENIED: EXIT.denied,
  EXTENSION_DENIED: EXIT.denied,
  COMMAND_DENIED: EXIT.denied,
  COMMAND_UNPARSABLE: EXIT.denied,
  NETWORK_DENIED: EXIT.denied,
  RISK_DENIED: EXIT.denied,
  TOOL_DENIED: EXIT.denied,
  PERMISSION_DENIED: EXIT.denied,
  NATIVE_DENIED: EXIT.denied,

  /** The policy wants a log, and the log could not be written: so nothing ran. */
  AUDIT_FAILED: EXIT.denied,

  APPROVAL_REQUIRED: EXIT.approval,
  APPROVAL_REJECTED: EXIT.approval,
  APPROVAL_EXPIRED: EXIT.approval,

  FILE_NOT_FOUND: EXIT.failed,
  FILE_EXISTS: EXIT.failed,
  NOT_A_FILE: EXIT.failed,
  NOT_A_DIRECTORY: EXIT.failed,
  FILE_TOO_LARGE: EXIT.failed,
  BINARY_FILE: EXIT.failed,
  INVALID_ENCODING: EXIT.failed,
  TEXT_NOT_FOUND: EXIT.failed,
  TEXT_NOT_UNIQUE: EXIT.failed,
  STALE_FILE: EXIT.failed,
  SYNTAX_INVALID: EXIT.failed,
  INVALID_PATTERN: EXIT.failed,
  PATCH_FAILED: EXIT.failed,

  COMMAND_NOT_FOUND: EXIT.failed,
  COMMAND_FAILED: EXIT.failed,
  TIMEOUT: EXIT.stopped,
  CANCELLED: EXIT.stopped,
  RESOURCE_LIMIT: EXIT.failed,

  /** What was asked for needs a gate, which outlives the call. */
  GATE_REQUIRED: EXIT.failed,
  NETWORK_ERROR: EXIT.failed,
  HTTP_ERROR: EXIT.failed,
  GIT_ERROR: EXIT.failed,
  MERGE_CONFLICT: EXIT.failed,
  NOT_A_REPOSITORY: EXIT.failed,
  AGENT_NOT_FOUND: EXIT.failed,
  AGENT_LIMIT: EXIT.failed,
  PROVIDER_NOT_CONFIGURED: EXIT.failed,
  UNSUPPORTED_LANGUAGE: EXIT.failed,
  UNKNOWN_PROFILE: EXIT.failed,

  EXECUTION_ERROR: EXIT.failed,
  INTERNAL_ERROR: EXIT.internal,
} as const;

/** A code of {@linkcode ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The policy rule behind a denial: `file` as the policy was named, `index` as in `commands[3]`. */
export interface RuleReference {
  readonly file: string;
  readonly index: string;
  readonly reason?: string;
}

/** The error of a result, as the caller reads it. */
export interface ResultError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly rule: RuleReference | null;
}

/** A failure that a tool or a layer means to report, with its code. Anything else thrown is a defect. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly rule: RuleReference | null;
  /** What the tool had produced when it failed (the output of a command that ended with 1, say). */
  readonly output: unknown;

  constructor(
    code: ErrorCode,
    message: string,
    extra: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly rule?: RuleReference | null;
      readonly output?: unknown;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.details = extra.details ?? null;
    this.rule = extra.rule ?? null;
    this.output = extra.output ?? null;
  }

  /** The shape that goes into a result. */
  toResultError(): ResultError {
    return { code: this.code, message: this.message, details: this.details, rule: this.rule };
  }
}

/** The error of a result, to be thrown. */
export function asToolError({ code, message, details, rule }: ResultError): ToolError {
  return new ToolError(code, message, { rule, ...(details === null ? {} : { details }) });
}
