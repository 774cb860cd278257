/** One line of `serve` → a request, or the answer that says what is wrong with it. Pure. */

import { isObject } from "../core/json_value.ts";
import { type ResultError, ToolError } from "../core/errors.ts";
import { didYouMean, nearestOf } from "../core/nearest.ts";
import type { CallRequest, RequestId } from "../core/request.ts";
import { resultError } from "../core/result.ts";
import { readTerms, type TokenTerms } from "./_read_token.ts";
import { type JsonLine, readJsonLine, shorten } from "./json_line.ts";

/** What a line may ask for beside a call. */
export type Operation =
  | { readonly op: "cancel"; readonly target: RequestId }
  | { readonly op: "approve"; readonly approval: string; readonly remember: "once" | "session" }
  | { readonly op: "reject"; readonly approval: string; readonly reason: string | null }
  | { readonly op: "revoke"; readonly approval: string }
  | { readonly op: "revoke"; readonly token: string }
  | { readonly op: "token"; readonly terms: TokenTerms }
  | { readonly op: "result"; readonly output: unknown }
  | {
    readonly op: "register";
    readonly manifest: Readonly<Record<string, unknown>>;
    /** The text of the module that it names; absent where that is to be read from the workspace. */
    readonly source?: string;
  }
  | { readonly op: "register"; readonly path: string }
  | { readonly op: "unregister"; readonly tool: string }
  | { readonly op: "hello"; readonly protocol: GateProtocol; readonly token: string | null }
  | { readonly op: PlainOperation };

/** What can be spoken over a connection of a gate. */
export type GateProtocol = "ndjson" | "mcp";

/** A line that was read: a call, an operation, or what is wrong with it. */
export type ServeRequest =
  | {
    readonly id: RequestId;
    readonly kind: "call" | "explain";
    readonly call: CallRequest;
    /** `KEY=VALUE` each, whose types the schema of the tool says; beside the arguments. */
    readonly words: readonly string[];
  }
  | { readonly id: RequestId; readonly kind: "operation"; readonly operation: Operation }
  | { readonly id: RequestId; readonly kind: "invalid"; readonly error: ResultError };

/** Every key of a request, and the operations that take it. A misspelt `preview` must not run for real. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  tool: ["call", "explain", "unregister"],
  args: ["call", "explain"],
  words: ["call", "explain"],
  agent: ["call", "explain", "tools", "token"],
  timeout_ms: ["call", "explain"],
  preview: ["call", "explain"],
  stream: ["call", "explain"],
  tokens: ["call", "token"],
  permissions: ["token"],
  paths: ["token"],
  commands: ["token"],
  expires: ["token"],
  uid: ["token"],
  token: ["hello", "revoke"],
  output: ["result"],
  target: ["cancel"],
  approval: ["approve", "reject", "revoke"],
  remember: ["approve"],
  reason: ["reject"],
  manifest: ["register"],
  path: ["register"],
  source: ["register"],
  protocol: ["hello"],
};
/** Longest name, path or reason beside the arguments: it is kept, compared and written down. */
const LONGEST_TEXT = 4096;
const OPERATIONS = [
  "call",
  "explain",
  "cancel",
  "approve",
  "reject",
  "revoke",
  "approvals",
  "register",
  "unregister",
  "tools",
  "stats",
  "ping",
  "hello",
  "token",
  "result",
  "gate",
  "stop",
];
/** Longest id, as it is written: it comes back in every answer and event. */
const MAX_ID_LENGTH = 1024;

/**
 * @param agent Who asks where the line does not say. Null for a line of nothing but blanks.
 * @param line What the bytes are, where that was read already.
 */
