/** What each error code means, and which of them calls of a tool can end with. */

import type { ErrorCode } from "../../core/errors.ts";
import type { Category } from "../../core/tool.ts";

/** One sentence a code: what happened, for whoever must act. */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_JSON: "The request or --json is not one JSON value.",
  INVALID_REQUEST: "The request has members that none has, or lacks one.",
  REQUEST_TOO_LARGE: "The request is over the policy's limit.",
  UNKNOWN_TOOL: "No tool has this name; the nearest are named.",
  INVALID_ARGUMENTS: "The arguments do not fit the tool; all that is wrong is told.",

  PATH_OUTSIDE_WORKSPACE: "The path leads out of the workspace, be it through a link.",
  PATH_DENIED: "A rule for paths denies it, or none allows it.",
  EXTENSION_DENIED: "Files with this ending may not be read or written.",
  COMMAND_DENIED: "A rule for commands denies the program with these arguments, or none allows it.",
  COMMAND_UNPARSABLE: "What the command line would run cannot be told, so it is not run.",
  NETWORK_DENIED: "The host, the port or the address may not be reached.",
  RISK_DENIED: "The call is riskier than the policy lets run.",
  TOOL_DENIED: "The policy switches the tool off.",
  PERMISSION_DENIED: "The agent lacks the tool's permission group.",
  NATIVE_DENIED: "The runtime or the kernel stopped what the policy had let through.",
  AUDIT_FAILED: "The log that the policy wants could not be written, so nothing ran.",

  APPROVAL_REQUIRED: "Somebody must agree first, and nobody could be asked.",
  APPROVAL_REJECTED: "Somebody said no.",
  APPROVAL_EXPIRED: "Nobody answered in time.",

  FILE_NOT_FOUND: "There is nothing at the path.",
  FILE_EXISTS: "There is something at the path, and it may not be replaced.",
  NOT_A_FILE: "It is no regular file.",
  NOT_A_DIRECTORY: "It is no directory.",
  FILE_TOO_LARGE: "The file is over the policy's limit.",
  BINARY_FILE: "The file is not text.",
  INVALID_ENCODING: "The bytes are no text in this encoding.",
  TEXT_NOT_FOUND: "The text to be replaced is not there.",
  TEXT_NOT_UNIQUE: "The text to be replaced is there more than once.",
  STALE_FILE: "The file has changed since it was read.",
  SYNTAX_INVALID: "What would be written has a syntax error.",
  INVALID_PATTERN: "The pattern is no regular expression or glob.",
  PATCH_FAILED: "The patch does not fit the files; nothing was changed.",

  COMMAND_NOT_FOUND: "There is no such program.",
  COMMAND_FAILED: "The program ended with another status than 0; its output is there.",
  TIMEOUT: "It took longer than it may, and was ended.",
  CANCELLED: "It was cancelled.",
  RESOURCE_LIMIT: "Memory, disk, processes or another resource ran out.",

  NETWORK_ERROR: "The host could not be reached, or the connection broke.",
  HTTP_ERROR: "The host answered with an error.",
  GIT_ERROR: "Git refused.",
  GATE_REQUIRED:
    "What was asked for outlives this call: it needs serve or mcp, or a gate (serve --listen).",
  MERGE_CONFLICT: "Both sides changed the same lines: they are marked in the files.",
  NOT_A_REPOSITORY: "There is no repository here.",
  AGENT_NOT_FOUND: "There is no such agent.",
  AGENT_LIMIT: "As many child agents as may be live, or as deep as they may.",
  PROVIDER_NOT_CONFIGURED: "The policy names nobody who could answer this.",
  UNSUPPORTED_LANGUAGE: "The file is of no language that this tool reads.",
  UNKNOWN_PROFILE: "The profile is of no known format, or damaged.",

  EXECUTION_ERROR: "Anything else that went wrong in a tool.",
  INTERNAL_ERROR: "A defect of Toolgate.",
};

/** What the error with this code means. */
export function errorMeaning(code: ErrorCode): string {
  return MEANINGS[code];
}

/** Of every call, whatever the tool. */
const COMMON: readonly ErrorCode[] = [
  "INVALID_ARGUMENTS",
  "TOOL_DENIED",
  "PERMISSION_DENIED",
  "RISK_DENIED",
  "NATIVE_DENIED",
  "APPROVAL_REQUIRED",
  "APPROVAL_REJECTED",
  "APPROVAL_EXPIRED",
  "AUDIT_FAILED",
  "TIMEOUT",
  "CANCELLED",
  "RESOURCE_LIMIT",
  "EXECUTION_ERROR",
];

const PATHS: readonly ErrorCode[] = ["PATH_OUTSIDE_WORKSPACE", "PATH_DENIED"];
const COMMANDS: readonly ErrorCode[] = [
  "COMMAND_DENIED",
  "COMMAND_UNPARSABLE",
  "COMMAND_NOT_FOUND",
  "COMMAND_FAILED",
];
const FILES: readonly ErrorCode[] = [
  "EXTENSION_DENIED",
  "FILE_NOT_FOUND",
  "FILE_EXISTS",
  "NOT_A_FILE",
  "NOT_A_DIRECTORY",
  "FILE_TOO_LARGE",
  "BINARY_FILE",
  "INVALID_ENCODING",
  "INVALID_PATTERN",
];
const CHANGES: readonly ErrorCode[] = [
  "TEXT_NOT_FOUND",
  "TEXT_NOT_UNIQUE",
  "STALE_FILE",
  "SYNTAX_INVALID",
  "PATCH_FAILED",
];

const BY_CATEGORY: Readonly<Record<Category, readonly ErrorCode[]>> = {
  fs: [...PATHS, ...FILES, ...CHANGES],
  exec: [...PATHS, ...COMMANDS],
  git: [...PATHS, ...COMMANDS, "GIT_ERROR", "MERGE_CONFLICT", "NOT_A_REPOSITORY"],
  web: ["NETWORK_DENIED", "NETWORK_ERROR", "HTTP_ERROR", "PROVIDER_NOT_CONFIGURED"],
  agent: [
    "GATE_REQUIRED",
    "PROVIDER_NOT_CONFIGURED",
    "NOT_A_REPOSITORY",
    "GIT_ERROR",
    "AGENT_NOT_FOUND",
    "AGENT_LIMIT",
  ],
  analysis: [...PATHS, ...FILES, "UNSUPPORTED_LANGUAGE", "UNKNOWN_PROFILE"],
  util: [],
  custom: [...PATHS, ...COMMANDS],
};

/** What calls of the category's tools can end with, beside {@linkcode commonErrors}. */
export function errorsOf(category: string): readonly ErrorCode[] {
  return Object.entries(BY_CATEGORY).find(([known]) => known === category)?.[1] ?? [];
}

/** What calls of every tool can end with. */
export function commonErrors(): readonly ErrorCode[] {
  return COMMON;
}
