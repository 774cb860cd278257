/** Puts engines together: for one call, with no more loaded than that call takes, and for many. */

import type { CanonicalPath } from "../core/capability.ts";
import type { ToolDescription } from "../core/tool.ts";
import type { PlacedPolicy } from "../policy/compile_lazily.ts";
import { withEmbedded } from "../host/carried.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { permissionSetOf } from "../sandbox/permission_set.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { type Boundaries, createBoundaries } from "./boundaries.ts";
import { compilePolicies } from "./compile_policies.ts";
import { type Engine, subjectOf } from "./execute.ts";
import { createFreeRunner, isFree } from "./free_runner.ts";
import { Metrics } from "./metrics.ts";
import { Turns } from "./turns.ts";
import type { ProgramSupport } from "./program_support.ts";
import { createResolver } from "./resolve.ts";
import type { Job, JobEvent, Runner, Running, StayingRunner } from "./runner.ts";
import type { WorkerPool } from "./worker_pool.ts";

export interface EngineOptions {
  readonly policies: readonly PlacedPolicy[];
  readonly workspace: CanonicalPath;
  /** The runtime's baked permissions are the policy's own. */
  readonly sealed: boolean;
}

/** What an engine is made of where it is not the usual: for builds that try the layers one by one. */
export interface EngineParts {
  readonly registry?: Registry;
  readonly rulebook?: (rulebook: Rulebook) => Rulebook;
  readonly permissionsOf?: (boundary: Boundary) => Deno.PermissionOptions;
}

/** An engine, and what its commands need beside the way through. */
export interface CommandEngine extends Engine {
  /** The tools that the policy could allow the agent. */
  offered(agent: string): Promise<readonly ToolDescription[]>;
}

/** An engine of many calls. */
export interface StayingEngine extends CommandEngine {
  readonly runner: StayingRunner;
  /** Starts the thread that most calls need ahead of the first. */
  warm(): void;
}

/** The engine of one call: each layer is drawn from the call's grant. */
export function createEngine(options: EngineOptions, parts: EngineParts = {}): CommandEngine {
  const base = createBase(options, parts);
  const { rulebook, registry, boundaries, programs } = base;
  let pool: WorkerPool | null = null;
  const load = async (job: Job): Promise<Runner> => {
    // A sealed build's permissions are the policy's without a thread, whose start takes as long as the program's.
    // Calls that may overrun get one all the same: a thread can be ended, the main thread cannot.
    if (options.sealed && job.tool.long !== true) {
      const { createInlineRunner } = await import("./inline_runner.ts");
      return createInlineRunner({ rulebook, registry, boundaryOf: boundaries.ofJob, programs });
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
  const pool = await createPool(options, parts, base, (lane) => base.boundaries.ofLane(lane));
  return {
    ...base.engine,
    warm: () => pool.warm("read", base.boundaries.ofLane("read")),
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
  readonly rulebook: Rulebook;
  readonly boundaries: Boundaries;
  readonly programs: () => ProgramSupport;
  readonly free: Runner;
  readonly engine: Omit<CommandEngine, "runner">;
  close(): void;
}

function createBase({ policies, workspace }: EngineOptions, parts: EngineParts): Base {
  const registry = parts.registry ?? createRegistry();
  const compiled = compilePolicies(policies, registry);
  const rulebook = parts.rulebook?.(compiled) ?? compiled;
  let support: ProgramSupport | null = null;
  const programs = (): ProgramSupport => {
    if (support === null) throw new Error("a program was resolved before prepare()");
    return support;
  };
  const prepare = async (judging: Promise<void> | null, spawns: boolean): Promise<void> => {
    await judging;
    if (!spawns || support !== null) return;
    const { createProgramSupport } = await import("./program_support.ts");
    support ??= createProgramSupport(rulebook);
  };
  return {
    registry,
    rulebook,
    boundaries: createBoundaries(rulebook, programs),
    programs,
    free: createFreeRunner(rulebook, registry),
    engine: {
      registry,
      rulebook,
      resolver: createResolver(workspace, programs),
      metrics: new Metrics(),
      turns: new Turns(),
      prepare(capabilities) {
        const judging = rulebook.prepare(capabilities);
        const spawns = capabilities.some(({ kind }) => kind === "process.spawn");
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
    },
    close: () => support?.close(),
  };
}

async function createPool(
  { policies }: EngineOptions,
  { permissionsOf = permissionSetOf }: EngineParts,
  { rulebook, programs }: Base,
  boundaryOf: ConstructorParameters<typeof WorkerPool>[0]["boundaryOf"],
): Promise<WorkerPool> {
  const { WorkerPool } = await import("./worker_pool.ts");
  return new WorkerPool({
    rulebook,
    policies,
    boundaryOf,
    permissionsOf: (boundary) => permissionsOf(withEmbedded(boundary)),
    surroundings: () => programs().surroundings,
    killGroup: (id) => programs().killGroup(id),
  });
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
