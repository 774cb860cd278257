/** MCP over the binary's pipe, message by message: what was said is kept with what came back. */

import { assert } from "@std/assert";
import { Pipe, type StartOptions, type Workspace } from "./toolgate.ts";

// deno-lint-ignore no-explicit-any
export type Message = any;

export const MCP_POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["secret/**"], reason: closed }
commands: [{ allow: [cat, seq, sleep] }]
risk: { allow: safe, ask: dangerous }
approvals: { expire: 1h }
timeouts: { default: 1h }
limits: { matches: 1000 }
`;

/** `_meta` of a request that stands for itself (MCP 2026-07-28). */
export function selfContained(
  capabilities: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...more,
  };
}

export class Session {
  readonly pipe: Pipe;
  /** Methods of the requests that were sent, by id. */
  readonly methods = new Map<unknown, string>();
  /** All that the server said. */
  readonly said: Message[] = [];
  /** Answers the server's own requests; null says nothing. */
  onRequest: (request: Message) => Message | null = () => null;
  #last = 0;

  readonly root: string;

  constructor(workspace: Workspace, policy = MCP_POLICY, user: Pick<StartOptions, "user"> = {}) {
    this.root = workspace.root;
    this.pipe = new Pipe(["--policy", workspace.policy(policy)], {
      cwd: workspace.root,
      words: ["mcp"],
      ...user,
    });
  }

  /** Begins a session in a revision that has them. */
  async initialize(protocolVersion: string, capabilities: Message = {}): Promise<Message> {
    const answer = await this.ask("initialize", {
      protocolVersion,
      capabilities,
      clientInfo: { name: "test", version: "1" },
    });
    await this.notify("notifications/initialized");
    return answer;
  }

  /** Sends a request and does not wait: its id. */
  async request(method: string, params?: Message): Promise<number> {
    const id = ++this.#last;
    this.methods.set(id, method);
    await this.pipe.send({
      jsonrpc: "2.0",
      id,
      method,
      ...(params === undefined ? {} : { params }),
    });
    return id;
  }

  /** The answer to a request. What comes before it is kept in `said`. */
  async ask(method: string, params?: Message): Promise<Message> {
    return await this.answer(await this.request(method, params));
  }

  async answer(id: unknown): Promise<Message> {
    for (;;) {
      const message = await this.next();
      if (message.id === id && !("method" in message)) return message;
    }
  }

  async notify(method: string, params?: Message): Promise<void> {
    await this.pipe.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** The next message; the server's own requests are answered. */
  async next(): Promise<Message> {
    const message: Message = await this.pipe.next();
    assert(message !== null, "the pipe ended");
    this.said.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      const result = this.onRequest(message);
      if (result !== null) await this.pipe.send({ jsonrpc: "2.0", id: message.id, result });
    }
    return message;
  }

  /** Ends the input; what still came is in `said`. */
  async close(): Promise<number> {
    const { status, rest } = await this.pipe.close();
    this.said.push(...rest);
    return status;
  }
}
