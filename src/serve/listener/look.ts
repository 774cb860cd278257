/** Which requests may be answered by a thread that only looks. */

import type { PipeAgent } from "../_operations.ts";
import type { ServeRequest } from "../_read_request.ts";

/** Bytes of a line that may be one: it names a file and what is wanted of it. */
export const LONGEST_LOOK = 8192;

/** A call of a tool that only looks, by who may be named, with nothing that somebody has to follow or count. */
export type Look = Extract<ServeRequest, { kind: "call" | "explain" }>;

/** Whether it is one. `looks`: of tools by name or alias. */
export function isLook(
  request: ServeRequest,
  { name, pinned }: PipeAgent,
  looks: (tool: string) => boolean,
): request is Look {
  if (request.kind !== "call" || request.words.length > 0) return false;
  const { tool, agent, preview, stream, timeoutMs, tokens } = request.call;
  return !preview && !stream && timeoutMs === null && tokens === undefined &&
    (!pinned || agent === name) && looks(tool);
}
