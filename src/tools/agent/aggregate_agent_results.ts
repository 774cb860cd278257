/** `aggregate_agent_results`: what child agents have come to, and whether it goes together. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { compare, type Compared, comparingNeeds } from "./_compared.ts";
import { gateRequired } from "./_gate_required.ts";
import { AGENT_ID, BRANCH, NAME, RECEIPT, STATUS, WHY } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    agent_ids: {
      type: "array",
      maxItems: 256,
      items: AGENT_ID,
      description: "Which; all of yours if not given.",
    },
    wait_ms: {
      type: "integer",
      minimum: 0,
      default: 0,
      description: "How long to wait until all have ended.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    results: {
      type: "array",
      description: "One of each, in the order asked for.",
      items: {
        type: "object",
        properties: {
          agent_id: NAME,
          status: STATUS,
          why: WHY,
          result: { description: "Its own words; null where it gave none." },
          receipt: RECEIPT,
          branch: BRANCH,
          commits: {
            type: "array",
            description: "On its branch since the base, the newest first.",
            items: {
              type: "object",
              properties: {
                hash: { type: "string", description: "Its hash." },
                subject: { type: "string", description: "The first line of its message." },
              },
              required: ["hash", "subject"],
            },
          },
          files: {
            type: "array",
            description: "Files that are not as they were.",
            items: {
              type: "object",
              properties: {
                path: { type: "string", description: "Relative to the workspace." },
                change: { type: "string", description: "What became of it." },
              },
              required: ["path", "change"],
            },
          },
        },
        required: ["agent_id", "status", "result", "receipt", "branch", "commits", "files"],
      },
    },
    conflicts: {
      type: "array",
      items: {
        type: "object",
        properties: {
          paths: {
            type: "array",
            items: { type: "string" },
            description: "Relative to the workspace.",
          },
          agents: {
            type: "array",
            items: { type: "string" },
            description: "Their names; parent is you.",
          },
        },
        required: ["paths", "agents"],
      },
      description: "Paths that two have changed and git could not merge, uncommitted or not.",
    },
    compared: {
      type: "string",
      enum: ["lines", "files"],
      description:
        "How: lines merged by git; or, where it cannot be asked, whole files by what they hold.",
    },
    unknown: {
      type: "array",
      items: { type: "string" },
      description: "Whose changes are not all known, and why.",
    },
    mergeable: { type: "boolean", description: "No conflicts, and all changes are known." },
  },
  required: ["results", "conflicts", "compared", "mergeable"],
} as const satisfies Schema;

/** Of whoever has the children and answers in this tool's place: it compares, and all else is added to that. */
interface Chosen {
  readonly compared?: readonly Compared[];
}

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "aggregate_agent_results",
  category: "agent",
  description:
    "Tells what child agents have come to: their own words, beside them a receipt of what they did, their commits and files; " +
    "and which paths several of them, or they and you, have changed so that they cannot be merged. Changes nothing.",
  risk: "safe",
  permission: "agent_spawn",
  input,
  output,
  examples: [{ note: "when all have ended, or after a minute", args: { wait_ms: 60_000 } }],
  describe: ({ agent_ids }) =>
    `Results of ${
      agent_ids === undefined ? "all child agents" : printable(agent_ids.join(", "), 200)
    }`,
  capabilities: ({ compared }) => compared === undefined ? [] : comparingNeeds(),
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  async run({ compared }, context) {
    if (compared === undefined) throw gateRequired(tool.name);
    const omit = [".toolgate", context.git.worktrees];
    const clashes = await compare(tool.name, context, compared, omit);
    const conflicts = clashes.map(({ between, paths }) => ({
      paths: [...paths],
      agents: [...between],
    }));
    return { results: [], conflicts, compared: "lines", mergeable: conflicts.length === 0 };
  },
};

export default tool;
