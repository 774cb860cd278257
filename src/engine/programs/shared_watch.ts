/** The one watch over all programs of this process, for everybody here who starts some. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Spawner } from "../../sandbox/spawner.ts";
import type { ProcessWatch, ProcessWatchOptions } from "./process_watch.ts";

/** Who starts programs: asked for what is under way, and told what went too far. */
export type Follower = Pick<ProcessWatchOptions, "isUnderWay" | "onExceeded">;

/** System calls of the thread that watches. */
export interface WatchKernel {
  readonly libc: Libc;
  readonly spawner: Spawner;
}

/** Makes the watch; `kernel` where the first follower has it on this thread already. Null where there can be none. */
export type OpenWatch = (follower: Follower, kernel: WatchKernel | null) => ProcessWatch | null;

/** What a follower does with the watch. Jobs of all followers have numbers of their own. */
export type SharedWatch = Pick<
  ProcessWatch,
  "begin" | "endLeft" | "abandon" | "settle" | "close"
>;

/** Opens the watch with the first follower, and closes it with the last. */
export class WatchSharing {
  readonly #open: OpenWatch;
  readonly #followers = new Set<Follower>();
  #watch: ProcessWatch | null = null;

  constructor(open: OpenWatch) {
    this.#open = open;
  }

  /** Null where programs cannot be watched. */
  join(follower: Follower, kernel: WatchKernel | null = null): SharedWatch | null {
    this.#watch ??= this.#open({
      isUnderWay: (isJob) => [...this.#followers].some((one) => one.isUnderWay(isJob)),
      onExceeded: (job, limit, share) => {
        for (const one of this.#followers) one.onExceeded(job, limit, share);
      },
    }, kernel);
    const watch = this.#watch;
    if (watch === null) return null;
    this.#followers.add(follower);
    return {
      begin: (job, leader, share, isOnItsWay) => watch.begin(job, leader, share, isOnItsWay),
      endLeft: (job) => watch.endLeft(job),
      abandon: (job) => watch.abandon(job),
      settle: (job) => watch.settle(job),
      close: () => {
        if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
        this.#watch = null;
        watch.close();
      },
    };
  }
}
