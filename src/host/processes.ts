/** Starting the programs of a grant, and never losing one: groups, time limits, output limits. */

import { ToolError } from "../core/errors.ts";
import type { Processes, ProcessOutcome } from "../core/tool.ts";
import type { Grant, SpawnGrant } from "../policy/grant.ts";
import { type Libc, openLibc } from "../sandbox/libc.ts";
import { Capture } from "./_capture.ts";
import { withRequested } from "./environment.ts";

export interface ProcessesOptions {
  readonly grant: Grant;
  /** From `baseEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Layers that hold this thread, and so its programs. */
  readonly layers: readonly string[];
  /** For signals to whole groups; without it they reach the program alone. */
  readonly libc: Libc | null;
  /** Ends the running program as its timeout would. */
  readonly signal: AbortSignal;
  /** A directory for a private TMPDIR of each run; it must be among what programs may write. */
  readonly temporaryRoot?: string | null;
  /** Output as it comes, beside being kept. */
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /**
   * Told the number of a process group when it begins and when its program has ended, for whoever may have to end
   * it from another thread (`killGroup`).
   */
  readonly onGroup?: (id: number, alive: boolean) => void;
}

/** How long the output of background programs is waited for once the program itself has ended. */
const DRAIN_MS = 250;
/** How long a program that was killed may take to be gone (it can hang in the kernel) before we answer. */
const KILLED_MS = 2_000;
/** A longer one would fire at once (HTML, timers: a 32-bit signed number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** signal(7) */
const SIGNALS = { SIGTERM: 15, SIGKILL: 9 } as const;

export function createProcesses(options: ProcessesOptions): Processes {
  return {
    async run(argv, request) {
      const spawn = granted(options.grant, argv, request.cwd);
      const environment = withRequested(options.environment, request.env);
      const temporary = makeTemporary(options.temporaryRoot ?? null);
      try {
        return await runProgram(options, spawn, {
          ...request,
          env: temporary === null ? environment : { ...environment, TMPDIR: temporary },
        });
      } finally {
        if (temporary !== null) removeTemporary(temporary);
      }
    },
  };
}

/** The entry of the grant for exactly these words. */
function granted(grant: Grant, argv: readonly string[], cwd: string): SpawnGrant {
  const entries = grant.spawn.filter((entry) =>
    entry.argv.length === argv.length && entry.argv.every((word, index) => word === argv[index])
  );
  const words = cwd.startsWith("/") ? cwd : cwd === "." ? "" : cwd;
  const path = words.startsWith("/")
    ? words
    : `${grant.workspace}${words === "" ? "" : "/"}${words}`;
  const entry = entries.length === 1 ? entries[0] : entries.find((entry) => entry.cwd === path);
  if (entry !== undefined) return entry;
  throw new ToolError(
    "COMMAND_DENIED",
    `"${
      argv[0] ?? ""
    }" with these arguments is none of the commands that were allowed for this call`,
  );
}

function makeTemporary(root: string | null): string | null {
  return root === null ? null : Deno.makeTempDirSync({ dir: root, prefix: "run-" });
}

function removeTemporary(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // A program that lives on may still write there; the next sweep of the root takes it.
  }
}

type Request = Parameters<Processes["run"]>[1];

async function runProgram(
  options: ProcessesOptions,
  spawn: SpawnGrant,
  request: Request,
): Promise<ProcessOutcome> {
  const { grant, signal } = options;
  const started = performance.now();
  if (signal.aborted) throw new ToolError("CANCELLED", `"${spawn.argv[0]}" was not started`);
  const child = start(spawn, request);
  options.onGroup?.(child.pid, true);
  const stdout = new Capture(grant.limits.output);
  const stderr = new Capture(grant.limits.output);
  const readers = [
    collect(child.stdout, stdout, (bytes) => options.onOutput?.("stdout", bytes)),
    collect(child.stderr, stderr, (bytes) => options.onOutput?.("stderr", bytes)),
  ];
  const input = request.stdin === null ? null : feed(child.stdin, request.stdin);

  let ended = false;
  let reason: "timeout" | "cancel" | null = null;
  const gone = Promise.withResolvers<null>();
  const timers: number[] = [];
  const send = (name: keyof typeof SIGNALS): void => sendToGroup(options.libc, child, name);
  const stop = (why: "timeout" | "cancel"): void => {
    if (ended || reason !== null) return;
    reason = why;
    send("SIGTERM");
    timers.push(setTimeout(() => {
      send("SIGKILL");
      timers.push(setTimeout(() => gone.resolve(null), KILLED_MS));
    }, grant.killGraceMs));
  };
  timers.push(setTimeout(() => stop("timeout"), Math.min(request.timeoutMs, LONGEST_TIMER_MS)));
  const cancel = (): void => stop(signal.reason === "TIMEOUT" ? "timeout" : "cancel");
  signal.addEventListener("abort", cancel);
  let status: Deno.CommandStatus | null;
  try {
    status = await Promise.race([child.status, gone.promise]);
  } finally {
    ended = true;
    signal.removeEventListener("abort", cancel);
    timers.forEach(clearTimeout);
  }
  const durationMs = performance.now() - started;
  // What was to end ends whole, also those of its programs that took SIGTERM for no reason to.
  if (reason !== null) send("SIGKILL");
  if (input !== null && !(await within(DRAIN_MS, input.stop()))) send("SIGKILL");
  await drain(readers, () => send("SIGKILL"));
  options.onGroup?.(child.pid, false);
  const kept = { stdout: stdout.take(), stderr: stderr.take() };
  return {
    stdout: kept.stdout.bytes,
    stderr: kept.stderr.bytes,
    dropped: { stdout: kept.stdout.dropped, stderr: kept.stderr.dropped },
    exitCode: status === null || status.signal !== null ? null : status.code,
    signal: status === null ? "SIGKILL" : status.signal,
    timedOut: reason === "timeout",
    cancelled: reason === "cancel",
    durationMs,
    sandbox: options.layers,
  };
}

