/**
 * Runs calls that start one program, and do nothing else, on the thread that asks for them: the program holds itself
 * before it begins, so that none of the walls around it has to be the thread's. What programs take is opened with the
 * first that is really started.
 */

import { JSON_NULL, type Usage } from "../../core/result.ts";
import { createContext } from "../../host/context.ts";
import { createProcesses } from "../../host/run/processes.ts";
import { createStarter, type Starter } from "../../host/run/starter.ts";
import { UNCONFINED } from "../../host/run/program_holds.ts";
import { KeptFolders, type RunFolders } from "../../host/run/kept_folders.ts";
import type { ProgramOptions } from "../../host/run/program_options.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { createMemoryReader } from "../../sandbox/broker/memory_reader.ts";
import { hardenProcess } from "../../sandbox/harden.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { openOwnCalls, type OwnCalls, withOwnCalls } from "../../sandbox/launcher/own_calls.ts";
import { withOwnStarts } from "../../sandbox/launcher/own_starts.ts";
import { type ProgramLayers, programLayers } from "../../sandbox/program_layers.ts";
import { openSpawner, type Spawner } from "../../sandbox/spawner.ts";
import type { Registry } from "../../tools/registry.ts";
import { NO_FILES, NO_SYNTAX } from "../_no_files.ts";
import { AgreedCheck } from "../pool/agreed_check.ts";
import { overLimit, Stop, stopError, type StopReason } from "../pool/stop.ts";
import { describeFailure, runTool } from "../run_tool.ts";
import { type Job, notAsked, type Outcome, type Runner, type Running } from "../runner.ts";
import type { SharedWatch } from "./shared_watch.ts";
import { programsOf } from "./job_programs.ts";
import { WordHolds } from "./program_holds.ts";
import type { ProgramSupport } from "./program_support.ts";

/** Paths of a call, each of which is looked at before its program starts: some 20 ms. */
const MOST_PATHS = 256;
/** Characters of what a call hands over: its variables, its standard input. */
const MOST_INPUT = 1 << 18;
/** Bytes of output that are made text at once: 10 ms. */
const MOST_OUTPUT = 1 << 21;

/** Whether nobody would notice what it takes to begin a call and to answer it. */
function isShort({ grant: { read, write, limits }, input }: Job): boolean {
  return read.length + write.length <= MOST_PATHS && limits.output <= MOST_OUTPUT &&
    roomBeside(input, MOST_INPUT) >= 0;
}

/** What is left of so many characters once all that is in a value is taken off; less than 0 where it is not enough. */
function roomBeside(value: unknown, most: number): number {
  if (typeof value === "string") return most - value.length;
  if (typeof value !== "object" || value === null) return most - 1;
  let rest = most;
  for (const member of Object.values(value)) {
    rest = roomBeside(member, rest);
    if (rest < 0) break;
  }
  return rest;
}

/** What calls that are run here take from around them. */
export interface DirectRunnerOptions {
  readonly rulebook: Rulebook;
  readonly registry: Registry;
  readonly programs: ProgramSupport;
  /** Numbers jobs, each of this process once. */
  readonly number: () => number;
}

/** What is there to start programs by, and what will hold them. */
interface Means {
  readonly starter: Starter;
  readonly held: ProgramLayers;
  /** For the result of each call. */
  readonly usage: Usage;
}

/** One call. */
interface DirectJob {
  readonly number: number;
  readonly job: Job;
  readonly stop: Stop;
  readonly settle: (outcome: Outcome) => void;
}

/** Runs calls where it is asked to, as many at once as the policy lets run. */
export class DirectRunner implements Runner {
  readonly #options: DirectRunnerOptions;
  readonly #libc: Libc;
  readonly #spawner: Spawner;
  readonly #own: OwnCalls | null;
  readonly #jobs = new Map<number, DirectJob>();
  readonly #waiting: DirectJob[] = [];
  readonly #agreed = new AgreedCheck();
  readonly #keptFolders = new KeptFolders();
  #means: Means | null = null;
  #holds: WordHolds | null = null;
  #watch: SharedWatch | null | undefined;
  #ended = Promise.withResolvers<void>();

  private constructor(
    options: DirectRunnerOptions,
    libc: Libc,
    spawner: Spawner,
    own: OwnCalls | null,
  ) {
    this.#options = options;
    this.#libc = libc;
    this.#spawner = spawner;
    this.#own = own;
  }

