/** The time of processors that the programs of one run take: of those that have ended, too. */

import type { ProcessFacts } from "../../host/kernel/process_table.ts";

/**
 * A process counts the time of its children once it has waited for them: nobody does for those of who ignores that they end
 * (SIGCHLD, wait(2)) or has ended before them. Each is as much as was seen of it, and what nobody has seen is what was waited
 * for: of the two the larger is never more than was taken.
 */
export class ProcessorTime {
  readonly #seen = new Map<number, Pick<ProcessFacts, "began" | "ownTicks">>();
  #total = 0;

  /** Clock ticks so far, with those of the processes that there are now. */
  ticks(processes: readonly ProcessFacts[]): number {
    let waited = 0;
    for (const { id, began, ticks, ownTicks } of processes) {
      const before = this.#seen.get(id);
      this.#total += ownTicks - (before?.began === began ? before.ownTicks : 0);
      this.#seen.set(id, { began, ownTicks });
      waited += ticks;
    }
    return Math.max(this.#total, waited);
  }
}
