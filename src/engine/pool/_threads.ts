/** The threads of a pool: which there are, and how another is had. */

import type { ResultError } from "../../core/errors.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import { BegunThreads } from "./begun_threads.ts";
import { createBell } from "./channel.ts";
import type { Lane } from "./lanes.ts";
import {
  asResultError,
  type LaneBoundary,
  type PoolMemory,
  startThread,
  type Thread,
  type ThreadOptions,
} from "./pool_thread.ts";

/** What they are made of. */
export interface ThreadsOptions extends ThreadOptions {
  /** The runtime's set for a thread. */
  readonly permissionsOf: (boundary: Boundary) => Deno.PermissionOptions;
}

/** Those of all lanes. */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #memory: PoolMemory;
  readonly #onBroken: (thread: Thread) => void;
  readonly #all = new Set<Thread>();

  /** `onBroken`: one threw what nobody caught. */
  constructor(
    options: ThreadsOptions,
    { scanMemory, onBroken }: Pick<PoolMemory, "scanMemory"> & {
      readonly onBroken: (thread: Thread) => void;
    },
  ) {
    this.#options = options;
    this.#onBroken = onBroken;
    const begun = new BegunThreads(options.permissionsOf);
    this.#memory = { bell: createBell(), scanMemory, begun };
  }

  get all(): ReadonlySet<Thread> {
    return this.#all;
  }

  /** Rung by those that have said something. */
  get bell(): SharedArrayBuffer {
    return this.#memory.bell;
  }

  /** Those that may be given calls. */
  of(lane: Lane): readonly Thread[] {
    const found: Thread[] = [];
    for (const thread of this.#all) {
      if (thread.lane === lane && !thread.retired) found.push(thread);
    }
    return found;
  }

  /** Null where none can be had, which `refused` is told of. */
  start(
    lane: Lane,
    drawn: LaneBoundary & { readonly ahead?: boolean },
    refused: (error: ResultError) => void,
  ): Thread | null {
    try {
      const thread = startThread(this.#options, lane, drawn, this.#memory, this.#onBroken);
      this.#all.add(thread);
      return thread;
    } catch (error) {
      refused(asResultError(error));
      return null;
    }
  }

  /** Begins one before there is what its boundary names, where the lane has none. Throws RESOURCE_LIMIT. */
  begin(lane: Lane, { boundary }: LaneBoundary): void {
    if (this.of(lane).length === 0) this.#memory.begun.begin(lane, boundary);
  }

  /** See `BegunThreads`. */
  makeSpares(folder: string): void {
    this.#memory.begun.makeSpares(folder);
  }

  /** Whether it was among them, as it is not any more. */
  delete(thread: Thread): boolean {
    return this.#all.delete(thread);
  }

  /** Ends those that nobody has taken. */
  close(): void {
    this.#memory.begun.close();
  }
}
