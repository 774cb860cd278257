/** Terminals of ACP: each a `run_command` under the policy, whose output is kept for who asks for it. */

import type { CallRequest } from "../../core/request.ts";
import { JSON_NULL, jsonText, type Result } from "../../core/result.ts";
import type { Follow } from "../../engine/execute.ts";
import type { Params } from "../mcp/messages.ts";
import { RPC, RpcError } from "../mcp/messages.ts";

/** Terminals that are kept, and characters of each. */
const MOST = 64;
const LONGEST = 1 << 20;

/** Does a call as the agent. */
export type Execute = (
  call: Pick<CallRequest, "tool" | "args">,
  follow: Omit<Follow, "approver">,
) => Promise<Result>;

interface Terminal {
  readonly most: number;
  output: string;
  truncated: boolean;
  exit: Params | null;
  cancel: () => void;
  readonly ended: Promise<Params>;
}

/** The terminals of one agent. */
export class Terminals {
  readonly #execute: Execute;
  readonly #all = new Map<string, Terminal>();
  #last = 0;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  /** Answers when the command runs. Throws an RpcError where it does not come to that. */
  async create(params: Params): Promise<Params> {
    if (this.#all.size >= MOST) {
      throw new RpcError(RPC.invalidParams, `${MOST} terminals are kept; release some`);
    }
    const args = commandOf(params);
    const { promise: running, resolve: runs } = Promise.withResolvers<null>();
    const ended = Promise.withResolvers<Params>();
    const { outputByteLimit: limit } = params;
    const terminal: Terminal = {
      most: typeof limit === "number" && limit >= 0 ? Math.min(limit, LONGEST) : LONGEST,
      output: "",
      truncated: false,
      exit: null,
      cancel: () => {},
      ended: ended.promise,
    };
    const done = this.#execute({ tool: "run_command", args }, {
      onEvent: (event) => {
        if ("data" in event) append(terminal, event.data);
      },
      onRunning: (how) => {
        terminal.cancel = how;
        runs(null);
      },
    });
    void done.then((result) => {
      terminal.exit = exitOf(result);
      ended.resolve(terminal.exit);
    });
    const early = await Promise.race([running, done]);
    if (early?.error && early.output === JSON_NULL) {
      const { code, message, rule } = early.error;
      throw new RpcError(RPC.invalidParams, `${code}: ${message}`, { code, rule });
    }
    const terminalId = `term-${++this.#last}`;
    this.#all.set(terminalId, terminal);
    return { terminalId };
  }

  output(params: Params): Params {
    const { output, truncated, exit } = this.#of(params);
    return { output, truncated, ...(exit === null ? {} : { exitStatus: exit }) };
  }

  wait(params: Params): Promise<Params> {
    return this.#of(params).ended;
  }

  /** Ends it; what it has said can still be asked for. */
  kill(params: Params): Params {
    this.#of(params).cancel();
    return {};
  }

  release(params: Params): Params {
    this.#of(params).cancel();
    this.#all.delete(String(params["terminalId"]));
    return {};
  }

  close(): void {
    for (const { cancel } of this.#all.values()) cancel();
  }

  #of({ terminalId }: Params): Terminal {
    const found = this.#all.get(String(terminalId));
    if (found !== undefined) return found;
    throw new RpcError(RPC.invalidParams, "terminalId: there is no such terminal, or no longer");
  }
}

/** What is over is taken from the beginning. */
function append(terminal: Terminal, text: string): void {
  const all = terminal.output + text;
  terminal.output = terminal.most === 0 ? "" : all.slice(-terminal.most);
  if (all.length > terminal.output.length) terminal.truncated = true;
}

/** A command without arguments is a line, as agents send it for a shell. */
function commandOf({ command, args, env, cwd }: Params): Params {
  if (typeof command !== "string" || command === "") {
    throw new RpcError(RPC.invalidParams, "command: a string that is not empty");
  }
  const words = Array.isArray(args) ? args.map(String) : [];
  const variables = Array.isArray(env) ? env as readonly { name: unknown; value: unknown }[] : [];
  return {
    ...(words.length === 0 ? { command } : { argv: [command, ...words] }),
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(variables.length === 0
      ? {}
      : { env: Object.fromEntries(variables.map(({ name, value }) => [name, String(value)])) }),
  };
}

function exitOf({ output }: Result): Params {
  const { exit_code: exitCode = null } = (JSON.parse(jsonText(output)) ?? {}) as {
    readonly exit_code?: number | null;
  };
  return exitCode === null ? { exitCode, signal: "SIGTERM" } : { exitCode, signal: null };
}
