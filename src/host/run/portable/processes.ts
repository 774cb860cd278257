/** One program by the runtime alone, where the C library cannot be called. */

import { ToolError } from "../../../core/errors.ts";
import { lineVariables, namesGit, scriptVariables } from "../../../core/git/settings.ts";
import type { ProcessOutcome, ProcessRequest } from "../../../core/tool.ts";
import type { Grant, SpawnGrant } from "../../../policy/grant.ts";
import { Capture } from "../_capture.ts";

/** What is known of the one program that is run. */
export interface PortableOptions {
  readonly grant: Grant;
  readonly spawn: SpawnGrant;
  readonly layers: readonly string[];
  readonly signal: AbortSignal;
}

/** How long the output of background programs is waited for once the program itself has ended. */
const DRAIN_MS = 250;
/** How long a program that was killed may take to be gone (it can hang in the kernel) before we answer. */
const KILLED_MS = 2_000;
/** A longer one would fire at once (HTML, timers: a 32-bit signed number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** As `run` of `Processes`, without a file for the output. */
export async function runPortably(
  options: PortableOptions,
  request: ProcessRequest,
): Promise<ProcessOutcome> {
  const { grant, signal, spawn } = options;
  const started = performance.now();
  if (signal.aborted) throw new ToolError("CANCELLED", `"${spawn.argv[0]}" was not started`);
  if (!spawn.argv.every((word) => word.isWellFormed())) {
    throw new ToolError(
      "INVALID_ENCODING",
      `"${
        spawn.argv[0]
      }" was not started: a name among its words is no UTF-8, and can be handed to programs on Linux alone`,
    );
  }
  const child = start(grant, spawn, request);
  const stdout = new Capture(grant.limits.output);
  const stderr = new Capture(grant.limits.output);
  const readers = [
    collect(child.stdout, stdout),
    collect(child.stderr, stderr),
  ];
  const input = request.stdin === null ? null : feed(child.stdin, request.stdin);

  let ended = false;
  let reason: "timeout" | "cancel" | null = null;
  const gone = Promise.withResolvers<null>();
  const timers: number[] = [];
  const send = (name: "SIGTERM" | "SIGKILL"): void => {
    try {
      Deno.kill(-child.pid, name);
    } catch {
      killAlone(child, name);
    }
  };
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
  const kept = { stdout: stdout.take(), stderr: stderr.take() };
  return {
    stdout: kept.stdout.bytes,
    stderr: kept.stderr.bytes,
    dropped: { stdout: kept.stdout.dropped, stderr: kept.stderr.dropped },
    exitCode: status === null || status.signal !== null ? null : status.code,
    signal: status === null ? "SIGKILL" : status.signal,
    timedOut: reason === "timeout",
    cancelled: reason === "cancel",
    exceeded: null,
    refusal: null,
    durationMs,
    sandbox: options.layers,
    denied: [],
    spilled: null,
  };
}

function start(grant: Grant, spawn: SpawnGrant, request: ProcessRequest): Deno.ChildProcess {
  try {
    return new Deno.Command(spawn.program.start, {
      args: spawn.argv.slice(1),
      cwd: spawn.cwd,
      clearEnv: true,
      env: {
        ...(spawn.own !== undefined
          ? {}
          : namesGit(spawn.argv)
          ? lineVariables(grant.git, spawn.argv)
          : scriptVariables(grant.git)),
        ...request.env,
      },
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
): Collector {
  const reader = stream.getReader();
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      capture.add(value);
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

/** Where single programs are granted, the runtime gives no signals to groups. */
function killAlone(child: Deno.ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
  try {
    child.kill(name);
  } catch {
    // It has ended meanwhile.
  }
}
