/** What the schemas of the agent tools share. */

import type { JsonSchema } from "../../core/schema.ts";

const text = (description: string) => ({ type: "string", description }) as const;
const count = (description: string) => ({ type: "integer", description }) as const;
const texts = (description: string) =>
  ({ type: "array", items: { type: "string" }, description }) as const;

/** The argument that names a child. */
export const AGENT_ID = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Of the child, as spawn_child_agent answered it.",
} as const satisfies JsonSchema;

/** The name of a child, in answers. */
export const NAME = text("The child's name.");
/** Its branch, in answers. */
export const BRANCH = text("Its branch.");

/** How a child is getting on. */
export const STATUS = {
  type: "string",
  enum: [
    "starting",
    "running",
    "waiting_for_approval",
    "done",
    "failed",
    "terminated",
    "timed_out",
  ],
  description: "By what its program does and did, whatever it says.",
} as const satisfies JsonSchema;

/** Why it ended. */
export const WHY = text("Why it failed or was ended, where it did not end by itself.");

/** Its working files, and whether they are still there. */
export const WORKTREE = {
  type: "object",
  properties: {
    path: text("Relative to the workspace."),
    kept: { type: "boolean", description: "Whether it is still there." },
    why: text("Why it is kept or was removed."),
  },
  required: ["path", "kept", "why"],
  description: "Its working files.",
} as const satisfies JsonSchema;

/** What it has changed, in numbers. */
export const CHANGES = {
  type: "object",
  properties: {
    files: count("Those that differ from the base, unknown to git or not."),
    added_lines: count("Lines that came."),
    removed_lines: count("Lines that went."),
    commits: count("Those on its branch since the base."),
  },
  required: ["files", "added_lines", "removed_lines", "commits"],
  description: "What it has changed since its base.",
} as const satisfies JsonSchema;

/** What it has spent. */
export const TOKENS = {
  type: "object",
  properties: {
    used: count("By what its requests say."),
    limit: {
      oneOf: [{ type: "integer" }, { type: "null" }],
      description: "What it was given; null: as many as who made it has.",
    },
  },
  required: ["used", "limit"],
  description: "Tokens that it has spent.",
} as const satisfies JsonSchema;

/** A child in a list. */
export const LISTED = {
  type: "object",
  properties: {
    agent_id: NAME,
    parent: text("Who made it."),
    status: STATUS,
    task: text("The beginning of its task."),
    branch: BRANCH,
    started: text("When it began (ISO 8601)."),
  },
  required: ["agent_id", "parent", "status", "task", "branch", "started"],
} as const satisfies JsonSchema;

/** How a program ended. */
export const EXIT_CODE = {
  oneOf: [{ type: "integer" }, { type: "null" }],
  description: "Null where there was none, or several programs ran.",
} as const satisfies JsonSchema;

/** What a child did. */
export const RECEIPT = {
  type: "object",
  properties: {
    calls: count("All of them, refused ones too."),
    failed: count("Those that failed or were refused."),
    files_read: texts("Files that it named and was given."),
    files_written: texts("Files that it named and wrote."),
    commands: {
      type: "array",
      items: {
        type: "object",
        properties: { command: text("Its words."), exit_code: EXIT_CODE },
        required: ["command", "exit_code"],
      },
      description: "Programs that it had started.",
    },
    tokens: count("Those that it said it spent."),
    duration_ms: { type: "number", description: "How long it has lived." },
    truncated: { type: "boolean", description: "Whether there was more than is told." },
  },
  required: [
    "calls",
    "failed",
    "files_read",
    "files_written",
    "commands",
    "tokens",
    "duration_ms",
    "truncated",
  ],
  description: "What it did, from what the log was told.",
} as const satisfies JsonSchema;
