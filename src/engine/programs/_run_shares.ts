/** The shares of one run: whose of them each process is, and what each, and all of them together, may use. */

import type { ProcessFacts, ProcessTable } from "../../host/kernel/process_table.ts";
import { jobOf, type RunShare, shareOf } from "../../host/kernel/run_marks.ts";
import type { ProgramLimit } from "../../core/tool.ts";
import { ProcessorTime } from "./_processor_time.ts";

/** Threads, as processes go: a runtime has a dozen without being asked. */
const THREADS_A_PROCESS = 32;
/** USER_HZ: a clock tick for /proc is 10 ms on both architectures (time(7)). */
const TICK_MS = 10;

/** The most of one limit, and the share that gives it. */
interface Most {
  readonly most: number;
  readonly share: number;
}

/** The processes of a run, and those that have ended and nobody has waited for. */
export interface RunProcesses {
  readonly processes: readonly ProcessFacts[];
  readonly ended: readonly ProcessFacts[];
}

/** Whether processes hold more memory than this. */
type IsOver = (processes: readonly ProcessFacts[], memory: number) => boolean;

/** Tells a run's programs apart by what they may use, and says what went over. */
export class RunShares {
  readonly #table: ProcessTable;
  readonly #token: number;
  readonly #shares = new Map<number, RunShare>();
  /** By the number of the program that leads a group. */
  readonly #leaders = new Map<number, number>();
  /** A process never changes its share, nor do those that it starts. */
  #known = new Map<number, { readonly began: number; readonly share: number }>();
  /** Of each share, and of all. */
  readonly #processors = new Map<number | "all", ProcessorTime>();

  /** `token`: see `markOf`. */
  constructor(table: ProcessTable, token: number) {
    this.#table = table;
    this.#token = token;
  }

  /** A program that leads a group has this share. */
  add(leader: number, share: RunShare): void {
    this.#shares.set(share.number, share);
    this.#leaders.set(leader, share.number);
  }

  /** What all of them may use together: as much as the widest of them. */
  widest(): Readonly<Record<ProgramLimit, Most>> {
    const most = (limit: ProgramLimit): Most =>
      [...this.#shares.values()].reduce<Most>(
        (before, share) =>
          share[limit] > before.most ? { most: share[limit], share: share.number } : before,
        { most: 0, share: 0 },
      );
    return { memory: most("memory"), processes: most("processes"), cpu: most("cpu") };
  }

  /** The first limit that is gone over; null for none. */
  exceeded(
    { processes, ended }: RunProcesses,
    isOver: IsOver,
  ): { readonly limit: ProgramLimit; readonly share: number } | null {
    const widest = this.widest();
    const all = { processes, ended };
    const limit = this.#over("all", all, {
      memory: widest.memory.most,
      processes: widest.processes.most,
      cpu: widest.cpu.most,
    }, isOver);
    if (limit !== null) return { limit, share: widest[limit].share };
    if (this.#shares.size < 2) return null;
    const shares = this.#sharesOf([...processes, ...ended]);
    for (const share of this.#shares.values()) {
      // What shows nothing of whose it is could be anybody's.
      const own = (some: readonly ProcessFacts[]) =>
        some.filter(({ id }) => (shares.get(id) ?? share.number) === share.number);
      const limit = this.#over(
        share.number,
        { processes: own(processes), ended: own(ended) },
        share,
        isOver,
      );
      if (limit !== null) return { limit, share: share.number };
    }
    return null;
  }

  #over(
    of: number | "all",
    { processes, ended }: RunProcesses,
    most: Readonly<Record<ProgramLimit, number>>,
    isOver: IsOver,
  ): ProgramLimit | null {
    const threads = processes.reduce((total, facts) => total + facts.threads, 0);
    if (processes.length + ended.length > most.processes) return "processes";
    if (threads > most.processes * THREADS_A_PROCESS) return "processes";
    const time = this.#processors.get(of) ?? new ProcessorTime();
    this.#processors.set(of, time);
    if (time.ticks([...processes, ...ended]) * TICK_MS > most.cpu) return "cpu";
    return isOver(processes, most.memory) ? "memory" : null;
  }

  #sharesOf(processes: readonly ProcessFacts[]): ReadonlyMap<number, number> {
    const known = new Map<number, { readonly began: number; readonly share: number }>();
    for (const facts of processes) {
      const before = this.#known.get(facts.id);
      if (before?.began === facts.began) {
        known.set(facts.id, before);
        continue;
      }
      const share = this.#shareOf(facts);
      if (share !== null) known.set(facts.id, { began: facts.began, share });
    }
    this.#known = known;
    return new Map([...known].map(([id, { share }]) => [id, share]));
  }

  /** By the mark, which none can take off; by its session and group where marks cannot be set. */
  #shareOf({ id, session, group }: ProcessFacts): number | null {
    const mark = this.#table.mark(id);
    if (mark !== null && jobOf(mark, this.#token) !== null) return shareOf(mark);
    return this.#leaders.get(id) ?? this.#leaders.get(session) ?? this.#leaders.get(group) ?? null;
  }
}
