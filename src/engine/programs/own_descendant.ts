/** Whether a process is one that Toolgate itself has started: such a one is no caller, whatever user it is. */

import { hasEnded, ProcessTable } from "../../host/kernel/process_table.ts";
import { isAnyMark } from "../../host/kernel/run_marks.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { MARKER } from "./job_programs.ts";

/** Steps up to the first process: nobody nests programs so deep, and parents end while they are looked at. */
const MOST_PARENTS = 1_000;

/**
 * Tells it three ways: below this process, which reaps all that its programs orphan; by the mark that no program can
 * take off; by the variable that all inherit. A process that cannot be looked at any more counts as one: nobody
 * knows what it was.
 */
export function createDescendantProbe(libc: Libc): (pid: number) => boolean {
  const table = new ProcessTable(libc);
  const self = Deno.pid;
  // A gate that runs in a program of another Toolgate shares its marks with all that are there.
  const shared = isMarked(table, self);
  return (pid) => {
    let at = table.facts(pid);
    if (at === null || hasEnded(at)) return true;
    if (!shared && isMarked(table, pid)) return true;
    for (let looks = 0; looks < MOST_PARENTS && at !== null; looks++) {
      if (at.id === self) return pid !== self;
      if (at.parent <= 1) return at.parent === self;
      // A parent that ended just now: who takes its place is told anew.
      at = table.facts(at.parent) ?? table.facts(at.id);
    }
    return true;
  };
}

function isMarked(table: ProcessTable, pid: number): boolean {
  const mark = table.mark(pid);
  if (mark !== null && isAnyMark(mark)) return true;
  return table.environment(pid).split("\0").some((one) => one.startsWith(`${MARKER}=`));
}
