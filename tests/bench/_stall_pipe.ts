/** A pipe that is asked for nothing but how long others wait, and what its main thread did meanwhile. */

import { BINARY } from "../binary/toolgate.ts";

/** How a pipe is started. */
export interface StallPipeOptions {
  readonly cwd: string;
  readonly binary?: string;
  /** `serve` unless given. */
  readonly words?: readonly string[];
}

/** The longest that a ping waited beside one request. */
export interface Stall {
  /** From when it had gone out until its answer came. */
  readonly ms: number;
  /** Of that, what the main thread worked: whatever else the machine had to do is no part of it. */
  readonly worked: number;
  readonly bytes: number;
  /** The code of the error, or `success`. */
  readonly said: string;
}

const NEWLINE = 0x0a;
/** All of an answer that is read: the outputs of some are 15 MB, and reading them would be time of this process. */
const READ = 4_096;
const PING = "ping";

/** Lines come as bytes, and of each no more than its beginning is read. */
export class StallPipe implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #lines: string[] = [];
  readonly #mcp: boolean;
  #begun = "";
  #chunk = new Uint8Array(0);

  constructor(
    args: readonly string[],
    { cwd, binary = BINARY, words = ["serve"] }: StallPipeOptions,
  ) {
    this.#mcp = words[0] === "mcp";
    this.#process = new Deno.Command(binary, {
      args: [...words, ...args],
      cwd,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: Deno.env.get("SHOME") ?? "/dev/null/home",
        LANG: "C.UTF-8",
      },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#process.stdin.getWriter();
    this.#reader = this.#process.stdout.getReader();
  }

  /** Sends the request, a ping behind it, and another whenever one was answered, until the request is. */
  async stallOf(line: string): Promise<Stall> {
    await this.#send(this.#ping);
    await this.#next();
    let [sent, worked] = [Infinity, 0];
    const begin = () => [sent, worked] = [performance.now(), this.#workedMs()];
    const written = this.#send(line, this.#ping).then(begin);
    let longest = { ms: 0, worked: 0 };
    let said: string | null = null;
    for (let pings = 1; said === null || pings > 0;) {
      const next = await this.#next();
      if (next === null) throw new Error(`the pipe ended at ${line.slice(0, 500)}`);
      if (/"id":"ping"/.test(next)) {
        pings--;
        const waited = { ms: performance.now() - sent, worked: this.#workedMs() - worked };
        if (waited.ms > longest.ms) longest = waited;
        if (said !== null) continue;
        pings++;
        await this.#send(this.#ping).then(begin);
      } else if (next.includes('"event":"approval_required"')) {
        const approval = /"approval":"(ap_[0-9a-f]+)"/.exec(next)?.[1];
        await this.#send(JSON.stringify({ id: "no", op: this.answer, approval }));
      } else if (!/"event":|"id":"no"/.test(next)) said = saidBy(next);
    }
    await written;
    return { ...longest, bytes: line.length, said };
  }

  /** What is answered to who asks whether somebody agrees. */
  answer: "approve" | "reject" = "reject";

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    while (await this.#next() !== null);
    await this.#process.status;
  }

  get #ping(): string {
    return this.#mcp
      ? JSON.stringify({ jsonrpc: "2.0", id: PING, method: "ping" })
      : JSON.stringify({ id: PING, op: "ping" });
  }

  /** How long a ping takes now that nothing else is asked for: what the machine does to others, too. */
  async idle(): Promise<number> {
    const began = performance.now();
    await this.#send(this.#ping);
    await this.#next();
    return performance.now() - began;
  }

  /** Says who asks, as MCP wants it before anything else. */
  async greet(): Promise<void> {
    if (!this.#mcp) return;
    const params = { protocolVersion: "2025-06-18", capabilities: {} };
    await this.#send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
    await this.#next();
  }

  /** Milliseconds on a processor of the thread that answers everybody (proc_pid_schedstat, Linux). */
  #workedMs(): number {
    const { pid } = this.#process;
    const [ns = "0"] = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/schedstat`).split(" ");
    return Number(ns) / 1e6;
  }

  async #send(...lines: readonly string[]): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
  }

  async #next(): Promise<string | null> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line;
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#take(value);
    }
  }

  #take(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#lines.push(this.#begun);
      this.#begun = "";
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(bytes: Uint8Array): void {
    const room = READ - this.#begun.length;
    if (room > 0) this.#begun += decoder.decode(bytes.subarray(0, room));
  }
}

const decoder = new TextDecoder();

function saidBy(line: string): string {
  const code = /"code":"([A-Z_]+)"|"code":(-\d+)/.exec(line);
  return code?.[1] ?? code?.[2] ?? "success";
}
