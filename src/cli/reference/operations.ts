/** The operations of the pipe, as data, each with an exchange that the tests hold against the binary. */

import { answered, refused } from "./_exchanges.ts";
import { GATE_OPERATIONS } from "./_gate_operations.ts";
import type { ProtocolField, ProtocolOperation } from "./protocol.ts";

const AGENT: ProtocolField = {
  name: "agent",
  type: "string",
  meaning: "who asks, by the policy's names; root unless --agent says otherwise",
};
const APPROVAL: ProtocolField = {
  name: "approval",
  type: "string",
  meaning: "the name that approval_required gave it",
};
const CALL_FIELDS: readonly ProtocolField[] = [
  { name: "tool", type: "string", meaning: "the tool, by name or alias" },
  { name: "args", type: "object", meaning: "its arguments; {} where left out" },
  {
    name: "words",
    type: "array",
    meaning: "arguments as KEY=VALUE, typed by the tool's schema, beside args",
  },
  AGENT,
  {
    name: "timeout_ms",
    type: "number",
    meaning: "at most so long; can only shorten what the policy says",
  },
  { name: "preview", type: "boolean", meaning: "say what would happen, and change nothing" },
  {
    name: "stream",
    type: "boolean",
    meaning: "send stdout, stderr and progress events while it runs",
  },
];

/** A write that somebody has to agree to, in the examples: the policy of the tests asks for `kept/**`. */
const ASKED = {
  id: 1,
  tool: "write_file",
  args: { path: "kept/a.txt", content: "x" },
} as const;
const ASKING = {
  id: 1,
  event: "approval_required",
  approval: "ap_863e5c83e6a4c22b39cda0e573e7f974",
  tool: "write_file",
  agent: "root",
  description: "Write file: kept/a.txt",
  risk: "moderate",
  reason: "writing to kept/a.txt needs approval by policy.yaml paths[1]",
  expires_at: "2026-01-31T12:05:00.000Z",
  remember: ["once", "session"],
  preview: { path: "kept/a.txt", change: "added", exists: false, bytes: 1, created: true },
} as const;

