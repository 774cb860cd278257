/** `spawn_child_agent`: another agent, in working files of its own, that does a task beside this one. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { gateRequired } from "./_gate_required.ts";
import { PERMISSION_GROUPS } from "../../core/tool.ts";
import { BRANCH, NAME, STATUS } from "./_schemas.ts";

/** As git's tools take a commit. */
const revisionSchema = (description: string) =>
  ({ type: "string", minLength: 1, maxLength: 500, description }) as const;

const input = {
  type: "object",
  properties: {
    task: { type: "string", minLength: 1, maxLength: 32_000, description: "What it is to do." },
    context: { description: "Anything that it is told beside, as JSON." },
    permissions: {
      type: "array",
      maxItems: 16,
      items: { type: "string", enum: [...PERMISSION_GROUPS] },
      description:
        "What it may of what you may; all of that, as far as its name has it, if not given.",
    },
    tokens: {
      type: "integer",
      minimum: 0,
      description: "Tokens it may spend; they count for you.",
    },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      description: "How long it may live; can only shorten.",
    },
    isolation: {
      type: "string",
      enum: ["worktree", "clone"],
      description:
        "Its working files: a worktree of the repository, or a clone with nothing in common with it, also of a folder that " +
        "is none or has no commit yet. The policy's unless given.",
    },
    base: revisionSchema("Where its branch begins: your HEAD unless given."),
  },
  required: ["task"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    agent_id: NAME,
    status: STATUS,
    worktree: { type: "string", description: "Relative to the workspace." },
    branch: BRANCH,
    base: { type: "string", description: "The commit that its branch begins at." },
  },
  required: ["agent_id", "status", "worktree", "branch", "base"],
} as const satisfies Schema;

/** A gate answers in its place. */
const tool: Tool<typeof input, typeof output> = {
  name: "spawn_child_agent",
  category: "agent",
  description:
    "Starts a child agent on a task, in a git worktree and on a branch of its own. It can do no more than you, and no more " +
    "than the policy gives child agents. Answers at once: get_agent_status and aggregate_agent_results say how it goes.",
  risk: "moderate",
  permission: "agent_spawn",
  input,
  output,
  examples: [{ note: "a task", args: { task: "Add a test for parse.ts, and commit it." } }],
  describe: ({ task }) => `Start a child agent: ${printable(task, 200)}`,
  capabilities: () => [],
  preview: (input) => ({ description: tool.describe(input) }),
  run: () => {
    throw gateRequired(tool.name);
  },
};

export default tool;