  /** Null where programs are not started by system calls here. */
  static open(options: DirectRunnerOptions): DirectRunner | null {
    const opened = options.programs.libc ?? openLibc();
    const spawner = opened === null ? null : openSpawner({ keepsFfi: true });
    if (opened === null || spawner === null) return null;
    const own = openOwnCalls(opened);
    const libc = withOwnCalls(opened, own);
    return new DirectRunner(options, libc, withOwnStarts(spawner, libc, own), own);
  }

  /** Calls that have not answered. */
  get running(): number {
    return this.#jobs.size + this.#waiting.length;
  }

  /** Of these, those that wait until others have ended. */
  get queued(): number {
    return this.#waiting.length;
  }

  /**
   * Whether a call's program reads what its words name and changes nothing. A thread that others wait for, and that
   * nothing holds, is no place for looking through a tree, nor for doing what programs hand over, nor for megabytes.
   */
  takes(job: Job): boolean {
    const { grant } = job;
    return isShort(job) &&
      grant.spawn.every(({ argv, program, cwd }) =>
        this.#wordHolds(this.#open())?.isPlain(argv, program, cwd) ?? true
      );
  }

  /**
   * Resolves when a call has answered (true), or when none is expected to at any moment (false). In the meantime it is the
   * programs that hold up this thread, and it needs no event loop.
   */
  answersSoon(): Promise<boolean> {
    if (this.#means === null) return Promise.resolve(false);
    return Promise.race([
      this.#ended.promise.then(() => true),
      this.#means.starter.poller.cooled().then(() => false),
    ]);
  }

  run(job: Job): Running {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const { timeoutMs } = job.grant;
    const number = this.#options.number();
    const direct: DirectJob = {
      number,
      job,
      stop: new Stop(job.tool.name, timeoutMs),
      settle: (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
        this.#ended.resolve();
        this.#ended = Promise.withResolvers();
      },
    };
    const timer = setTimeout(() => this.#stop(direct, "TIMEOUT"), timeoutMs);
    this.#waiting.push(direct);
    this.#next();
    return { outcome: promise, cancel: () => this.#stop(direct, "CANCELLED") };
  }

  async close(): Promise<void> {
    const rest = [...this.#jobs.values(), ...this.#waiting];
    for (const direct of rest) this.#stop(direct, "CANCELLED");
    while (this.running > 0) await this.#ended.promise;
    this.#watch?.close();
    this.#watch = null;
    this.#holds?.close();
    await this.#means?.starter.poller.awake();
    this.#means?.starter.close();
    this.#means = null;
  }

  #next(): void {
    const { concurrency } = this.#options.rulebook.settings.limits;
    while (this.#jobs.size < concurrency) {
      const direct = this.#waiting.shift();
      if (direct === undefined) return;
      this.#jobs.set(direct.number, direct);
      void this.#answer(direct).then((outcome) => {
        this.#jobs.delete(direct.number);
        this.#next();
        direct.settle(outcome);
      });
    }
  }

  #stop(direct: DirectJob, reason: StopReason): void {
    direct.stop.ask(reason);
    const at = this.#waiting.indexOf(direct);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    const { tool, grant } = direct.job;
    const error = stopError(tool.name, reason, grant.timeoutMs).toResultError();
    direct.settle({ output: JSON_NULL, error, usage: {} });
  }

