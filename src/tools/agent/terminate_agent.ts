/** `terminate_agent`: the end of a child agent. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { gateRequired } from "./_gate_required.ts";
import { AGENT_ID, NAME, STATUS, WORKTREE } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    agent_id: AGENT_ID,
    reason: { type: "string", maxLength: 1000, description: "Why, for the record." },
  },
  required: ["agent_id"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    agent_id: NAME,
    status: STATUS,
    worktree: WORKTREE,
  },
  required: ["agent_id", "status", "worktree"],
} as const satisfies Schema;

/** A gate answers in its place. */
const tool: Tool<typeof input, typeof output> = {
  name: "terminate_agent",
  category: "agent",
  description:
    "Ends a child agent with all that it started. Its branch stays; its worktree is kept where it holds anything that is not " +
    "committed, and removed otherwise.",
  risk: "moderate",
  permission: "agent_spawn",
  input,
  output,
  examples: [{ note: "end one", args: { agent_id: "child-1", reason: "no longer needed" } }],
  describe: ({ agent_id }) => `End agent ${printable(agent_id, 128)}`,
  capabilities: () => [],
  preview: (input) => ({ description: tool.describe(input) }),
  run: () => {
    throw gateRequired(tool.name);
  },
};

export default tool;