export function readRequest(
  bytes: Uint8Array,
  agent: string,
  line = readJsonLine(bytes),
): ServeRequest | null {
  if (line === null) return null;
  if ("problem" in line) return invalid(null, "INVALID_JSON", line.problem);
  const { value } = line;
  if (!isObject(value)) {
    return invalid(
      null,
      "INVALID_REQUEST",
      `a request is a JSON object: {"id": 1, "tool": …, "args": {…}}`,
    );
  }
  const id = idOf(value["id"], line.raw("id"));
  if (id === undefined) {
    return invalid(
      null,
      "INVALID_REQUEST",
      `id: a number, or a string, of at most ${MAX_ID_LENGTH} characters`,
    );
  }
  try {
    return { id, ...read(value, id, agent, line) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { id, kind: "invalid", error: error.toResultError() };
  }
}

/** Operations that take nothing. */
type PlainOperation = "tools" | "stats" | "ping" | "approvals" | "gate" | "stop";

type Read<R = ServeRequest> = R extends ServeRequest ? Omit<R, "id"> : never;

function read(
  value: Record<string, unknown>,
  id: RequestId,
  agent: string,
  line: JsonLine,
): Read {
  const op = value["op"] ?? "call";
  if (typeof op !== "string" || !OPERATIONS.includes(op)) {
    const near = typeof op === "string" ? didYouMean(nearestOf(op, OPERATIONS)) : "";
    throw wrong(`op: one of ${OPERATIONS.join(", ")}.${near}`);
  }
  for (const key of Object.keys(value)) {
    if (key === "id" || key === "op") continue;
    const takers = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (takers?.includes(op)) continue;
    const known = Object.keys(KEYS).filter((name) => KEYS[name]?.includes(op));
    throw wrong(
      `${JSON.stringify(shorten(key))}: no key of ${op}.${didYouMean(nearestOf(key, known))}`,
    );
  }
  switch (op) {
    case "call":
    case "explain":
      return { kind: op, call: readCall(value, id, agent), words: readWords(value["words"]) };
    case "cancel": {
      const target = idOf(value["target"], line.raw("target"));
      if (target === undefined || target === null) {
        throw wrong("target: the id of the request to cancel, as it was written there");
      }
      return { kind: "operation", operation: { op, target } };
    }
    case "approve": {
      const { remember = "once" } = value;
      if (remember !== "once" && remember !== "session") throw wrong("remember: once or session");
      return {
        kind: "operation",
        operation: { op, approval: string(value, "approval"), remember },
      };
    }
    case "reject": {
      const reason = value["reason"] === undefined ? null : string(value, "reason");
      return { kind: "operation", operation: { op, approval: string(value, "approval"), reason } };
    }
    case "revoke": {
      if ((value["token"] === undefined) === (value["approval"] === undefined)) {
        throw wrong("revoke takes an approval, or the id of a token, and not both");
      }
      const operation = value["token"] === undefined
        ? { op, approval: string(value, "approval") } as const
        : { op, token: string(value, "token") } as const;
      return { kind: "operation", operation };
    }
    case "result":
      return { kind: "operation", operation: { op, output: value["output"] ?? null } };
    case "token":
      return { kind: "operation", operation: { op, terms: readTerms(value) } };
    case "register":
      return { kind: "operation", operation: readRegistration(value) };
    case "unregister":
      return { kind: "operation", operation: { op, tool: string(value, "tool") } };
    case "hello": {
      const { protocol = "ndjson" } = value;
      if (protocol !== "ndjson" && protocol !== "mcp") throw wrong("protocol: ndjson or mcp");
      const token = value["token"] === undefined ? null : string(value, "token");
      return { kind: "operation", operation: { op, protocol, token } };
    }
    default:
      return { kind: "operation", operation: { op: op as PlainOperation } };
  }
}

function readRegistration(
  { manifest, path, source, ...rest }: Record<string, unknown>,
): Extract<Operation, { op: "register" }> {
  if ((manifest === undefined) === (path === undefined)) {
    throw wrong("register takes a manifest, or the path of one, and not both");
  }
  if (source !== undefined && (typeof source !== "string" || manifest === undefined)) {
    throw wrong("source: the text of the module, beside the manifest that names it");
  }
  if (manifest === undefined) return { op: "register", path: string({ ...rest, path }, "path") };
  if (!isObject(manifest)) throw wrong("manifest: an object, as a plugin's YAML file has it");
  return { op: "register", manifest, ...(typeof source === "string" ? { source } : {}) };
}

function readCall(value: Record<string, unknown>, id: RequestId, agent: string): CallRequest {
  const { args = {}, timeout_ms: timeoutMs = null, preview = false, stream = false } = value;
  if (!isObject(args)) throw wrong("args: an object of the tool's arguments");
  if (timeoutMs !== null && (typeof timeoutMs !== "number" || !(timeoutMs > 0))) {
    throw wrong("timeout_ms: a number of milliseconds above 0");
  }
  if (typeof preview !== "boolean") throw wrong("preview: true or false");
  if (typeof stream !== "boolean") throw wrong("stream: true or false");
  const { tokens } = value;
  if (tokens !== undefined && !(Number.isSafeInteger(tokens) && Number(tokens) >= 0)) {
    throw wrong("tokens: a whole number from 0");
  }
  return {
    id,
    ...(typeof tokens === "number" ? { tokens } : {}),
    tool: string(value, "tool"),
    args,
    agent: value["agent"] === undefined ? agent : string(value, "agent"),
    timeoutMs,
    preview,
    stream,
  };
}

/** `KEY=VALUE` of one request, and characters of all: each may be a list or JSON, which is read at once (30 ms). */
const MOST_WORDS = 1_000;
const MOST_WORD_CHARACTERS = 1 << 18;

function readWords(words: unknown = []): readonly string[] {
  if (!Array.isArray(words) || !words.every((word) => typeof word === "string")) {
    throw wrong("words: a list of KEY=VALUE");
  }
  const characters = words.reduce((sum, word) => sum + word.length, 0);
  if (words.length > MOST_WORDS || characters > MOST_WORD_CHARACTERS) {
    throw wrong(
      `words: at most ${MOST_WORDS}, of ${MOST_WORD_CHARACTERS} characters together; args takes what is longer`,
    );
  }
  return words;
}

function string(value: Record<string, unknown>, key: string): string {
  const text = value[key];
  if (typeof text !== "string" || text === "") throw wrong(`${key}: a string that is not empty`);
  if (text.length > LONGEST_TEXT) {
    throw wrong(`${key}: at most ${LONGEST_TEXT} characters`);
  }
  return text;
}

/** The id as it is written: undefined where it is none, or too long. `raw`: its text in the line. */
function idOf(value: unknown, raw: string | null): RequestId | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  return raw === null || raw.length > MAX_ID_LENGTH ? undefined : raw;
}

function wrong(message: string): ToolError {
  return new ToolError("INVALID_REQUEST", message);
}

function invalid(
  id: RequestId,
  code: "INVALID_JSON" | "INVALID_REQUEST",
  message: string,
): ServeRequest {
  return { id, kind: "invalid", error: resultError(code, message) };
}
