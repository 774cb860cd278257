/** The pool of an engine's threads, loaded with the first call that needs one. */

import { withEmbedded } from "../../host/carried/carried.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { Preparation } from "../judge/preparation.ts";
import type { PluginRegistry } from "../plugin_registry.ts";
import type { Boundaries } from "./boundaries.ts";
import type { WorkerPool, WorkerPoolOptions } from "./worker_pool.ts";

/** What an engine's pool is made of. */
export interface PoolParts {
  readonly rulebook: Rulebook;
  readonly policies: readonly PlacedPolicy[];
  readonly plugins: PluginRegistry;
  readonly preparation: Preparation;
  readonly boundaries: Boundaries;
  /** The runtime's permissions of a thread, by what it may touch. */
  readonly permissionsOf: (boundary: Boundary) => Deno.PermissionOptions;
}

/** `boundaryOf`: what a thread of a lane may touch, now. */
export async function openPool(
  { rulebook, policies, plugins, preparation, boundaries, permissionsOf }: PoolParts,
  boundaryOf: WorkerPoolOptions["boundaryOf"],
): Promise<WorkerPool> {
  const { WorkerPool } = await import("./worker_pool.ts");
  return new WorkerPool({
    rulebook,
    policies,
    boundaryOf,
    permissionsOf: (boundary) => permissionsOf(withEmbedded(boundary)),
    plugins: () => plugins.manifests,
    programEnvironment: () => preparation.programs().programEnvironment,
    writing: () => boundaries.ofLane("write"),
    watch: (follow) => preparation.programs().watch(follow),
  });
}
