/** `send_message_to_agent`: a word to a child agent. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { gateRequired } from "./_gate_required.ts";
import { AGENT_ID } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    agent_id: AGENT_ID,
    message: { type: "string", minLength: 1, maxLength: 64_000, description: "The message." },
  },
  required: ["agent_id", "message"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    delivered: { type: "boolean", description: "False where it has ended." },
    queued: { type: "integer", description: "Bytes that it has not read yet." },
  },
  required: ["delivered", "queued"],
} as const satisfies Schema;

/** A gate answers in its place. */
const tool: Tool<typeof input, typeof output> = {
  name: "send_message_to_agent",
  category: "agent",
  description:
    "Sends a child agent a message, which it reads as an event, in order. Tells whether it could be delivered: not to one " +
    "that has ended.",
  risk: "moderate",
  permission: "agent_spawn",
  input,
  output,
  examples: [{
    note: "a word on the way",
    args: { agent_id: "child-1", message: "Leave main.ts as it is." },
  }],
  describe: ({ agent_id, message }) =>
    `Message to agent ${printable(agent_id, 128)}: ${printable(message, 200)}`,
  capabilities: () => [],
  preview: (input) => ({ description: tool.describe(input) }),
  run: () => {
    throw gateRequired(tool.name);
  },
};

export default tool;
