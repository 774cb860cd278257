/** A gate, and callers of it. */

import { assert } from "@std/assert";
import { type Answer, BINARY, type Workspace } from "./toolgate.ts";

export interface GateOptions {
  readonly policy: string;
  readonly args?: readonly string[];
  /** In place of one beside the workspace. */
  readonly socket?: string;
  readonly command?: "serve" | "mcp";
}

/** A running gate. */
export class Gate {
  readonly process: Deno.ChildProcess;
  readonly socket: string;
  /** What it says to people, until it ends. */
  readonly told: Promise<string>;

  private constructor(process: Deno.ChildProcess, socket: string, told: Promise<string>) {
    this.process = process;
    this.socket = socket;
    this.told = told;
  }

  /** Resolves when it listens. */
  static async start(
    workspace: Workspace,
    { policy, args = [], socket = socketOf(workspace), command = "serve" }: GateOptions,
  ): Promise<Gate> {
    const named = workspace.policy(policy, "gate.yaml");
    const words = [command, "--listen", `unix:${socket}`, "--policy", named, ...args];
    return await Gate.run(words, { cwd: workspace.root, socket });
  }

  /** As `start`, by the words of the command line. */
  static async run(
    args: readonly string[],
    { cwd, socket }: { readonly cwd: string; readonly socket: string },
  ): Promise<Gate> {
    const process = new Deno.Command(BINARY, {
      args: [...args],
      cwd,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/dev/null/home", LANG: "C.UTF-8" },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    // It says so when it listens.
    const reader = process.stderr.getReader();
    const decoder = new TextDecoder();
    let said = "";
    while (!said.includes("listening on")) {
      const { value, done } = await reader.read();
      assert(!done, `the gate ended: ${said}`);
      said += decoder.decode(value, { stream: true });
    }
    return new Gate(process, socket, drain(reader).then((rest) => said + rest));
  }

  get pid(): number {
    return this.process.pid;
  }

  connect(): Promise<Caller> {
    return Caller.connect(this.socket);
  }

  /** As SIGTERM ends it: its exit status. */
  async stop(): Promise<number> {
    try {
      this.process.kill("SIGTERM");
    } catch {
      // It has ended already.
    }
    return (await this.process.status).code;
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let said = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    said += decoder.decode(read.value, { stream: true });
  }
  return said;
}

/** Where gates of tests listen: beside the workspace, whose folder nobody else may write. */
export function socketOf(workspace: Workspace): string {
  return `${workspace.base}/gate.sock`;
}

/** One connection. */
export class Caller {
  readonly connection: Deno.UnixConn;
  readonly #decoder = new TextDecoder();
  readonly #buffer = new Uint8Array(1 << 16);
  #lines: string[] = [];
  #rest: string[] = [];

  private constructor(connection: Deno.UnixConn) {
    this.connection = connection;
  }

  static async connect(socket: string): Promise<Caller> {
    return new Caller(await Deno.connect({ transport: "unix", path: socket }));
  }

  async write(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    for (let done = 0; done < bytes.length;) {
      done += await this.connection.write(bytes.subarray(done));
    }
  }

  send(...requests: readonly Record<string, unknown>[]): Promise<void> {
    return this.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  }

  /** The next line; null at the end. */
  async next(): Promise<Answer | null> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return JSON.parse(line) as Answer;
      const count = await this.connection.read(this.#buffer).catch(() => null);
      if (count === null) return null;
      const parts = this.#decoder.decode(this.#buffer.subarray(0, count), { stream: true })
        .split("\n");
      const last = parts.pop() as string;
      if (parts.length > 0) {
        parts[0] = this.#rest.join("") + parts[0];
        this.#rest = [];
        this.#lines.push(...parts);
      }
      this.#rest.push(last);
    }
  }

  async ask(request: Record<string, unknown>): Promise<Answer> {
    await this.send(request);
    const answer = await this.next();
    assert(answer !== null, "the connection ended");
    return answer;
  }

  /** The code of the error that a request comes to; null where it succeeds. */
  async codeOf(request: Record<string, unknown>): Promise<string | null> {
    return (await this.ask(request)).error?.code ?? null;
  }

  close(): void {
    this.connection.close();
  }
}

/** A caller in Python, for what Deno cannot do: its lines of output. */
export async function python(
  script: string,
  args: readonly string[],
  user: { readonly uid: number; readonly gid: number } | null = null,
): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("/usr/bin/python3", {
    args: ["-c", script, ...args],
    ...user ?? {},
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  return (text.decode(stdout) + text.decode(stderr)).trim();
}

/** Asks one thing, and prints what comes: `success`, the code of the error, or why it could not connect. */
export const ASKS_ONCE = `
import json, socket, sys
caller = socket.socket(socket.AF_UNIX)
try:
    caller.connect(sys.argv[1])
    caller.sendall(sys.argv[2].encode() + b"\\n")
    answer = json.loads(caller.makefile().readline())
    print("success" if answer["success"] else answer["error"]["code"])
except OSError as error:
    print(type(error).__name__)
`;
