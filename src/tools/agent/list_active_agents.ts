/** `list_active_agents`: the child agents that there are. */

import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { gateRequired } from "./_gate_required.ts";
import { LISTED } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    all: { type: "boolean", default: false, description: "Also those that have ended." },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    agents: { type: "array", items: LISTED, description: "In the order that they began." },
  },
  required: ["agents"],
} as const satisfies Schema;

/** A gate answers in its place. */
const tool: Tool<typeof input, typeof output> = {
  name: "list_active_agents",
  category: "agent",
  description:
    "Lists your child agents that live, and theirs; with all, those that have ended too.",
  risk: "safe",
  permission: "agent_spawn",
  input,
  output,
  examples: [{ note: "those that live", args: {} }],
  describe: () => "List child agents",
  capabilities: () => [],
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  run: () => {
    throw gateRequired(tool.name);
  },
};

export default tool;
