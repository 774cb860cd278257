/** JSON-RPC 2.0 as MCP speaks it: what comes in is told apart here, what goes out is put together here. Pure. */

import { isObject } from "../../core/json_value.ts";
import { readJsonLine } from "../json_line.ts";

/** The revision whose requests stand for themselves: no `initialize`, no session. */
export const STATELESS_REVISION = "2026-07-28";
/** Revisions whose sessions begin with `initialize`, newest first. */
export const SESSION_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
/** A revision of the protocol that begins with `initialize`. */
export type SessionRevision = (typeof SESSION_REVISIONS)[number];
/** Protocol revisions that are spoken. */
export type Revision = typeof STATELESS_REVISION | SessionRevision;

/** An id of a request: JSON-RPC knows null, MCP does not. */
export type MessageId = string | number;

/** The parameters of a message. */
export type Params = Readonly<Record<string, unknown>>;

/** A message that was read, or what is wrong with it. */
export type Incoming =
  | {
    readonly kind: "request";
    readonly id: MessageId;
    readonly method: string;
    readonly params: Params;
  }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | {
    readonly kind: "response";
    readonly id: MessageId;
    readonly result: Params | null;
    readonly failed: boolean;
  }
  /** `id` null: it held none that could be read. */
  | {
    readonly kind: "invalid";
    readonly id: MessageId | null;
    readonly code: number;
    readonly message: string;
  };

/** Codes of JSON-RPC 2.0, section 5.1, and MCP's own. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Up to 2025-11-25; later revisions have invalid params for it. */
  resourceNotFound: -32002,
  /** Since 2026-07-28. */
  unsupportedRevision: -32022,
} as const;

/** An error that is answered as JSON-RPC's. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Longest id, as it is written: it comes back. */
const LONGEST_ID = 1024;

/** Messages in one batch: 2025-03-26 has them, later revisions do not. */
const MOST_IN_BATCH = 100;

/** What one line holds: a message, or a batch; null for a line of blanks. `read`: what it is, where that was read already. */
export function readMessages(
  line: Uint8Array,
  batches: boolean,
  read = readJsonLine(line),
): Incoming | readonly Incoming[] | null {
  if (read === null) return null;
  if ("problem" in read) return invalid(null, RPC.parse, read.problem);
  const { value } = read;
  if (!Array.isArray(value)) return readMessage(value, read.raw("id"));
  if (batches && value.length > 0 && value.length <= MOST_IN_BATCH) {
    // Elements that are no objects have no place among those that were found.
    const found = read.elements.values();
    return value.map((one) =>
      readMessage(one, isObject(one) ? found.next().value?.raw("id") ?? null : null)
    );
  }
  const why = batches
    ? `a batch has 1 to ${MOST_IN_BATCH} messages`
    : "this revision has no batches";
  return invalid(null, RPC.invalidRequest, why);
}

/** `raw`: the id as it is written. */
function readMessage(value: unknown, raw: string | null): Incoming {
  if (!isObject(value)) return invalid(null, RPC.invalidRequest, "a message is a JSON object");
  const { jsonrpc, id, method, params = {} } = value;
  // MCP's ids are strings and integers, others than JSON-RPC's.
  const fits = typeof id === "string" || Number.isSafeInteger(id);
  // It is to come back byte for byte: one that is written in a way of its own (1.0, escapes) is refused.
  const plain = raw !== null && raw.length <= LONGEST_ID && JSON.stringify(id) === raw;
  const known = fits && plain ? id as MessageId : null;
  if (jsonrpc !== "2.0") return invalid(known, RPC.invalidRequest, 'jsonrpc must be "2.0"');
  if (method === undefined) {
    if (known === null || ("result" in value) === ("error" in value)) {
      return invalid(known, RPC.invalidRequest, "neither a request nor a response");
    }
    const result = isObject(value["result"]) ? value["result"] : null;
    return { kind: "response", id: known, result, failed: "error" in value };
  }
  if (typeof method !== "string") {
    return invalid(known, RPC.invalidRequest, "method must be a string");
  }
  if (!isObject(params)) return invalid(known, RPC.invalidParams, "params must be an object");
  if (!("id" in value)) return { kind: "notification", method, params };
  if (known === null) {
    return invalid(
      null,
      RPC.invalidRequest,
      "id must be a string or an integer (below 2^53), written without needless escapes",
    );
  }
  return { kind: "request", id: known, method, params };
}

function invalid(id: MessageId | null, code: number, message: string): Incoming {
  return { kind: "invalid", id, code, message };
}

/** A text member of params. Throws an RpcError that names it. */
export function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === "string" && value !== "") return value;
  throw new RpcError(RPC.invalidParams, `${name}: a string that is not empty`);
}

/** `result` is JSON text already. */
export function resultMessage(id: MessageId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/**
 * `id` null: the request held none that could be read. The schemas since 2025-11-25 then have no `id` at all; those
 * before do not say, and JSON-RPC has null.
 */
export function errorMessage(
  id: MessageId | null,
  { code, message, data }: RpcError,
  revision: Revision,
): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  const named = id === null && (revision === STATELESS_REVISION || revision === "2025-11-25")
    ? {}
    : { id };
  return JSON.stringify({ jsonrpc: "2.0", ...named, error });
}

/** The line of a request of ours. */
export function requestMessage(id: MessageId, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** The line of a notification. */
export function notificationMessage(method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}
