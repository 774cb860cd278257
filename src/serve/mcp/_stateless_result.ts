/** What 2026-07-28 has in each result beyond what earlier revisions have. */

import { isObject } from "../../core/json_value.ts";
import type { Params } from "./messages.ts";

/** A server's name and version, as in `initialize` and in results. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** Where in `_meta` a server says who it is (MCP 2026-07-28, "Per-response protocol fields"). */
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

const MINUTE = 60_000;

/**
 * How long a client may take a result for the current one, in milliseconds: what the policy offers stays while the
 * process lives, files change under everyone's hands.
 */
const FRESH_MS: Readonly<Record<string, number>> = {
  "server/discover": 5 * MINUTE,
  "tools/list": 5 * MINUTE,
  "resources/templates/list": 5 * MINUTE,
  "resources/list": 0,
  "resources/read": 0,
};

/** A result of `method` as that revision has it; null for one that answers nobody's question for data. */
export function statelessResult(
  result: Params,
  method: string | null,
  serverInfo: ServerInfo,
): Params {
  const { _meta: meta } = result;
  const ttlMs = method === null || "inputRequests" in result ? undefined : FRESH_MS[method];
  return {
    resultType: "complete",
    ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
    ...result,
    _meta: { ...(isObject(meta) ? meta : {}), [SERVER_INFO]: serverInfo },
  };
}
