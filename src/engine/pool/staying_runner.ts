/** Runs the calls of a process that stays: each layer is drawn from what the policy can allow. */

import { entryType } from "../../host/paths/entry_type.ts";
import { isWithin } from "../../sandbox/within.ts";
import { isFree } from "../_free_runner.ts";
import type { DirectRunner } from "../programs/direct_runner.ts";
import type { Job, Runner, StayingRunner } from "../runner.ts";
import { deferred } from "./_deferred.ts";
import type { Lane } from "./lanes.ts";
import { isDirect, openDirectRunner, openPool, type PoolParts } from "./open_pool.ts";
import type { LaneBoundary } from "./pool_thread.ts";
import { runningAgain } from "./_run_again.ts";

/** A runner whose first thread can be started ahead. */
export interface WarmRunner extends StayingRunner {
  /** Starts the thread that most calls need ahead of the first. */
  warm(): void;
  /** Begins that one, and the one that starts programs, where there is no workspace yet. */
  begin(): Promise<void>;
  /** Has the one that starts programs make ahead what those may become that are made in this folder: it is there by now. */
  makeSpares(folder: string): void;
  /**
   * Starts the one that starts programs as soon as there is all that holds it, of these folders: they are being made. Whether
   * it is so.
   */
  bind(made: readonly string[]): boolean;
}

/** `free`: for calls that need no power at all. */
export async function createStayingRunner(parts: PoolParts, free: Runner): Promise<WarmRunner> {
  const { boundaries, plugins, preparation, rulebook } = parts;
  const { settings } = rulebook;
  // Its threads know the tools that there were when they began, and tell of them where get_help runs there.
  const drawn = (lane: Lane, job?: Job): LaneBoundary => {
    const { boundary, state } = boundaries.ofLane(lane, job);
    return { boundary, state: lane === "read" ? `${plugins.version} ${state}` : state };
  };
  const pool = await openPool(parts, drawn);
  const runOnThread = runningAgain((job, onEvent) => pool.run(job, onEvent), boundaries.learn);
  let direct: DirectRunner | null | "unopened" = "unopened";
  /** What runs a call where it is, of which the first has to wait for it to be loaded. */
  const directFor = (job: Job): DirectRunner | Promise<Pick<Runner, "run">> | null => {
    if (!isDirect(job, settings) || direct === null) return null;
    if (direct !== "unopened") return direct.takes(job) ? direct : null;
    return openDirectRunner(parts).then((opened) => {
      if (direct === "unopened") direct = opened;
      return direct?.takes(job) === true ? direct : pool;
    });
  };
  /** Calls that wait for it. */
  let deferredCalls = 0;
  return {
    bell: pool.bell,
    get queued() {
      return pool.queued + (direct === "unopened" ? 0 : direct?.queued ?? 0);
    },
    get running() {
      return pool.running + deferredCalls + (direct === "unopened" ? 0 : direct?.running ?? 0);
    },
    get threads() {
      return pool.threads;
    },
    run(job, onEvent) {
      if (isFree(job, settings)) return free.run(job, onEvent);
      const here = directFor(job);
      if (here === null) return runOnThread(job, onEvent);
      if (!(here instanceof Promise)) return here.run(job);
      deferredCalls++;
      const loaded = here.finally(() => deferredCalls--);
      return deferred(loaded, job, onEvent);
    },
    answersSoon(ms) {
      if (direct === "unopened" || direct === null || direct.running === 0) {
        return pool.bell.waitBlocking(ms);
      }
      return pool.running === 0 && direct.answersSoon();
    },
    drain: () => pool.drain(),
    async close() {
      if (direct !== "unopened") await direct?.close();
      await pool.close();
      preparation.close();
    },
    warm: () => pool.warm("read", drawn("read")),
    async begin() {
      await preparation.prepare([{ kind: "process.spawn", argv: [], cwd: "." }]);
      for (const lane of ["spawn", "read"] as const) pool.begin(lane, drawn(lane));
    },
    makeSpares: (folder) => pool.makeSpares(folder),
    bind(made) {
      const { read, write } = rulebook.scope;
      // The kernel's rules are about what is there, and stay so: a file may be another a moment later.
      const isHeld = [...read, ...write].every((path) =>
        !made.some((folder) => isWithin(folder, path)) || entryType(path) === "directory"
      );
      if (isHeld) pool.warm("spawn", drawn("spawn"));
      return isHeld;
    },
  };
}
