/** One request, whichever way it came in (argv, NDJSON, MCP). */

/** A JSON string or number as it was written (`7`, `"a"`), to be given back byte for byte; null where there was none. */
export type RequestId = string | null;

/** A tool call before anything of it was checked but its shape. */
export interface CallRequest {
  readonly id: RequestId;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly agent: string;
  /** Milliseconds; can only shorten what the policy gives. */
  readonly timeoutMs: number | null;
  readonly preview: boolean;
  readonly stream: boolean;
  /** Tokens that the agent has spent since its last request; absent: it does not say. */
  readonly tokens?: number;
}