function start(spawn: SpawnGrant, request: Request): Deno.ChildProcess {
  try {
    return new Deno.Command(spawn.program.start, {
      args: spawn.argv.slice(1),
      cwd: spawn.cwd,
      clearEnv: true,
      env: { ...request.env },
      stdin: request.stdin === null ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      // setsid(2): a session and group of its own, so that one signal reaches all it starts.
      detached: true,
    }).spawn();
  } catch (error) {
    throw spawnFailure(spawn.argv[0] ?? "", error);
  }
}

function spawnFailure(name: string, error: unknown): unknown {
  if (error instanceof Deno.errors.NotFound) {
    return new ToolError(
      "COMMAND_NOT_FOUND",
      `"${name}" cannot be started: the program, its interpreter or its directory is gone`,
    );
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return new ToolError(
      "NATIVE_DENIED",
      `"${name}" was refused by a lower layer: the runtime's permissions, the kernel rules, or its file mode`,
    );
  }
  if (!(error instanceof Error)) return error;
  if ("code" in error && error.code === "E2BIG") {
    return new ToolError("INVALID_ARGUMENTS", `"${name}": arguments and environment are too long`);
  }
  if (/os error (?:11|12|23|24)\)/.test(error.message)) {
    return new ToolError(
      "RESOURCE_LIMIT",
      `"${name}": too many processes or open files, or no memory`,
    );
  }
  return new ToolError("EXECUTION_ERROR", `"${name}" cannot be started`);
}

/** One stream being read; `cancel` stops it and lets the pipe go. */
interface Collector {
  readonly done: Promise<void>;
  cancel(): Promise<void>;
}

function collect(
  stream: ReadableStream<Uint8Array>,
  capture: Capture,
  tell: (bytes: Uint8Array) => void,
): Collector {
  const reader = stream.getReader();
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      capture.add(value);
      tell(value);
    }
  };
  return { done: read(), cancel: () => reader.cancel() };
}

/** Waits for the ends of the streams; programs in the background that hold them are killed, then left alone. */
async function drain(readers: readonly Collector[], kill: () => void): Promise<void> {
  const all = Promise.all(readers.map((reader) => reader.done)).then(() => true);
  if (await within(DRAIN_MS, all)) return;
  kill();
  if (await within(DRAIN_MS, all)) return;
  await Promise.all(readers.map((reader) => reader.cancel()));
  await all;
}

async function within(milliseconds: number, promise: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes the input beside all else; a program that does not read it must not hold us up. */
function feed(
  stream: WritableStream<Uint8Array>,
  bytes: Uint8Array,
): { stop(): Promise<boolean> } {
  const writer = stream.getWriter();
  const ignore = (): void => {
    // The program closed its input or ended: its own affair.
  };
  const done = writer.write(bytes).then(() => writer.close()).catch(ignore);
  return {
    async stop() {
      await Promise.race([writer.abort().catch(ignore), done]);
      return true;
    },
  };
}

/** Ends a process group at once, from a thread that is free to. Nothing happens where it has ended. */
export function killGroup(id: number): void {
  try {
    Deno.kill(-id, "SIGKILL");
  } catch (error) {
    // Where single programs are granted, the runtime gives no signals.
    if (!(error instanceof Deno.errors.NotCapable)) return;
    const libc = openLibc();
    libc?.call(libc.numbers.kill, -id, SIGNALS.SIGKILL);
  }
}

function sendToGroup(
  libc: Libc | null,
  child: Deno.ChildProcess,
  name: keyof typeof SIGNALS,
): void {
  if (libc !== null && libc.call(libc.numbers.kill, -child.pid, SIGNALS[name]) >= 0) return;
  try {
    child.kill(name);
  } catch {
    // It has ended meanwhile.
  }
}
