/** Calls that wait for a thread of their lane, in the order in which they came. */

import type { Lane } from "./lanes.ts";
import type { PendingJob } from "./pool_thread.ts";

/** Calls that wait for a thread, in the order they came, a queue for each lane. */
export class JobQueues {
  readonly #queues = new Map<Lane, PendingJob[]>();

  add(lane: Lane, job: PendingJob): void {
    const queue = this.#queues.get(lane) ?? [];
    queue.push(job);
    this.#queues.set(lane, queue);
  }

  /** The first of a lane, which waits no longer. */
  next(lane: Lane): PendingJob | undefined {
    return this.#queues.get(lane)?.shift();
  }

  /** Takes one out of its line; whether it was there. */
  remove(job: PendingJob): boolean {
    for (const queue of this.#queues.values()) {
      const at = queue.indexOf(job);
      if (at === -1) continue;
      queue.splice(at, 1);
      return true;
    }
    return false;
  }

  /** All of a lane, or all there are: they wait no longer. */
  take(lane?: Lane): readonly PendingJob[] {
    const lanes = lane === undefined ? [...this.#queues.keys()] : [lane];
    const taken = lanes.flatMap((each) => this.#queues.get(each) ?? []);
    for (const each of lanes) this.#queues.delete(each);
    return taken;
  }

  /** A copy. */
  all(): readonly PendingJob[] {
    return [...this.#queues.values()].flat();
  }
}
