/** `get_agent_status`: how a child agent is getting on. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { gateRequired } from "./_gate_required.ts";
import {
  AGENT_ID,
  BRANCH,
  CHANGES,
  EXIT_CODE,
  NAME,
  STATUS,
  TOKENS,
  WHY,
  WORKTREE,
} from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    agent_id: AGENT_ID,
  },
  required: ["agent_id"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    agent_id: NAME,
    status: STATUS,
    started: { type: "string", description: "When it began (ISO 8601)." },
    ended: { type: "string", description: "When all of it was gone, where it is." },
    exit_code: EXIT_CODE,
    last_activity: { type: "string", description: "When it last asked for something." },
    calls: { type: "integer", description: "Refused and failed ones too." },
    tokens: TOKENS,
    worktree: WORKTREE,
    branch: BRANCH,
    changes: CHANGES,
    waiting_for: { type: "string", description: "What somebody has to agree to." },
    why: WHY,
    log_tail: { type: "string", description: "The end of what it wrote to standard error." },
  },
  required: [
    "agent_id",
    "status",
    "started",
    "last_activity",
    "calls",
    "tokens",
    "worktree",
    "branch",
    "changes",
    "log_tail",
  ],
} as const satisfies Schema;

/** A gate answers in its place. */
const tool: Tool<typeof input, typeof output> = {
  name: "get_agent_status",
  category: "agent",
  description:
    "Tells how a child agent is getting on, by what it does: its state, calls, tokens, changes in its worktree, what it " +
    "waits for, and the end of its log.",
  risk: "safe",
  permission: "agent_spawn",
  input,
  output,
  examples: [{ note: "one child", args: { agent_id: "child-1" } }],
  describe: ({ agent_id }) => `Status of agent ${printable(agent_id, 128)}`,
  capabilities: () => [],
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  run: () => {
    throw gateRequired(tool.name);
  },
};

export default tool;
