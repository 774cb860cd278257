/** Runs the calls of a process that stays: each layer is drawn from what the policy can allow. */

import { isFree } from "../_free_runner.ts";
import type { Job, Runner, StayingRunner } from "../runner.ts";
import type { Lane } from "./lanes.ts";
import { openPool, type PoolParts } from "./open_pool.ts";
import type { LaneBoundary } from "./pool_thread.ts";

/** A runner whose first thread can be started ahead. */
export interface WarmRunner extends StayingRunner {
  /** Starts the thread that most calls need ahead of the first. */
  warm(): void;
}

/** `free`: for calls that need no power at all. */
export async function createStayingRunner(parts: PoolParts, free: Runner): Promise<WarmRunner> {
  const { boundaries, plugins, preparation, rulebook: { settings } } = parts;
  // Its threads know the tools that there were when they began, and tell of them where get_help runs there.
  const drawn = (lane: Lane, job?: Job): LaneBoundary => {
    const { boundary, state } = boundaries.ofLane(lane, job);
    return { boundary, state: lane === "read" ? `${plugins.version} ${state}` : state };
  };
  const pool = await openPool(parts, drawn);
  return {
    bell: pool.bell,
    get queued() {
      return pool.queued;
    },
    get running() {
      return pool.running;
    },
    get threads() {
      return pool.threads;
    },
    run: (job, onEvent) => (isFree(job, settings) ? free : pool).run(job, onEvent),
    drain: () => pool.drain(),
    async close() {
      await pool.close();
      preparation.close();
    },
    warm: () => pool.warm("read", drawn("read")),
  };
}
