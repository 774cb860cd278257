/**
 * Sees to it that programs keep to the limits that all of a run share, and that nothing of a run is left when it has
 * answered: also what left its group and its session. Lives on the main thread, which nothing holds.
 */

import type { Limits, ProgramLimit } from "../../core/tool.ts";
import type { ProcessFacts, ProcessTable } from "../../host/kernel/process_table.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { processorTime } from "../../sandbox/kernel/processor_time.ts";
import { SIGNALS } from "../../sandbox/kernel/signals.ts";
import { jobOf, type RunShare } from "../../host/kernel/run_marks.ts";
import { ComingPrograms } from "./coming_programs.ts";
import { type Guardian, tellingOf } from "./_guardian.ts";
import { type FoundProcess, isMarked, ProcessTree } from "./_process_tree.ts";
import { RunMemory } from "./_run_memory.ts";
import { RunShares } from "./_run_shares.ts";

/**
 * How often it is asked whether processes were started, and how many make it look at once: a program that forks without
 * end doubles in about a millisecond, and where each gets a session of its own the kernel gives all of them
 * together a share of the processors that leaves this process hardly any (autogroups, sched(7)).
 */
const GLANCE_MS = 4;
const BURST = 32;
/**
 * How often running programs are looked at otherwise; less often where that takes long: at most a twentieth of the time. It is
 * the processor's time that counts: a look that waits for a busy machine would else leave programs alone for seconds, in
 * which one takes all the memory that there is.
 */
const LOOK_MS = 20;
const SHARE = 20;
/** Rounds of ending what goes on starting more, before others have their turn. */
const MOST_ROUNDS = 20;
/** A run younger than this cannot have used up the numbers of processes: what it started has higher ones. */
const YOUNG_MS = 250;
/** How long what was killed is waited for: it can hang in the kernel. */
const KILLED_MS = 2_000;
const KILLED_STEP_MS = 2;
/** Environments that are looked at for each look. */
const MOST_ENVIRONMENTS = 8;
/** setpriority(2), include/uapi/linux/resource.h: of a whole group, and inherited by what it starts. */
const PRIO_PGRP = 1;
/** Of programs that start others in bursts. */
const MOST_NICENESS = 19;
/** SCHED_OTHER, SCHED_RR | SCHED_RESET_ON_FORK (include/uapi/linux/sched.h) */
const FAIR = 0;
const FIRST = 2 | 0x40000000;

/** One run of programs, by the number of its job. */
interface Watched {
  readonly job: number;
  readonly since: number;
  /** Its process groups, by the number of the program that leads each. */
  readonly leaders: Set<number>;
  readonly coming: ComingPrograms;
  readonly shares: RunShares;
  /** Told once. */
  exceeded: boolean;
  /** The thread that started it is gone, which else would wait for the leaders. */
  abandoned: boolean;
}

/** What is watched for, and who is told. */
export interface ProcessWatchOptions {
  readonly libc: Libc;
  /** See `ProgramEnvironment`. */
  readonly marker: string;
  readonly token: number;
  readonly limits: Pick<Limits, "memory" | "processes" | "cpu">;
  /** See `ProcessTreeOptions`. */
  readonly isUnderWay: (isJob: (job: number) => boolean) => boolean;
  /** A run went over a limit; it is being killed. */
  readonly onExceeded: (job: number, limit: ProgramLimit, share: number) => void;
}

/** Holds runs to their limits and ends what is left of them. */
export class ProcessWatch {
  readonly #options: ProcessWatchOptions;
  readonly #libc: Libc;
  /** Milliseconds of a processor that this thread has had. */
  readonly #spent: () => number;
  readonly #runs = new Map<number, Watched>();
  readonly #tree: ProcessTree;
  readonly #table: ProcessTable;
  /** What programs may use of which nobody says more. */
  readonly #share: RunShare;
  readonly #memory: RunMemory;
  /** The number that was given last at the last glance; null before the first. */
  #last: number | null = null;
  #nextLook = 0;
  #timer: number | null = null;
  #guardian: Guardian | null = null;
  #hurries = false;
  /** Whether processes still have the mark by which the guardian would find them. */
  readonly #marked = new Map<number, boolean>();
  #toldUnmarked = "";

