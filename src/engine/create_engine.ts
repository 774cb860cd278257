/** Puts engines together: for one call, with no more loaded than that call takes, and for many. */

import type { CanonicalPath } from "../core/capability.ts";
import type { ToolDescription } from "../core/tool.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import { withEmbedded } from "../host/carried/carried.ts";
import type { AuditSettings, Rulebook, Settings } from "../policy/rulebook.ts";
import type { Bubblewrap } from "../sandbox/bubblewrap.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { permissionSetOf } from "../sandbox/permission_set.ts";
import type { FileBackend } from "../host/files/file_backend.ts";
import { openLibc } from "../sandbox/kernel/libc.ts";
import type { PluginManifest } from "../plugins/manifest.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { type Boundaries, createBoundaries } from "./pool/boundaries.ts";
import { Approvals } from "./approvals/approvals.ts";
import { Budgets } from "./_budgets.ts";
import { compilePolicies } from "./compile_policies.ts";
import type { Engine } from "./execute.ts";
import { createFreeRunner, isFree } from "./_free_runner.ts";
import { subjectOf } from "./judge/judge.ts";
import { Metrics } from "./_metrics.ts";
import type { Telemetry } from "./telemetry.ts";
import { ArrivalOrder } from "./_arrival_order.ts";
import { NO_RECORDER } from "./_no_recorder.ts";
import type { Recorder } from "./recorder.ts";
import type { ProgramSupport } from "./programs/program_support.ts";
import { createPluginRegistry, type PluginRegistry } from "./plugin_registry.ts";
import { createResolver } from "./judge/resolve.ts";
import type { Lane } from "./pool/lanes.ts";
import type { LaneBoundary } from "./pool/pool_thread.ts";
import {
  type Job,
  type JobEvent,
  type Runner,
  type Running,
  startsPrograms,
  type StayingRunner,
} from "./runner.ts";
import type { WorkerPool } from "./pool/worker_pool.ts";

/** What an engine is made of. */
export interface EngineOptions {
  readonly policies: readonly PlacedPolicy[];
  readonly workspace: CanonicalPath;
  /** The runtime's baked permissions are the policy's own. */
  readonly sealed: boolean;
  /** The custom tools of the policies. */
  readonly plugins?: readonly PluginManifest[];
  /** What keeps the log that the policies want; not called where they want none. */
  readonly audit: (settings: AuditSettings, workspace: string) => Recorder;
}

/** What an engine is made of where it is not the usual: for builds that try the layers one by one. */
export interface EngineParts {
  readonly registry?: Registry;
  readonly rulebook?: (rulebook: Rulebook) => Rulebook;
  readonly permissionsOf?: (boundary: Boundary) => Deno.PermissionOptions;
  readonly recorder?: Recorder;
  readonly telemetry?: Telemetry | null;
}

/** An engine, and what its commands need beside the way through. */
export interface CommandEngine extends Engine {
  /** The tools that the policy could allow the agent. */
  offered(agent: string): Promise<readonly ToolDescription[]>;
  /** What it was made of, and what holds the thread of a single call: for `explain`. */
  readonly policies: readonly PlacedPolicy[];
  boundaryOf(job: Job): Boundary;
}

/** An engine of many calls. */
export interface StayingEngine extends CommandEngine {
  readonly runner: StayingRunner;
  /** The custom tools, as they are now. */
  readonly plugins: PluginRegistry;
  /** Starts the thread that most calls need ahead of the first. */
  warm(): void;
}

/** The engine of one call: each layer is drawn from the call's grant. */
export function createEngine(options: EngineOptions, parts: EngineParts = {}): CommandEngine {
  const base = createBase(options, parts);
  const { rulebook, registry, boundaries } = base;
  let pool: WorkerPool | null = null;
  const load = async (job: Job): Promise<Runner> => {
    // A sealed build's permissions are the policy's without a thread, whose start takes as long as the program's.
    // Calls that may overrun get one all the same: a thread can be ended, the main thread cannot.
    // So do those that start programs: a thread that is held cannot see to it that nothing of them is left. And so does
    // a preview: an approver may want to see it before the call itself runs.
    const inline = job.tool.long !== true && !startsPrograms(job) && !job.preview;
    if (options.sealed && inline) {
      const { createInlineRunner } = await import("./pool/inline_runner.ts");
      return createInlineRunner({ rulebook, registry, boundaryOf: boundaries.ofJob });
    }
    const loaded = await createPool(options, parts, base, (_lane, job) => ({
      boundary: boundaries.ofJob(job),
      state: "once",
    }));
    pool = loaded;
    return selfDraining(loaded);
  };
  return {
    ...base.engine,
    runner: {
      run: (job, onEvent) =>
        isFree(job, rulebook.settings)
          ? base.free.run(job, onEvent)
          : deferred(load(job), job, onEvent),
      async close() {
        await pool?.close();
        base.close();
      },
    },
  };
}

/** The engine of many calls: each layer is drawn from what the policy can allow. */
export async function createStayingEngine(
  options: EngineOptions,
  parts: EngineParts = {},
): Promise<StayingEngine> {
  const base = createBase(options, parts);
  // Its threads know the tools that there were when they began, and tell of them where get_help runs there.
  const drawn = (lane: Lane, job?: Job): LaneBoundary => {
    const { boundary, state } = base.boundaries.ofLane(lane, job);
    return { boundary, state: lane === "read" ? `${base.plugins.version} ${state}` : state };
  };
  const pool = await createPool(options, parts, base, drawn);
  return {
    ...base.engine,
    plugins: base.plugins,
    warm: () => pool.warm("read", drawn("read")),
    runner: {
      bell: pool.bell,
      get running() {
        return pool.running;
      },
      get threads() {
        return pool.threads;
      },
      run: (job, onEvent) =>
        (isFree(job, base.rulebook.settings) ? base.free : pool).run(job, onEvent),
      drain: () => pool.drain(),
      async close() {
        await pool.close();
        base.close();
      },
    },
  };
}

