/** Puts an engine together: the registry, the rulebook, what resolves paths and programs, and what runs. */

import type { CanonicalPath } from "../core/capability.ts";
import type { ToolDescription } from "../core/tool.ts";
import { createProgramFinder } from "../host/programs.ts";
import { killGroup } from "../host/processes.ts";
import type { PlacedPolicy } from "../policy/compile.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { permissionSetOf } from "../sandbox/permission_set.ts";
import { SYSTEM_PATHS } from "../sandbox/system_paths.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { compilePolicies } from "./compile_policies.ts";
import { createBoundaries } from "./boundaries.ts";
import { type Engine, subjectOf } from "./execute.ts";
import { createFreeRunner, isFree } from "./free_runner.ts";
import { createInlineRunner } from "./inline_runner.ts";
import { Metrics } from "./metrics.ts";
import { removeSurroundings, surroundingsOf } from "./surroundings.ts";
import { createResolver } from "./resolve.ts";
import type { Job, StayingRunner } from "./runner.ts";
import type { ProgramSurroundings } from "./thread_parts.ts";
import { WorkerPool } from "./worker_pool.ts";

export interface EngineOptions {
  readonly policies: readonly PlacedPolicy[];
  readonly workspace: CanonicalPath;
  /** The runtime's baked permissions are the policy's own. */
  readonly sealed: boolean;
  /** `once`: one call, each layer drawn from its grant. `stay`: many, drawn from what the policy can allow. */
  readonly life: "once" | "stay";
}

/** What an engine is made of where it is not the usual: for builds that try the layers one by one. */
export interface EngineParts {
  readonly registry?: Registry;
  readonly rulebook?: (rulebook: Rulebook) => Rulebook;
  readonly permissionsOf?: (boundary: Boundary) => Deno.PermissionOptions;
}

/** An engine, and what its commands need beside the way through. */
export interface CommandEngine extends Engine {
  readonly runner: StayingRunner;
  /** Starts the thread that most calls need ahead of the first. */
  warm(): void;
  /** Takes in what threads say until `done` settles. */
  follow(done: Promise<unknown>): Promise<void>;
  /** The tools that the policy could allow the agent. */
  offered(agent: string): Promise<readonly ToolDescription[]>;
}

export function createEngine(options: EngineOptions, parts: EngineParts = {}): CommandEngine {
  const { policies, workspace, sealed, life } = options;
  const registry = parts.registry ?? createRegistry();
  const compiled = compilePolicies(policies, registry);
  const rulebook = parts.rulebook?.(compiled) ?? compiled;
  let made: ProgramSurroundings | null = null;
  const surroundings = () => made ??= surroundingsOf(rulebook.settings);
  const programs = createProgramFinder(workspace, rulebook.settings.sandbox.system ?? SYSTEM_PATHS);
  const boundaries = createBoundaries(rulebook, programs, surroundings);
  const pool = new WorkerPool({
    rulebook,
    policies,
    boundaryOf: (lane, job) =>
      life === "stay" || job === null
        ? boundaries.ofLane(lane)
        : { boundary: boundaries.ofJob(job), state: "once" },
    permissionsOf: parts.permissionsOf ?? permissionSetOf,
    surroundings,
    killGroup,
  });
  const free = createFreeRunner(rulebook, registry);
  const inline = createInlineRunner({
    rulebook,
    registry,
    boundaryOf: boundaries.ofJob,
    surroundings,
  });
  const runnerFor = (job: Job) => {
    if (isFree(job)) return free;
    // A thread can be ended when its call overruns; the main thread cannot.
    return sealed && life === "once" && job.tool.long !== true ? inline : pool;
  };
  const runner: StayingRunner = {
    bell: pool.bell,
    get running() {
      return pool.running;
    },
    get threads() {
      return pool.threads;
    },
    run: (job, onEvent) => runnerFor(job).run(job, onEvent),
    drain: () => pool.drain(),
    async close() {
      await pool.close();
      if (made !== null) removeSurroundings(made);
    },
  };
  return {
    registry,
    rulebook,
    runner,
    resolver: createResolver(workspace, programs),
    metrics: new Metrics(),
    warm: () => pool.warm("read"),
    follow: (done) => pool.drainUntil(done),
    async offered(agent) {
      const tools = await registry.list();
      const names = new Set(
        tools.filter((tool) => rulebook.offers(subjectOf(tool, agent))).map(({ name }) => name),
      );
      return (await registry.catalogue.all()).filter(({ name }) => names.has(name));
    },
  };
}