  async #answer({ number, job, stop }: DirectJob): Promise<Outcome> {
    const { rulebook, registry } = this.#options;
    const { tool, grant, input } = job;
    const counts: Record<string, number> = {};
    const folders = this.#keptFolders.ofRun();
    let usage: () => Usage = () => counts;
    let outcome: Outcome;
    try {
      const means = this.#open();
      usage = () => ({ ...counts, ...means.usage });
      const context = createContext({
        files: NO_FILES,
        syntax: NO_SYNTAX,
        programs: this.#programsOf(means, number, job, folders),
        grant,
        rulebook,
        catalogue: registry.catalogue,
        signal: () => stop.signal,
        checkpoint: () => stop.check(),
        left: () => stop.left(),
        count: (what, amount) => counts[what] = (counts[what] ?? 0) + amount,
        progress: () => {},
      });
      const changed = await this.#agreed.changed(job, "none");
      outcome = changed === null
        ? await runTool(tool, input, context, { preview: false, usage })
        : { output: JSON_NULL, error: changed, usage: usage() };
    } catch (error) {
      outcome = { output: JSON_NULL, error: describeFailure(tool.name, error), usage: usage() };
    }
    const gone = this.#watch?.settle(number) ?? null;
    if (gone !== null) await gone;
    folders.settle();
    return outcome;
  }

  /** Opened with the first call. Throws NATIVE_DENIED where the kernel cannot hold what the policy requires. */
  #open(): Means {
    if (this.#means !== null) return this.#means;
    const { rulebook: { settings }, programs } = this.#options;
    const held = programLayers(this.#libc, settings.sandbox.kernel);
    // Programs are of this process's user: its memory and environment must not be theirs to read.
    hardenProcess(this.#libc);
    const reasons = [...held.reasons, ...programs.programEnvironment.reasons];
    // The runtime's set is not narrower than the process's own, which is the policy's in a sealed build alone.
    const baked = Deno.permissions.querySync({ name: "run" }).state !== "granted";
    return this.#means = {
      starter: createStarter(this.#libc, this.#spawner, {
        own: this.#own,
        memory: () => createMemoryReader(this.#libc),
        shared: true,
      }),
      held,
      usage: {
        layers: ["policy", ...(baked ? ["runtime"] : []), ...held.layers],
        ...(reasons.length === 0 ? {} : { layers_missing: reasons }),
      },
    };
  }

  /** Null where nothing of the kernel's layer is there to hold programs by. */
  #wordHolds({ held: { abi, seccomp }, starter }: Means): WordHolds | null {
    if (abi === 0 && !seccomp) return null;
    if (this.#holds !== null) return this.#holds;
    const { rulebook, programs: { programEnvironment, system } } = this.#options;
    const { temporaryRoot, caches, gitConfig, searchPath } = programEnvironment;
    const network = rulebook.settings.sandbox.network === "allow";
    // See `#programsOf`.
    const keepsFolders = seccomp;
    const folders = { temporaryRoot, keepsFolders, caches, gitConfig, hookStandIns: null };
    const layers = { abi, seccomp, network };
    // What programs may start is all that they ask here.
    const served = {
      broker: null,
      starts: {
        get missing() {
          const { broker } = starter;
          return broker === null ? "the C library cannot be called" : broker.missing;
        },
      },
    };
    return this.#holds = new WordHolds(
      { libc: this.#libc, ...layers, ...folders, ...served, system, searchPath },
      rulebook,
    );
  }

  #programsOf(means: Means, number: number, job: Job, folders: RunFolders): ProgramOptions {
    const { starter, held, usage } = means;
    const { rulebook, programs } = this.#options;
    const { programEnvironment } = programs;
    const thread = {
      ...programEnvironment,
      // Nothing that runs here changes anything: see `takes`.
      keptFolders: held.seccomp ? folders : null,
      create: createProcesses,
      layers: usage["layers"] as readonly string[],
      starter,
      wrapper: null,
    };
    return programsOf(thread, {
      job: number,
      subject: job.subject,
      grant: job.grant,
      rulebook,
      holds: {
        unserved: this.#options.rulebook.settings.sandbox.kernel === "off"
          ? null
          : (this.#wordHolds(means) ?? UNCONFINED).unserved,
        of: (starting) => {
          // Before the first program: what that orphans at once would be gone from under this process.
          this.#watch ??= this.#follow();
          return (this.#wordHolds(means) ?? UNCONFINED).of(starting);
        },
        close: () => {},
      },
      listener: null,
      onGroup: (id, share, isOnItsWay) => this.#watch?.begin(number, id, share, isOnItsWay),
      onLeft: () => Promise.resolve(this.#watch?.endLeft(number)),
      listen: () => {},
      // A call that comes here names no file for it to be opened.
      openElsewhere: () => Promise.resolve(-ERRNO.EACCES),
      // Nor is any word of it known only later.
      ask: () => Promise.resolve(notAsked(job.tool.name)),
      // None that has a way out comes here: see `takes`.
      proxies: null,
    });
  }

  #follow(): SharedWatch | null {
    return this.#options.programs.watch({
      isUnderWay: (isJob) => [...this.#jobs.keys()].some(isJob),
      onExceeded: (number, limit, share) => {
        const direct = this.#jobs.get(number);
        if (direct !== undefined) this.#stop(direct, overLimit(limit, share));
      },
    }, { libc: this.#libc, spawner: this.#spawner });
  }
}
