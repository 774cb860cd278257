/** The commands there are. */

import { beginListener } from "./begin_listener.ts";
import type { Invocation } from "./invocation.ts";

/** Gives the exit status. */
type Command = (invocation: Invocation) => Promise<number>;

interface CommandEntry {
  readonly usage: string;
  readonly help: string;
  /** Begins what can be begun before the command is loaded. */
  readonly begin?: typeof beginListener;
  readonly load: () => Promise<Command>;
}

/** One line a command: name, what help says, and its module, loaded only when it is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  call: {
    usage: "call TOOL [KEY=VALUE ...]",
    help: "run one tool and print its result",
    load: async () => (await import("./call/call.ts")).call,
  },
  serve: {
    usage: "serve [--listen unix:PATH]",
    help: "NDJSON requests on standard input, NDJSON answers on standard output",
    begin: beginListener,
    load: async () => (await import("./serve.ts")).serve,
  },
  mcp: {
    usage: "mcp [--listen unix:PATH]",
    help: "the same as an MCP server on standard input and output",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  tools: {
    usage: "tools [list|show TOOL|search TEXT|schema|docs]",
    help: "the tools, their arguments and outputs; their schemas for models; a reference",
    load: async () => (await import("./tools/tools.ts")).tools,
  },
  gate: {
    usage: "gate [status|token|revoke TOKEN|stop] --gate PATH",
    help: "the running gate behind --gate: who is connected, tokens that can do less, a clean end",
    load: async () => (await import("./gate/gate.ts")).gateWithout,
  },
  policy: {
    usage:
      "policy [check [FILE ...]|show|explain TOOL KEY=VALUE ...|test [FILE ...]|flags|schema|init [FILE]|replay]",
    help: "write policies, check and try them, explain a decision, judge a log anew",
    load: async () => (await import("./policy/policy.ts")).policy,
  },
  approvals: {
    usage: "approvals [list|approve ID ...|reject ID ...|revoke ID ...]",
    help: "what single calls have asked for, and your answers",
    load: async () => (await import("./call/approvals.ts")).approvals,
  },
  audit: {
    usage: "audit [show|verify|stats]",
    help: "show the log of decisions and outcomes, verify that it is whole, sum it up",
    load: async () => (await import("./audit/audit.ts")).audit,
  },
  plugin: {
    usage: "plugin [new NAME|check FILE ...|test FILE ...|docs FILE ...]",
    help: "write, check, try and document custom tools; new NAME typescript makes a module",
    load: async () => (await import("./plugin/plugin.ts")).plugin,
  },
  doctor: {
    usage: "doctor",
    help: "what enforces the policy on this machine, each layer tried",
    load: async () => (await import("./doctor/doctor.ts")).doctor,
  },
  seal: {
    usage: "seal --policy FILE -o FILE [--agent ID]",
    help:
      "this binary once more, with one policy inside and no more permissions than that policy's",
    load: async () => (await import("./seal/seal.ts")).seal,
  },
  completions: {
    usage: "completions bash|zsh|fish",
    help:
      "a script for the shell: load it, and the tab key completes commands, tools and arguments",
    load: async () => (await import("./completions/completions.ts")).completions,
  },
};