interface Base {
  readonly registry: Registry;
  readonly plugins: PluginRegistry;
  readonly rulebook: Rulebook;
  readonly boundaries: Boundaries;
  readonly programs: () => ProgramSupport;
  readonly free: Runner;
  readonly engine: Omit<CommandEngine, "runner">;
  close(): void;
}

function createBase(
  { policies, workspace, audit, plugins: manifests = [] }: EngineOptions,
  parts: EngineParts,
): Base {
  const plugins = createPluginRegistry(parts.registry ?? createRegistry(), manifests);
  const { registry } = plugins;
  const compiled = compilePolicies(policies, registry);
  const rulebook = parts.rulebook?.(compiled) ?? compiled;
  let support: ProgramSupport | null = null;
  let files: Promise<FileBackend> | null = null;
  const programs = (): ProgramSupport => {
    if (support === null) throw new Error("a program was resolved before prepare()");
    return support;
  };
  const prepare = async (judging: Promise<void> | null, spawns: boolean): Promise<void> => {
    await judging;
    if (!spawns || support !== null) return;
    const { createProgramSupport } = await import("./programs/program_support.ts");
    const bubblewrap = await tryBubblewrap(rulebook.settings);
    support ??= createProgramSupport(rulebook, bubblewrap);
  };
  const boundaries = createBoundaries(rulebook, programs);
  return {
    registry,
    plugins,
    rulebook,
    boundaries,
    programs,
    free: createFreeRunner(rulebook, registry),
    engine: {
      registry,
      rulebook,
      resolver: createResolver(workspace, programs),
      metrics: new Metrics(),
      telemetry: parts.telemetry ?? null,
      arrivalOrder: new ArrivalOrder(),
      budgets: new Budgets(rulebook.tokensOf),
      approvals: new Approvals({ times: rulebook.settings.approvals, now: Date.now }),
      recorder: parts.recorder ?? recorderOf(rulebook.settings, audit),
      files: () => files ??= openFiles(),
      prepare(capabilities, tool) {
        const judging = rulebook.prepare(capabilities);
        const spawns = tool?.riskOfPrograms === true ||
          capabilities.some(({ kind }) => kind === "process.spawn");
        return judging === null && (!spawns || support !== null) ? null : prepare(judging, spawns);
      },
      async offered(agent) {
        const tools = await registry.list();
        const allowed = tools.filter((tool) => rulebook.offers(subjectOf(tool, agent)));
        const own = new Set(allowed.filter((tool) => !tool.standsFor).map(({ name }) => name));
        const names = new Set(
          allowed.filter(({ standsFor }) => standsFor?.tools.some((name) => own.has(name)) ?? true)
            .map(({ name }) => name),
        );
        return (await registry.catalogue.all()).filter(({ name }) => names.has(name));
      },
      policies,
      boundaryOf: boundaries.ofJob,
    },
    close: () => support?.close(),
  };
}

function recorderOf({ audit, workspace }: Settings, open: EngineOptions["audit"]): Recorder {
  return audit === null ? NO_RECORDER : open(audit, workspace);
}

/** Few judgements look at files; the others load nothing for it. */
async function openFiles(): Promise<FileBackend> {
  const { createFileBackend } = await import("../host/context.ts");
  return await createFileBackend(openLibc(), { write: false });
}

async function createPool(
  { policies }: EngineOptions,
  { permissionsOf = permissionSetOf }: EngineParts,
  { rulebook, programs, boundaries, plugins }: Base,
  boundaryOf: ConstructorParameters<typeof WorkerPool>[0]["boundaryOf"],
): Promise<WorkerPool> {
  const { WorkerPool } = await import("./pool/worker_pool.ts");
  return new WorkerPool({
    rulebook,
    policies,
    boundaryOf,
    permissionsOf: (boundary) => permissionsOf(withEmbedded(boundary)),
    plugins: () => plugins.manifests,
    programEnvironment: () => programs().programEnvironment,
    writing: () => boundaries.ofLane("write"),
    watch: (follow) => programs().watch(follow),
  });
}

/** Null where the policy does not want it. Tried once, in earnest: 10 ms. */
async function tryBubblewrap({ sandbox }: Settings): Promise<Bubblewrap | null> {
  if (sandbox.bubblewrap === "off") return null;
  const { detectBubblewrap } = await import("../sandbox/bubblewrap.ts");
  const { SYSTEM_PATHS } = await import("../sandbox/system_paths.ts");
  return await detectBubblewrap(sandbox.system ?? SYSTEM_PATHS);
}

/** A pool whose user has no loop to drain it in. */
function selfDraining(pool: WorkerPool): Runner {
  return {
    run(job, onEvent) {
      const running = pool.run(job, onEvent);
      void pool.drainUntil(running.outcome);
      return running;
    },
    close: () => pool.close(),
  };
}

/** A call on a runner that is being loaded. */
function deferred(loading: Promise<Runner>, job: Job, onEvent: (event: JobEvent) => void): Running {
  let running: Running | null = null;
  let cancelled = false;
  const start = async () => {
    running = (await loading).run(job, onEvent);
    if (cancelled) running.cancel();
    return await running.outcome;
  };
  return {
    outcome: start(),
    cancel() {
      cancelled = true;
      running?.cancel();
    },
  };
}
