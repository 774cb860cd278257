/** One run of programs from its start to its outcome: nothing of it is left when that is there. */

import { ToolError } from "../../core/errors.ts";
import { shownName } from "../../core/name_text.ts";
import type { DeniedName, ProcessOutcome, ProcessRequest } from "../../core/tool.ts";
import type { Refusal } from "../broker/broker.ts";
import type { ProxyReport, RefusedHost } from "../network/proxy_route.ts";
import { isWithin } from "../../sandbox/within.ts";
import { SIGNALS } from "../../sandbox/kernel/signals.ts";
import { Launcher } from "./_launcher.ts";
import { type Ended, endedBy } from "./_programs.ts";
import { ProgramShares } from "./_program_shares.ts";
import { Run } from "./_run.ts";
import type { ProcessesOptions } from "./program_options.ts";
import type { Starter } from "./starter.ts";

/** Runs `body` with all that a run has, and gives what became of it. */
export async function hold(
  options: ProcessesOptions,
  starter: Starter,
  request: ProcessRequest,
  body: (run: Run, launcher: Launcher) => Promise<Ended>,
): Promise<ProcessOutcome> {
  const { grant, signal, layers, marker, mark, holds, wrapper } = options;
  if (grant.connect.length > 0 && holds.unserved !== null) throw unserved(holds.unserved);
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
  const shares = new ProgramShares(grant, options.rulebook.limitsOf);
  const launcher = new Launcher({
    libc: starter.libc,
    programs: run.programs,
    marker,
    mark,
    shares,
    git: grant.git,
    limitMaker: starter.limits,
    holds,
    wrapper,
    broker: () => starter.broker,
    networkOf: options.rulebook.networkOf,
    deniedLoopbackOf: options.rulebook.deniedLoopbackOf,
    proxies: options.proxies,
  });
  let ended: Ended | null = null;
  let refusal: ToolError | null = null;
  let durationMs = 0;
  let denied: readonly DeniedName[] = [];
  let report: ProxyReport | null = null;
  try {
    ended = await Promise.race([body(run, launcher), run.gone]);
    options.listen();
  } catch (error) {
    if (!(error instanceof ToolError) || !run.started) throw error;
    refusal = error;
    run.stop("refused");
  } finally {
    durationMs = performance.now() - started;
    try {
      await run.finish();
      report = await launcher.endNetwork();
      denied = [
        ...launcher.refusals.map((refusal) => deniedName(grant.workspace, refusal)),
        ...(report?.refused ?? []).map(deniedHost),
      ];
    } finally {
      launcher.close();
    }
  }
  const { reason } = run;
  const limitedBy = run.late !== null
    ? shares.saying(run.late.told.number, "timeout")
    : reason !== null && typeof reason === "object"
    ? shares.saying(reason.share, reason.limit)
    : null;
  // What never came back was killed.
  const status = ended ?? endedBy(SIGNALS.SIGKILL);
  const { hooksRun, hooksSkipped, leftOut } = launcher;
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
    ...(limitedBy === null ? {} : { limitedBy }),
    refusal,
    durationMs,
    sandbox: layers,
    denied,
    ...(hooksRun.length === 0 ? {} : { hooksRun }),
    ...(hooksSkipped.length === 0 ? {} : { hooksSkipped }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(report === null || report.reached.length === 0 ? {} : { reached: report.reached }),
    spilled: spill === null ? null : { bytes: run.spilled, complete: !run.spillFailed },
  };
}

/** What its words connect to was allowed as far as it is the call's own, which nothing here could hold it to. */
function unserved(why: string): ToolError {
  return new ToolError(
    "NATIVE_DENIED",
    `programs have no sockets here: ${why}; fetch_url reaches hosts that the policy's network names, ` +
      "and sandbox.network: allow opens it to programs",
  );
}

function deniedName(
  workspace: string,
  { path, access, verdict: { code, reason, rule } }: Refusal,
): DeniedName {
  const shown = isWithin(workspace, path) && path !== workspace
    ? path.slice(workspace === "/" ? 1 : workspace.length + 1)
    : path;
  return { path: shownName(shown), access, code: code ?? "PATH_DENIED", reason, rule };
}

function deniedHost({ host, reason, rule }: RefusedHost): DeniedName {
  return { path: host, access: "connect", code: "NETWORK_DENIED", reason, rule };
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
  const opened = await openFileAnywhere(
    libc,
    { kind: "write", path: entry.path },
    openElsewhere,
  );
  if (opened >= 0) return opened;
  throw new ToolError(
    "NATIVE_DENIED",
    `"${path}" cannot be opened for the output: ${messageOf(-opened)}`,
  );
}
