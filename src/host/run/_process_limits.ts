/** The limits that each program of a run begins with. */

import type { ProgramLimits } from "../../core/tool.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { mostOf } from "../../sandbox/launcher/privileges.ts";
import { NO_CORE, type ProcessLimits } from "../../sandbox/launcher/program_steps.ts";
import { ProcessTable } from "../kernel/process_table.ts";

/**
 * RLIMIT_NPROC counts all tasks of the user, and so is only there to stop what outruns being looked at: so many times
 * the policy's limit above what there is now. The kernel does not hold root to it.
 */
const ROOM = 16;
/** Seconds by which the kernel comes later than who can say why: its signal is SIGKILL like any other. */
const LATER_S = 2;
/** How long a count of all tasks is good for: it is a guess from the moment it was made. */
const COUNT_MS = 250;

/** What the limits of all runs of a thread have in common. */
export class LimitMaker {
  readonly #table: ProcessTable;
  readonly #most: ProcessLimits;
  #tasks: number | null = null;
  #counted = -Infinity;

  constructor(libc: Libc) {
    this.#table = new ProcessTable(libc);
    this.#most = {
      cpu: mostOf(libc, "cpu"),
      file: mostOf(libc, "file"),
      data: mostOf(libc, "data"),
      processes: mostOf(libc, "processes"),
      core: mostOf(libc, "core"),
      mark: mostOf(libc, "mark"),
    };
  }

  /** @param mark The number by which the run is known; null for none. */
  limits({ cpu, file, memory, processes }: ProgramLimits, mark: number | null): ProcessLimits {
    const tasks = this.#countTasks();
    const atMost = (name: keyof ProcessLimits, wanted: number): number =>
      Math.min(wanted, this.#most[name] ?? Infinity);
    return {
      cpu: atMost("cpu", Math.ceil(cpu / 1000) + LATER_S),
      file: atMost("file", file),
      // Without /proc nobody sees what all of them take: then each has the limit for itself.
      data: tasks === null ? atMost("data", memory) : null,
      processes: tasks === null ? null : atMost("processes", tasks + processes * ROOM),
      core: atMost("core", NO_CORE),
      mark: mark !== null && atMost("mark", mark) === mark ? mark : null,
    };
  }

  /** Null where /proc is not there. */
  #countTasks(): number | null {
    const now = performance.now();
    if (now - this.#counted < COUNT_MS) return this.#tasks;
    this.#counted = now;
    const tasks = this.#table.tasks();
    this.#tasks = tasks === 0 ? null : tasks;
    return this.#tasks;
  }
}
