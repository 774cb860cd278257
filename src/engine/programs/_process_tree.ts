/**
 * Whose the processes below this one are: found by their parents, sessions and environments, however often they
 * fork. This process is the reaper of all that its programs orphan (PR_SET_CHILD_SUBREAPER, prctl(2)), so that
 * whatever they start is found below it.
 */

import { hasEnded, type ProcessFacts, ProcessTable } from "../../host/kernel/process_table.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { isJobOf, jobOf } from "../../host/kernel/run_marks.ts";
import { MARKER } from "./job_programs.ts";

/** include/uapi/linux/prctl.h */
const PR_SET_CHILD_SUBREAPER = 36;
/** P_PID, WNOHANG | WEXITED | __WNOTHREAD (waitid(2), include/uapi/linux/wait.h) */
const P_PID = 1;
const ORPHAN_EXITED = 1 | 4 | 0x20000000;
/** Steps up to the process itself: nobody nests programs so deep, and parents end while they are looked at. */
const MOST_LOOKS = 1_000;
/**
 * A program that is being started is a copy of this process for some microseconds of processor time, and then shows no
 * environment for some: what looks so and has had a clock tick is soon known to be neither. One that had none may wait
 * for a processor, on a busy machine for long; below `KILLED_MS` of who waits for the end of what is left.
 */
const COPY_MS = 1_000;
const START_MS = 100;
const WAITING_MS = 1_500;
/** More numbers than these in between are not tried one by one. */
const FEW_NUMBERS = 64;

/**
 * A run's, by the number of its job; Toolgate's own; somebody else's, whom nobody here has started; a program's that
 * has taken away all by which to tell whose; or one that may only just be starting.
 */
type Owner = number | "own" | "foreign" | "stray" | "unsure";

/** A process that a program has started. */
export interface FoundProcess {
  readonly facts: ProcessFacts;
  readonly owner: number | "stray" | "unsure";
}

/** What a run is known by. */
export interface KnownRun {
  readonly job: number;
  /** The programs that it started, each at the head of a group and a session. */
  readonly leaders: ReadonlySet<number>;
}

/** How the processes of runs are told from others. */
export interface ProcessTreeOptions {
  readonly libc: Libc;
  /** See `ProgramEnvironment`. */
  readonly marker: string;
  readonly token: number;
  readonly runs: ReadonlyMap<number, KnownRun>;
  /** Whether such a job that starts programs is under way, of which nothing may have been told yet. */
  readonly isUnderWay: (isJob: (job: number) => boolean) => boolean;
}

/** The variable of the environment that marks what a run starts too: all that inherits it. */
export function isMarked(environment: string, marker: string): boolean {
  return valueIn(environment, MARKER)?.split(".")[0] === marker;
}

/** The processes of all runs, and whose each is. */
export class ProcessTree {
  readonly table: ProcessTable;
  readonly #options: ProcessTreeOptions;
  /** Processes of runs as they were last seen. */
  #known = new Map<number, { readonly job: number; readonly began: number }>();
  /** Those that belong to nobody here, until their numbers may be given anew. */
  readonly #foreign = new Set<number>();
  /** Processes of Toolgate itself that lead sessions of their own. */
  readonly #own = new Set<number>();
  /** Processes that show nothing of whose they are, and when that was first seen. */
  readonly #suspects = new Map<number, { readonly began: number; readonly seen: number }>();
  readonly #self = Deno.pid;
  readonly #session: number;
  readonly #executable: string | null;
  readonly #mostNumber: number;
  #passed = 0;

