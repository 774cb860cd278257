/** Who a request comes from: what its session settled, or, since 2026-07-28, what the request says of itself. */

import { isObject } from "../../core/json_value.ts";
import { abilitiesOf, type ClientAbilities } from "./_client.ts";
import { LOG_LEVELS, type LogLevel } from "./_log_level.ts";
import { type Params, type Revision, RPC, RpcError, STATELESS_REVISION } from "./messages.ts";

/** What is known of who sent a message: said once in a session, or in each message. */
export interface Speaker {
  readonly revision: Revision;
  readonly abilities: ClientAbilities;
  /** Least severe messages that it wants logged; null for none. */
  readonly level: LogLevel | null;
}

/** Keys of a request's `_meta` (MCP 2026-07-28, "Per-request protocol fields"). */
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LEVEL = "io.modelcontextprotocol/logLevel";

/** Null where the request says nothing of itself: it belongs to a session. Throws an RpcError where it says half. */
export function speakerOf({ _meta: meta }: Params): Speaker | null {
  if (!isObject(meta) || !(VERSION in meta || CAPABILITIES in meta)) return null;
  const version = meta[VERSION];
  const capabilities = meta[CAPABILITIES];
  if (typeof version !== "string") {
    throw new RpcError(RPC.invalidParams, `_meta: ${VERSION} must be a string`);
  }
  if (version !== STATELESS_REVISION) {
    throw new RpcError(
      RPC.unsupportedRevision,
      `requests without a session are served in ${STATELESS_REVISION}; earlier revisions begin with initialize`,
      { supported: [STATELESS_REVISION], requested: version.slice(0, 100) },
    );
  }
  if (!isObject(capabilities)) {
    throw new RpcError(RPC.invalidParams, `_meta: ${CAPABILITIES} must be an object`);
  }
  return {
    revision: STATELESS_REVISION,
    abilities: abilitiesOf(capabilities),
    level: LEVEL in meta ? levelOf(meta[LEVEL]) : null,
  };
}

/** Throws an RpcError that names the levels there are. */
export function levelOf(value: unknown): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw new RpcError(RPC.invalidParams, `level: one of ${LOG_LEVELS.join(", ")}`);
}
