/** The compiled binary as its callers see it: one call, or a pipe. */

import { assert } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

/** The binary under test. */
export const BINARY = fromFileUrl(new URL("../../dist/toolgate", import.meta.url));

/** A result line, loosely: tests say what they expect of it. */
export interface Answer {
  readonly id: string | number | null;
  readonly op?: string;
  readonly event?: string;
  readonly tool: string | null;
  readonly success: boolean;
  // deno-lint-ignore no-explicit-any
  readonly output: any;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: Record<string, unknown> | null;
    readonly rule:
      | { readonly file: string; readonly index: string; readonly reason?: string }
      | null;
  } | null;
  readonly risk: string | null;
  readonly latency_ms: number;
  readonly usage: Record<string, unknown>;
}

export interface Started {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly binary?: string;
  /** Who it runs as; who runs the tests unless given. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** `words`: what a pipe is started with before its arguments; `serve` unless given. */
export interface PipeOptions extends StartOptions {
  readonly words?: readonly string[];
}

/** What every start of the binary gets of the environment, and no more. */
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/dev/null/home",
  LANG: "C.UTF-8",
};

/** Deno, where it starts the binary in some other way, needs its cache. */
function environmentOf({ binary, env }: StartOptions): Record<string, string> {
  const home = Deno.env.get("HOME");
  const own = binary === Deno.execPath() && home !== undefined ? { HOME: home } : {};
  return { ...ENVIRONMENT, ...own, ...env };
}

/** Runs the binary to its end. */
export async function start(args: readonly string[], options: StartOptions = {}): Promise<Started> {
  const child = new Deno.Command(options.binary ?? BINARY, {
    args: [...args],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: environmentOf(options),
    clearEnv: true,
    ...options.user,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    writer.write(new TextEncoder().encode(options.stdin)).catch(() => {});
    writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  return { status: code, stdout: decode(stdout), stderr: decode(stderr) };
}

/** The binary sealed with the policy in a file: `dist/NAME`; its path. */
export async function sealedBinary(name: string, policy: string): Promise<string> {
  const output = fromFileUrl(new URL(`../../dist/${name}`, import.meta.url));
  const { status, stderr } = await start(["seal", "--policy", policy, "-o", output]);
  if (status !== 0) throw new Error(stderr);
  return output;
}

/** `call`, with its one result parsed. */
export async function call(
  args: readonly string[],
  options: StartOptions = {},
): Promise<Started & { readonly answer: Answer }> {
  const started = await start(["call", ...args], options);
  assert(started.stdout !== "", `no result; standard error: ${started.stderr}`);
  return { ...started, answer: JSON.parse(started.stdout) as Answer };
}

/** `serve` with all of its input at once: the answers in the order they came. */
export async function serveAll(
  lines: readonly (string | Record<string, unknown>)[],
  args: readonly string[] = [],
  options: StartOptions = {},
): Promise<Started & { readonly answers: readonly Answer[] }> {
  const stdin = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)) + "\n")
    .join("");
  const started = await start(["serve", ...args], { ...options, stdin });
  const answers = started.stdout.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as Answer
  );
  return { ...started, answers };
}

/** `serve` as a pipe that stays open. */
export class Pipe {
  readonly process: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(args: readonly string[] = [], options: PipeOptions = {}) {
    this.process = new Deno.Command(options.binary ?? BINARY, {
      args: [...options.words ?? ["serve"], ...args],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: environmentOf(options),
      clearEnv: true,
      ...options.user,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.process.stdin.getWriter();
    this.#reader = this.process.stdout.getReader();
  }

  send(...lines: readonly (string | Record<string, unknown>)[]): Promise<void> {
    const text = lines.map((line) =>
      (typeof line === "string" ? line : JSON.stringify(line)) + "\n"
    );
    return this.sendBytes(new TextEncoder().encode(text.join("")));
  }

  /** Whatever they are, also parts of lines. */
  sendBytes(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes);
  }

  /** The next line, or null at the end. */
  async next(): Promise<Answer | null> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end !== -1) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return JSON.parse(line) as Answer;
      }
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Answers (no events) until there are `count`, by id. */
  async answers(count: number): Promise<Map<Answer["id"], Answer>> {
    const found = new Map<Answer["id"], Answer>();
    while (found.size < count) {
      const answer = await this.next();
      assert(answer !== null, `the pipe ended after ${found.size} of ${count} answers`);
      if (answer.event === undefined) found.set(answer.id, answer);
    }
    return found;
  }

  async ask(request: Record<string, unknown>): Promise<Answer> {
    await this.send(request);
    const answer = await this.next();
    assert(answer !== null, "the pipe ended");
    return answer;
  }

  /** Stops reading for good. */
  async abandon(): Promise<void> {
    await this.#reader.cancel();
  }

  async endInput(): Promise<void> {
    await this.#writer.close();
  }

  /** Ends the input and waits: the exit status, and what came before it. */
  async close(): Promise<{ readonly status: number; readonly rest: readonly Answer[] }> {
    await this.endInput().catch(() => {});
    const rest: Answer[] = [];
    for (let answer = await this.next(); answer !== null; answer = await this.next()) {
      rest.push(answer);
    }
    return { status: (await this.process.status).code, rest };
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A workspace that is removed at the end of the test, with a folder beside it that no call may touch. */
export class Workspace implements AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly outside: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
    this.root = join(this.base, "workspace");
    this.outside = join(this.base, "outside");
    for (const folder of [this.root, this.outside]) Deno.mkdirSync(folder);
    Deno.writeTextFileSync(join(this.outside, "sentinel.txt"), SENTINEL);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  path(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  write(path: string, text: string): void {
    const full = join(this.root, path);
    Deno.mkdirSync(join(full, ".."), { recursive: true });
    Deno.writeTextFileSync(full, text);
  }

  read(path: string): string {
    return Deno.readTextFileSync(join(this.root, path));
  }

  /** Writes a policy beside the workspace and gives its path. */
  policy(text: string, name = "policy.yaml"): string {
    const file = join(this.base, name);
    Deno.writeTextFileSync(file, text);
    return file;
  }

  /** What no call may have changed, and nothing else may be there. */
  assertOutsideUntouched(): void {
    const names = [...Deno.readDirSync(this.outside)].map(({ name }) => name);
    assert(names.length === 1 && names[0] === "sentinel.txt", `outside: ${names}`);
    assert(
      Deno.readTextFileSync(join(this.outside, "sentinel.txt")) === SENTINEL,
      "the sentinel changed",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.base, { recursive: true });
  }
}

/** The content that no answer may show. */
export const SENTINEL = "sentinel-7c1f: nobody may see or change this\n";
