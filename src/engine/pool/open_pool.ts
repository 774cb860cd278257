/** What runs an engine's calls, loaded with the first call that needs it: the pool of its threads, and programs alone. */

import { withEmbedded } from "../../host/carried/carried.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Rulebook, Settings } from "../../policy/rulebook.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { Preparation } from "../judge/preparation.ts";
import type { PluginRegistry } from "../plugin_registry.ts";
import type { DirectRunner } from "../programs/direct_runner.ts";
import { type Job, startsPrograms } from "../runner.ts";
import type { Boundaries } from "./boundaries.ts";
import { filesFromSource } from "./carried_files.ts";
import type { WorkerPoolOptions } from "./pool_options.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** What an engine's pool is made of. */
export interface PoolParts {
  readonly rulebook: Rulebook;
  /** As the policies have it, whatever judges: what programs that hold themselves are held by. */
  readonly compiled: Rulebook;
  readonly policies: readonly PlacedPolicy[];
  readonly plugins: PluginRegistry;
  readonly preparation: Preparation;
  readonly boundaries: Boundaries;
  /** Numbers jobs, each of this process once, whoever runs it. */
  readonly number: () => number;
  /** The runtime's permissions of a thread, by what it may touch. */
  readonly permissionsOf: (boundary: Boundary) => Deno.PermissionOptions;
}

/** `boundaryOf`: what a thread of a lane may touch, now. */
export async function openPool(
  { rulebook, policies, plugins, preparation, boundaries, number, permissionsOf }: PoolParts,
  boundaryOf: WorkerPoolOptions["boundaryOf"],
): Promise<WorkerPool> {
  const { WorkerPool } = await import("./worker_pool.ts");
  const source = await filesFromSource();
  return new WorkerPool({
    rulebook,
    policies,
    boundaryOf,
    number,
    permissionsOf: (boundary) => permissionsOf(withEmbedded(boundary, source)),
    plugins: () => plugins.manifests,
    programEnvironment: () => preparation.programs().programEnvironment,
    writing: () => boundaries.ofLane("write"),
    watch: (follower) => preparation.programs().watch(follower),
  });
}

/** What runs, on this very thread, calls that only start a program; null where that cannot be. */
export async function openDirectRunner(
  { compiled: rulebook, plugins, preparation, number }: PoolParts,
): Promise<DirectRunner | null> {
  const { DirectRunner } = await import("../programs/direct_runner.ts");
  await rulebook.prepare([{ kind: "process.spawn" }]);
  const { registry } = plugins;
  return DirectRunner.open({ rulebook, registry, programs: preparation.programs(), number });
}

/** Whether a call takes nothing of its thread but to start a program, and so no thread of its own. */
export function isDirect(job: Job, { sandbox }: Settings): boolean {
  // What somebody follows may come faster than he reads: threads know how to wait for him.
  return startsPrograms(job) && !job.stream && sandbox.bubblewrap === "off" &&
    job.tool.startsOne?.(job.input) === true;
}
