/** Tokens in the audit log: who was given what, and who took it back. The secret is not there. */

import type { Recorder } from "../../engine/recorder.ts";
import { JSON_NULL } from "../../core/result.ts";

/** What happened to a token. `terms`: what it is good for, where it was made. */
export interface TokenEvent {
  readonly tool: "token" | "revoke";
  readonly agent: string;
  readonly id: string;
  readonly terms: Readonly<Record<string, unknown>>;
}

/** Writes it down. Throws AUDIT_FAILED where it cannot be and must be. */
export function recordToken(recorder: Recorder, { tool, agent, id, terms }: TokenEvent): void {
  const args = { id, ...terms };
  const record = recorder.begin({
    id: null,
    tool,
    args,
    agent,
    timeoutMs: null,
    preview: false,
    stream: false,
  });
  const describe = () => `${tool} ${id}`;
  record.decided({ name: tool, describe }, args, {
    effect: "allow",
    rule: null,
    risk: "moderate",
    verdicts: [],
  });
  record.ended({
    tool,
    success: true,
    output: JSON_NULL,
    error: null,
    risk: "moderate",
    latencyMs: 0,
    usage: {},
  });
}