  constructor(options: ProcessWatchOptions) {
    const { libc, marker, token, isUnderWay } = options;
    this.#options = options;
    this.#libc = libc;
    this.#spent = processorTime(libc);
    this.#tree = new ProcessTree({
      libc,
      marker,
      runs: this.#runs,
      token,
      isUnderWay,
    });
    this.#table = this.#tree.table;
    this.#share = { number: 0, ...options.limits };
    this.#memory = new RunMemory(libc, this.#table);
  }

  /** Who ends the programs when this process cannot any more; null where nobody will. */
  guard(guardian: Guardian | null): void {
    if (guardian === null) return;
    this.#guardian = guardian;
    this.#tree.keep(guardian.id);
  }

  /**
   * A program leads this group from now on. `share`: what it may use; the policy's limits unless told otherwise. `isOnItsWay`:
   * whether it still has this process's memory, where its start was not waited for.
   */
  begin(
    job: number,
    leader: number,
    share: RunShare = this.#share,
    isOnItsWay: (() => boolean) | null = null,
  ): void {
    let run = this.#runs.get(job);
    if (run === undefined) {
      run = {
        job,
        since: performance.now(),
        leaders: new Set(),
        coming: new ComingPrograms(),
        shares: new RunShares(this.#table, this.#options.token),
        exceeded: false,
        abandoned: false,
      };
      this.#runs.set(job, run);
    }
    run.leaders.add(leader);
    run.shares.add(leader, share);
    if (isOnItsWay !== null) run.coming.add(leader, isOnItsWay);
    if (this.#timer !== null) return;
    this.#last = null;
    this.#nextLook = performance.now() + LOOK_MS;
    this.#timer = setInterval(() => this.#glance(), GLANCE_MS);
  }

  /** Ends what left the groups of a run now; the run itself goes on. */
  endLeft(job: number): void {
    const run = this.#runs.get(job);
    if (run !== undefined) this.#endSeen(run);
  }

  /** Ends all of a run whose thread is gone, and waits for it in its place. */
  abandon(job: number): void {
    const run = this.#runs.get(job);
    if (run === undefined) return;
    run.abandoned = true;
    this.#kill(run);
  }

  /**
   * To be called when a run's groups have ended: ends what left them. Null where nothing did, else resolves when it
   * is gone.
   */
  settle(job: number): Promise<void> | null {
    const run = this.#runs.get(job);
    if (run === undefined) return null;
    if (this.#hasLeft(run)) return this.#endAll(run);
    this.#runs.delete(job);
    return null;
  }

  async #endAll(run: Watched): Promise<void> {
    const until = performance.now() + KILLED_MS;
    while (this.#endSeen(run) && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, KILLED_STEP_MS));
    }
    this.#runs.delete(run.job);
  }

  /** Ends all of a run: its groups too. */
  #kill(run: Watched): void {
    for (const leader of run.leaders) this.#end(-leader);
    for (let round = 0; round < MOST_ROUNDS && this.#endSeen(run); round++);
  }

  /** Ends what left the groups of a run, each as it is seen; whether there was any. */
  #endSeen(run: Watched): boolean {
    let seen = false;
    this.#tree.visitAll((found) => {
      if (!isLeft(run, found)) return;
      seen = true;
      if (found.owner !== "unsure") this.#end(found.facts.id);
    });
    return seen;
  }

  #end(id: number): void {
    this.#libc.call(this.#libc.numbers.kill, id, SIGNALS.SIGKILL);
  }

  /** Whether something runs of it beside the leaders of its groups, or something that belongs to no run at all. */
  #hasLeft(run: Watched): boolean {
    // What outlives who started it comes to this process, the reaper of all: no stranger among its children, nothing left.
    const children = run.abandoned ? null : this.#tree.children();
    if (children?.every((id) => this.#leads(id)) === true) return false;
    let left = false;
    const look = (found: FoundProcess): void => {
      left ||= isLeft(run, found);
    };
    const [first] = run.leaders;
    const young = performance.now() - run.since < YOUNG_MS;
    // The first of its programs was the first of all: what it started has higher numbers.
    if (young && !run.abandoned && first !== undefined) this.#tree.visitSince(first, look);
    else this.#tree.visitAll(look);
    return left;
  }

  #leads(id: number): boolean {
    for (const { leaders } of this.#runs.values()) if (leaders.has(id)) return true;
    return false;
  }

  #glance(): void {
    if (this.#runs.size === 0) return this.#rest();
    const last = this.#table.last() ?? 0;
    const given = this.#tree.given(this.#last ?? last, last);
    this.#last = last;
    this.#tree.passed(given);
    const burst = given >= BURST;
    this.#hurry(burst || this.#isExceeded());
    if (burst || performance.now() >= this.#nextLook) this.#look();
  }

  #isExceeded(): boolean {
    return [...this.#runs.values()].some(({ exceeded }) => exceeded);
  }

  /**
   * While processes come in bursts this thread goes before all others, where the system lets it (CAP_SYS_NICE): who is
   * not root is held by RLIMIT_NPROC, but root that forks would leave it no time to say stop.
   */
  #hurry(on: boolean): void {
    if (on === this.#hurries) return;
    this.#hurries = on;
    const { struct, structAddress, call, numbers } = this.#libc;
    struct.setInt32(0, on ? 1 : 0, true);
    call(numbers.schedSetscheduler, 0, on ? FIRST : FAIR, structAddress);
    if (!on) return;
    for (const { leaders } of this.#runs.values()) {
      for (const leader of leaders) {
        call(numbers.setpriority, PRIO_PGRP, leader, MOST_NICENESS);
      }
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#hurry(false);
    this.#tree.forget();
  }

  #look(): void {
    const before = this.#spent();
    const found: FoundProcess[] = [];
    const ended: FoundProcess[] = [];
    const counts = new Map<number | string, number>();
    const most = (owner: FoundProcess["owner"]): number =>
      (typeof owner === "number" ? this.#runs.get(owner)?.shares.widest() : undefined)?.processes
        .most ?? this.#options.limits.processes;
    const count = ({ owner }: FoundProcess): number => {
      const number = (counts.get(owner) ?? 0) + 1;
      counts.set(owner, number);
      // What goes beyond the limit is ended while it is still being counted: who forks must not outrun who counts.
      if (typeof owner === "number" && number === most(owner) + 1) {
        const run = this.#runs.get(owner);
        this.#exceed(owner, "processes", run?.shares.widest().processes.share ?? 0);
      }
      return number;
    };
    this.#tree.visitAll((one) => {
      const { owner, facts } = one;
      if (typeof owner === "number" && this.#runs.get(owner)?.coming.has(facts.id)) return;
      found.push(one);
      const number = count(one);
      if (owner === "stray" || (number > most(owner) && owner !== "unsure")) this.#end(facts.id);
    }, (one) => {
      ended.push(one);
      count(one);
    }, this.#firstOfAll());
    const inSockets = this.#memory.mostInSockets();
    for (const run of this.#runs.values()) {
      const of = (some: readonly FoundProcess[]) =>
        some.flatMap(({ facts, owner }) => owner === run.job ? [facts] : []);
      this.#check(run, of(found), of(ended), inSockets);
    }
    if (this.#isExceeded()) return;
    this.#tellGuardian(found);
    const pause = Math.max(LOOK_MS, (this.#spent() - before) * SHARE);
    this.#nextLook = performance.now() + pause;
  }

  /**
   * The number of the program that was the first of all that run, where nothing of theirs can have one before it; null where
   * that is not known. A machine has many processes, and most calls are over before they would be looked at a second time.
   */
  #firstOfAll(): number | null {
    const runs = [...this.#runs.values()];
    const now = performance.now();
    if (runs.some(({ since, abandoned }) => abandoned || now - since >= YOUNG_MS)) return null;
    const last = this.#last ?? 0;
    const ago = (id: number): number => this.#tree.given(id, last);
    return runs.flatMap(({ leaders }) => [...leaders])
      .reduce<number | null>(
        (first, id) => first === null || ago(id) > ago(first) ? id : first,
        null,
      );
  }

  /** A few at a time: a process that forks lets nobody see its environment meanwhile. */
  #tellGuardian(found: readonly FoundProcess[]): void {
    const alive = new Set(found.map(({ facts }) => facts.id));
    for (const id of this.#marked.keys()) if (!alive.has(id)) this.#marked.delete(id);
    const fresh = [...alive].filter((id) => !this.#marked.has(id)).slice(0, MOST_ENVIRONMENTS);
    for (const id of fresh) {
      const { marker, token } = this.#options;
      const mark = this.#table.mark(id);
      const marked = mark !== null && jobOf(mark, token) !== null;
      this.#marked.set(id, marked || isMarked(this.#table.environment(id), marker));
    }
    const unmarked = tellingOf(
      found.flatMap(({ facts }) => this.#marked.get(facts.id) === false ? [facts] : []),
    );
    if (unmarked === this.#toldUnmarked) return;
    this.#toldUnmarked = unmarked;
    this.#guardian?.tell(unmarked);
  }

  /** `inSockets`: what all sockets that there are can hold at most. */
  #check(
    run: Watched,
    processes: readonly ProcessFacts[],
    ended: readonly ProcessFacts[],
    inSockets: number,
  ): void {
    if (run.exceeded) return this.#kill(run);
    const over = run.shares.exceeded(
      { processes, ended },
      (some, most) => this.#memory.isOver(some, most, inSockets),
    );
    if (over !== null) this.#exceed(run.job, over.limit, over.share);
  }

  /** Its groups end at once; what left them is ended when it is looked at next. */
  #exceed(job: number, limit: ProgramLimit, share: number): void {
    const run = this.#runs.get(job);
    if (run === undefined || run.exceeded) return;
    run.exceeded = true;
    this.#nextLook = 0;
    // Told before it is done: who sees the end must know why.
    this.#options.onExceeded(job, limit, share);
    for (const leader of run.leaders) this.#end(-leader);
  }

  /** To be called when no run is left: ends what passed for one's. */
  close(): void {
    this.#endAllSeen();
    this.#rest();
    this.#guardian?.close();
    this.#guardian = null;
  }

  #endAllSeen(): void {
    // No run: who started them has ended. So what of them had no end would be a child of this process: see `#hasLeft`.
    if (this.#runs.size === 0 && this.#tree.children()?.length === 0) return;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      let seen = false;
      this.#tree.visitAll(({ facts, owner }) => {
        if (owner === "unsure") return;
        seen = true;
        this.#end(facts.id);
      });
      if (!seen) break;
    }
  }
}

function isLeft({ job, abandoned, leaders }: Watched, { owner, facts }: FoundProcess): boolean {
  return typeof owner === "string" || (owner === job && (abandoned || !leaders.has(facts.id)));
}
