/** Starting the programs of a grant, and never losing one: groups, time limits, output limits. */

import { ToolError } from "../core/errors.ts";
import { BUILTINS, type Plan } from "../core/plan.ts";
import type { Processes, ProcessOutcome, ProcessRequest } from "../core/tool.ts";
import { certainText } from "../shell/certain.ts";
import { withRequested } from "./environment.ts";
import { Launcher } from "./_launcher.ts";
import { type Ended, endedBy } from "./_programs.ts";
import { SIGNALS } from "../sandbox/signals.ts";
import { Run } from "./_run.ts";
import { runPlan } from "./_run_plan.ts";
import { grantedSpawn } from "./granted_programs.ts";
import type { ProcessesOptions } from "./program_options.ts";
import type { Starter } from "./starter.ts";

export function createProcesses(options: ProcessesOptions): Processes {
  const processes: Processes = {
    async run(argv, request) {
      const spawn = grantedSpawn(options.grant, argv, request.cwd);
      const environment = withRequested(options.environment, request.env);
      const { starter } = options;
      if (starter === null) {
        const { runPortably } = await import("./_processes_portable.ts");
        return await inTemporary(
          options,
          environment,
          (env) => runPortably({ ...options, spawn }, { ...request, env }),
        );
      }
      return await inTemporary(
        options,
        environment,
        (env) =>
          hold(options, starter, request, (run, launcher) => {
            const { descriptors } = run;
            const environment = new Map(Object.entries(env));
            const launch = { ...spawn, argv, directory: spawn.cwd, environment, descriptors };
            const child = launcher.launch(launch);
            run.release();
            return child.ended;
          }),
      );
    },
    async runLine(plan, request) {
      const { starter } = options;
      if (starter === null) {
        const argv = onlyWords(plan);
        if (argv === null) throw unsupported();
        return await processes.run(argv, request);
      }
      return await inTemporary(
        options,
        { ...options.environment, ...request.env },
        (env) =>
          hold(options, starter, request, (run, launcher) =>
            runPlan(plan, {
              options,
              starter,
              run,
              launcher,
              cwd: request.cwd,
              env,
            })),
      );
    },
  };
  return processes;
}

/** The words of a line that is one program and nothing else; null for all others. */
function onlyWords({ root }: Plan): readonly string[] | null {
  if (root.kind !== "simple" || root.assignments.length + root.redirections.length > 0) return null;
  const words = root.words.map(certainText);
  const argv = words.filter((word) => word !== null);
  const [name] = argv;
  const builtin = name === undefined || BUILTINS.some((one) => one === name);
  return argv.length < words.length || builtin ? null : argv;
}

function unsupported(): ToolError {
  return new ToolError(
    "EXECUTION_ERROR",
    "command lines take system calls that this machine does not give Toolgate (Linux with glibc, and the ffi permission); argv runs one program",
  );
}

/** Runs with a TMPDIR of its own where the policy gives programs one. */
async function inTemporary(
  { temporaryRoot }: ProcessesOptions,
  environment: Readonly<Record<string, string>>,
  run: (environment: Readonly<Record<string, string>>) => Promise<ProcessOutcome>,
): Promise<ProcessOutcome> {
  if (temporaryRoot === null) return await run(environment);
  const temporary = Deno.makeTempDirSync({ dir: temporaryRoot, prefix: "run-" });
  try {
    return await run({ ...environment, TMPDIR: temporary });
  } finally {
    try {
      Deno.removeSync(temporary, { recursive: true });
    } catch {
      // A program that hangs in the kernel may still have a file there; the sweep of the root takes it.
    }
  }
}

/** Runs `body` with all that a run has, and gives what became of it. */
async function hold(
  options: ProcessesOptions,
  starter: Starter,
  request: ProcessRequest,
  body: (run: Run, launcher: Launcher) => Promise<Ended>,
): Promise<ProcessOutcome> {
  const { grant, signal, layers, marker, wrapper } = options;
  const started = performance.now();
  if (signal.aborted) throw new ToolError("CANCELLED", "it was cancelled before it began");
  const spill = request.spill === undefined
    ? null
    : await openSpill(options, starter, request.spill);
  const run = new Run({
    ...options,
    starter,
    spill,
    outputLimit: grant.limits.output,
    killGraceMs: grant.killGraceMs,
    timeoutMs: request.timeoutMs,
    stdin: request.stdin,
  });
  const launcher = new Launcher({ libc: starter.libc, programs: run.programs, marker, wrapper });
  let ended: Ended | null = null;
  let refusal: ToolError | null = null;
  let durationMs = 0;
  try {
    ended = await Promise.race([body(run, launcher), run.gone]);
    options.listen();
  } catch (error) {
    if (!(error instanceof ToolError) || !run.programs.started) throw error;
    refusal = error;
    run.stop("refused");
  } finally {
    durationMs = performance.now() - started;
    launcher.close();
    await run.finish();
  }
  const { reason } = run;
  // What never came back was killed.
  const status = ended ?? endedBy(SIGNALS.SIGKILL);
  const stdout = run.stdout.take();
  const stderr = run.stderr.take();
  return {
    stdout: stdout.bytes,
    stderr: stderr.bytes,
    dropped: { stdout: stdout.dropped, stderr: stderr.dropped },
    exitCode: refusal === null ? status.code : null,
    signal: refusal === null ? status.signal : null,
    timedOut: reason === "timeout",
    cancelled: reason === "cancel",
    exceeded: reason !== null && typeof reason === "object" ? reason.limit : null,
    refusal,
    durationMs,
    sandbox: layers,
    spilled: spill === null ? null : { bytes: run.spilled, complete: !run.spillFailed },
  };
}

async function openSpill(
  { grant, openElsewhere }: ProcessesOptions,
  { libc }: Starter,
  path: string,
): Promise<number> {
  const entry = grant.write.find(({ requested }) => requested === path);
  if (entry === undefined) {
    throw new ToolError("PATH_DENIED", `"${path}" is none of the paths that this call may write`);
  }
  const { messageOf, openFileAnywhere } = await import("./line/redirect.ts");
  const opened = await openFileAnywhere(libc, "write", entry.path, openElsewhere);
  if (opened >= 0) return opened;
  throw new ToolError(
    "NATIVE_DENIED",
    `"${path}" cannot be opened for the output: ${messageOf(-opened)}`,
  );
}
