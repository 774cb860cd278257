/** What is said to a child agent first, and later, in the protocol that it speaks. */

import { ToolError } from "../../../core/errors.ts";
import type { ChildrenRule } from "../../../policy/model.ts";
import { greeting } from "../../acp/greeting.ts";
import type { Child } from "./child.ts";

/** A line of the protocol of the policy's `children`. */
type Protocol = ChildrenRule["protocol"];

/** Messages that wait for an agent that is told things in turns. */
const MOST_WAITING = 256;

/** The line that it begins with. `version`: of this program. */
export function firstLine(protocol: Protocol, { task, context }: Child, version: string): string {
  return protocol === "acp" ? greeting(version) : JSON.stringify({ event: "task", task, context });
}

/** Whether it can still be told something, and bytes or characters that it has not read. Throws RESOURCE_LIMIT. */
export function tell(
  protocol: Protocol,
  child: Child,
  { from, message }: { readonly from: string; readonly message: unknown },
): { readonly delivered: boolean; readonly queued: number } {
  const line = child.begun?.line;
  if (child.ended !== null || child.ending !== null || line === undefined) {
    return { delivered: false, queued: 0 };
  }
  const { messages } = child;
  if (line.full || messages.length >= MOST_WAITING) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `agent ${child.id} does not read: as much as is kept for it waits; send it again later`,
    );
  }
  if (protocol === "ndjson") {
    line.write(JSON.stringify({ event: "message", from, message }));
    return { delivered: true, queued: line.held };
  }
  messages.push(`${from}: ${typeof message === "string" ? message : JSON.stringify(message)}`);
  child.onMessage();
  return { delivered: true, queued: messages.reduce((sum, text) => sum + text.length, 0) };
}