  constructor(options: ProcessTreeOptions) {
    const { libc } = options;
    this.#options = options;
    this.table = new ProcessTable(libc);
    libc.call(libc.numbers.prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    this.#session = this.table.facts(this.#self)?.session ?? 0;
    this.#executable = this.table.executable(this.#self);
    this.#mostNumber = this.table.mostNumber();
  }

  /** A process that is Toolgate's own. */
  keep(id: number): void {
    this.#own.add(id);
  }

  /** Children of this thread, Toolgate's own left out; null where that is not told. */
  children(): readonly number[] | null {
    return this.table.children(this.#self)?.filter((id) => !this.#own.has(id)) ?? null;
  }

  /** Nothing runs. What is foreign must be found out anew: numbers are given unseen from now on. */
  forget(): void {
    this.#known.clear();
    this.#suspects.clear();
    this.#foreign.clear();
  }

  /** How many numbers were given between two that were. */
  given(before: number, last: number): number {
    return (last - before + this.#mostNumber) % this.#mostNumber;
  }

  /**
   * So many numbers were given: one is given again only when all others have been, and long before that nothing is
   * known of any.
   */
  passed(given: number): void {
    this.#passed += given;
    if (this.#passed < this.#mostNumber / 2) return;
    this.#passed = 0;
    this.#foreign.clear();
  }

  /**
   * Shows all that programs have started. `showEnded`: what has ended of it, and who started it has not waited for. It has its
   * number as long as that one lives. `from`: where that is the first number of all that is meant, nothing before it is
   * looked at.
   */
  visitAll(
    show: (found: FoundProcess) => void,
    showEnded: ((found: FoundProcess) => void) | null = null,
    from: number | null = null,
  ): void {
    const before = this.#known;
    this.#known = new Map();
    const numbers = this.table.list();
    const last = from === null ? null : this.table.last();
    const meant = from === null || last === null
      ? numbers
      : numbers.filter((id) => this.given(from, id) <= this.given(from, last));
    this.#visit(meant, before, show, showEnded);
  }

  /** As `visitAll`, of those that were started since this one, its number included in none. */
  visitSince(first: number, show: (found: FoundProcess) => void): void {
    const last = this.table.last();
    if (last === null) return;
    const distance = this.given(first, last);
    const numbers = distance <= FEW_NUMBERS
      ? Array.from({ length: distance }, (_, index) => (first + 1 + index) % this.#mostNumber)
      : this.table.list().filter((id) => id !== first && this.given(first, id) <= distance);
    this.#visit(numbers, this.#known, show, null);
  }

  /** Reaps what has ended. */
  #visit(
    numbers: readonly number[],
    before: ReadonlyMap<number, { readonly job: number; readonly began: number }>,
    show: (found: FoundProcess) => void,
    showEnded: ((found: FoundProcess) => void) | null,
  ): void {
    const seen = new Map<number, ProcessFacts>();
    for (const id of numbers) {
      if (id === this.#self || this.#own.has(id) || this.#foreign.has(id)) continue;
      const facts = this.table.facts(id);
      if (facts === null) continue;
      const ended = hasEnded(facts);
      if (ended) this.#reap(facts);
      // Of those that end as children of this process it is this process that knows.
      if (ended && (showEnded === null || facts.parent === this.#self)) continue;
      seen.set(id, facts);
      const known = before.get(id);
      const owner = known?.began === facts.began ? known.job : this.#ownerOf(facts, seen);
      if (owner === "foreign") this.#foreign.add(id);
      if (typeof owner === "number") {
        this.#known.set(id, { job: owner, began: facts.began });
      }
      if (owner === "foreign" || owner === "own") continue;
      if (ended) showEnded?.({ facts, owner });
      else show({ facts, owner });
    }
  }

  #ownerOf(facts: ProcessFacts, others: ReadonlyMap<number, ProcessFacts>): Owner {
    let looks = 0;
    for (let at: ProcessFacts | null = facts; at !== null && looks < MOST_LOOKS; looks++) {
      const known = this.#known.get(at.id);
      if (known !== undefined && known.began === at.began) return known.job;
      for (const { job, leaders } of this.#options.runs.values()) {
        if (leaders.has(at.session) || leaders.has(at.group) || leaders.has(at.id)) return job;
      }
      if (at.parent === this.#self) return this.#ownerOfChild(at);
      if (at.parent <= 1) return "foreign";
      const parent: ProcessFacts | null = others.get(at.parent) ?? this.table.facts(at.parent);
      // It ended just now: who takes its place is told anew.
      at = parent ?? this.table.facts(at.id);
    }
    return "own";
  }

  /** Of a child of this process: started by it, or orphaned by a program. */
  #ownerOfChild(child: ProcessFacts): Owner {
    const { id, session } = child;
    // What Toolgate itself starts stays in its session; a program in the making is still Toolgate.
    if (session === this.#session || this.#own.has(id)) return "own";
    const executable = this.table.executable(id);
    if (executable !== null && executable === this.#executable) {
      return this.#suspicious(child, COPY_MS);
    }
    const { token, marker } = this.#options;
    const mark = this.table.mark(id);
    const marked = mark === null ? null : jobOf(mark, token);
    if (marked !== null) return this.#runOf((job) => isJobOf(job, marked));
    const environment = this.table.environment(id);
    const [named, word] = valueIn(environment, MARKER)?.split(".") ?? [];
    if (named === marker) return this.#runOf((job) => job === Number(word));
    return environment === "" ? this.#suspicious(child, START_MS) : "stray";
  }

  /** The run of such a job; "own" where its thread has not told of it yet, "stray" where it is over. */
  #runOf(isJob: (job: number) => boolean): Owner {
    const { runs, isUnderWay } = this.#options;
    for (const job of runs.keys()) if (isJob(job)) return job;
    return isUnderWay(isJob) ? "own" : "stray";
  }

  #suspicious({ id, began, ticks }: ProcessFacts, ms: number): "stray" | "unsure" {
    const suspect = this.#suspects.get(id);
    const now = performance.now();
    if (suspect?.began === began) {
      return now - suspect.seen >= (ticks === 0 ? WAITING_MS : ms) ? "stray" : "unsure";
    }
    this.#suspects.set(id, { began, seen: now });
    return "unsure";
  }

  /** Orphans are children of this thread; what a run has started, that one waits for. */
  #reap({ id, parent, session }: ProcessFacts): void {
    if (parent !== this.#self || session === this.#session) return;
    const { libc, runs } = this.#options;
    for (const { leaders } of runs.values()) if (leaders.has(id)) return;
    libc.call(libc.numbers.waitid, P_PID, id, 0, ORPHAN_EXITED, 0);
  }
}

/** The value of a variable in an environment as /proc shows it. */
function valueIn(environment: string, name: string): string | undefined {
  return environment.split("\0").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
}