/** Every operation that a line can ask for. */
export const OPERATIONS: readonly ProtocolOperation[] = [
  {
    op: "call",
    meaning: "Runs a tool. What a line asks for where it has no op.",
    fields: [
      ...CALL_FIELDS,
      {
        name: "tokens",
        type: "number",
        meaning: "what the caller says it spent on it, charged to its budget",
      },
    ],
    exchange: {
      requests: [{ id: 1, tool: "read_file", args: { path: "a.txt" } }],
      answers: [{
        id: 1,
        tool: "read_file",
        success: true,
        output: {
          content: "hello\n",
          lines: 1,
          total_lines: 1,
          truncated: false,
          bytes: 6,
          path: "a.txt",
          sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
        },
        error: null,
        risk: "safe",
        latency_ms: 0.41,
        usage: { bytes_read: 6, layers: ["policy", "runtime", "landlock"] },
      }],
    },
  },
  {
    op: "explain",
    meaning:
      "Judges a call without running it: the effect, the rules that matched, what would make it allowed; judged_later where words are known only when it runs.",
    fields: CALL_FIELDS,
    exchange: {
      requests: [{ id: 1, op: "explain", tool: "read_file", args: { path: "a.txt" } }],
      answers: [{
        id: 1,
        op: "explain",
        tool: "read_file",
        success: true,
        output: {
          tool: "read_file",
          agent: "root",
          description: "Read file: a.txt",
          effect: "allow",
        },
        error: null,
        risk: "safe",
        latency_ms: 1.2,
        usage: {},
      }],
    },
  },
  {
    op: "cancel",
    meaning:
      "Ends a request that runs or waits; that one answers CANCELLED. cancelled says whether there was one.",
    fields: [{ name: "target", type: "string | number", meaning: "the id of that request" }],
    exchange: {
      requests: [{ id: 2, op: "cancel", target: 1 }],
      answers: [answered(2, "cancel", { target: 1, cancelled: false })],
    },
  },
  {
    op: "approve",
    meaning: "Agrees to what approval_required asked. The request then runs and answers.",
    fields: [
      APPROVAL,
      {
        name: "remember",
        type: '"once" | "session"',
        meaning: "session: the very same action is not asked for again for a while",
      },
    ],
    exchange: {
      requests: [ASKED, { id: 2, op: "approve", approval: "ap_863e5c83e6a4c22b39cda0e573e7f974" }],
      answers: [
        ASKING,
        answered(2, "approve", { approval: "ap_863e5c83e6a4c22b39cda0e573e7f974" }),
        {
          id: 1,
          tool: "write_file",
          success: true,
          output: { path: "kept/a.txt", bytes_written: 1, created: true },
          error: null,
          risk: "moderate",
          latency_ms: 2.1,
          usage: { bytes_written: 1, layers: ["policy", "runtime", "landlock"] },
        },
      ],
    },
  },
  {
    op: "reject",
    meaning: "Refuses it. The request answers APPROVAL_REJECTED.",
    fields: [APPROVAL, { name: "reason", type: "string", meaning: "shown to whoever asked" }],
    exchange: {
      requests: [ASKED, {
        id: 2,
        op: "reject",
        approval: "ap_863e5c83e6a4c22b39cda0e573e7f974",
        reason: "not now",
      }],
      answers: [
        ASKING,
        answered(2, "reject", { approval: "ap_863e5c83e6a4c22b39cda0e573e7f974" }),
        {
          id: 1,
          tool: "write_file",
          success: false,
          output: null,
          error: {
            code: "APPROVAL_REJECTED",
            message: "write_file: rejected: not now",
            details: { approval: "ap_863e5c83e6a4c22b39cda0e573e7f974" },
            rule: { file: "policy.yaml", index: "paths[1]" },
          },
          risk: "moderate",
          latency_ms: 1.8,
          usage: {},
        },
      ],
    },
  },
  {
    op: "revoke",
    meaning: "Takes back an approval that is remembered. revoked says whether there was one.",
    fields: [
      APPROVAL,
      { name: "token", type: "string", meaning: "at a gate, in its place: the id of a token" },
    ],
    exchange: {
      requests: [{ id: 1, op: "revoke", approval: "ap_0" }],
      answers: [answered(1, "revoke", { approval: "ap_0", revoked: false })],
    },
  },
  {
    op: "approvals",
    meaning: "Lists the approvals that are remembered.",
    fields: [],
    exchange: {
      requests: [{ id: 1, op: "approvals" }],
      answers: [answered(1, "approvals", { approvals: [] })],
    },
  },
  {
    op: "register",
    meaning:
      "Adds a custom tool, by its manifest or the path of one. Only where the policy says plugins: { registration: allow }.",
    fields: [
      { name: "manifest", type: "object", meaning: "as a plugin's YAML file has it" },
      {
        name: "path",
        type: "string",
        meaning: "of a manifest in the workspace, in place of manifest",
      },
      { name: "source", type: "string", meaning: "the text of the module that the manifest names" },
    ],
    exchange: {
      requests: [{
        id: 1,
        op: "register",
        manifest: {
          version: 1,
          name: "line_count",
          description: "Counts lines.",
          permission: "file_read",
          risk: "safe",
          parameters: { file: { type: "string" } },
          command: ["wc", "-l", "--", "{file}"],
        },
      }],
      answers: [
        refused(
          1,
          "register",
          "PERMISSION_DENIED",
          "register: the policies let no pipe change the custom tools; the first must say plugins: { registration: allow }, and no other deny it",
        ),
      ],
    },
  },
  {
    op: "unregister",
    meaning: "Takes a registered tool away again.",
    fields: [{ name: "tool", type: "string", meaning: "its name" }],
    exchange: {
      requests: [{ id: 1, op: "unregister", tool: "line_count" }],
      answers: [
        refused(
          1,
          "unregister",
          "PERMISSION_DENIED",
          "unregister: the policies let no pipe change the custom tools; the first must say plugins: { registration: allow }, and no other deny it",
        ),
      ],
    },
  },
  {
    op: "tools",
    meaning: "The tools that the policy could allow the agent, with their schemas.",
    fields: [AGENT],
    exchange: {
      requests: [{ id: 1, op: "tools" }],
      answers: [
        answered(1, "tools", { tools: [{ name: "read_file", category: "fs", risk: "safe" }] }),
      ],
    },
  },
  {
    op: "stats",
    meaning:
      "What runs and waits (queued: for a thread), and each tool's calls, failures and latency.",
    fields: [],
    exchange: {
      requests: [{ id: 1, op: "stats" }],
      answers: [answered(1, "stats", {
        uptime_ms: 8,
        running: 0,
        waiting: 0,
        queued: 0,
        answered: 0,
        threads: 1,
        memory_bytes: 90_673_152,
        tokens: [],
        tools: {},
      })],
    },
  },
  {
    op: "ping",
    meaning: "Answers at once, whatever runs.",
    fields: [],
    exchange: {
      requests: [{ id: 1, op: "ping" }],
      answers: [answered(1, "ping", { pong: true })],
    },
  },
  {
    op: "result",
    meaning: "What a child agent says for itself: the last one stands in aggregate_agent_results.",
    fields: [{ name: "output", type: "any", meaning: "whatever its parent is to have" }],
    exchange: {
      requests: [{ id: 1, op: "result", output: { done: true } }],
      answers: [
        refused(
          1,
          "result",
          "INVALID_REQUEST",
          "result: only a child agent of a gate has one to give",
        ),
      ],
    },
  },
  ...GATE_OPERATIONS,
];
