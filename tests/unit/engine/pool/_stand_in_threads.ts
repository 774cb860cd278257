/** Threads that do what a test tells them, in place of workers: they hear and say what real ones do, over real rings. */

import { assert } from "@std/assert";
import type { JsonText } from "../../../../src/core/result.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import { RingReader, RingWriter } from "../../../../src/engine/pool/channel.ts";
import type { Lane } from "../../../../src/engine/pool/lanes.ts";
import type { LaneBoundary } from "../../../../src/engine/pool/pool_thread.ts";
import {
  decodeMessage,
  encodeMessage,
  type FromWorker,
  type ToWorker,
  type WorkerSetup,
} from "../../../../src/engine/pool/_protocol.ts";
import type { ToBegun } from "../../../../src/engine/pool/begun_threads.ts";
import type { WorkerPoolOptions } from "../../../../src/engine/pool/pool_options.ts";
import { WorkerPool } from "../../../../src/engine/pool/worker_pool.ts";
import type { SharedWatch } from "../../../../src/engine/programs/shared_watch.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../../../../src/engine/programs/no_program_environment.ts";
import type { Job, JobEvent, Outcome } from "../../../../src/engine/runner.ts";
import type { Grant, PathGrant } from "../../../../src/policy/grant.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { grantOf } from "../../host/_rulebook.ts";
import { canonical, program, rulebook, WORKSPACE } from "../../policy/_fixtures.ts";
import { toolOf } from "../_stand_ins.ts";

/** One thread. It is begun by `new Worker()`, as a real one. */
export class StandInThread {
  readonly lane: string;
  readonly permissions: unknown;
  /** All that it was told, in order, as far as it has looked. */
  readonly heard: ToWorker[] = [];
  terminated = false;
  /** What it was told before its setup, or in place of it. */
  readonly ahead: ToBegun[] = [];
  onerror: ((event: { preventDefault(): void }) => void) | null = null;
  #setup: WorkerSetup | null = null;
  #inbox: RingReader | null = null;
  #outbox: RingWriter | null = null;

  constructor(lane: string, permissions: unknown) {
    this.lane = lane;
    this.permissions = permissions;
  }

  /** What it was started with. */
  get setup(): WorkerSetup {
    assert(this.#setup !== null, "it was told nothing");
    return this.#setup;
  }

  postMessage(setup: WorkerSetup | ToBegun): void {
    if ("spareIn" in setup) return void this.ahead.push(setup);
    this.#setup = setup;
    this.#inbox = new RingReader(setup.toWorker);
    this.#outbox = new RingWriter(setup.toMain);
  }

  terminate(): void {
    this.terminated = true;
  }

  /** Looks at what has come in: of that kind, in order. */
  told<K extends ToWorker["kind"]>(kind: K): readonly Extract<ToWorker, { kind: K }>[] {
    for (let bytes = this.#inbox?.next(); bytes; bytes = this.#inbox?.next()) {
      this.heard.push(decodeMessage<ToWorker>(bytes).message);
    }
    return this.heard.filter((message): message is Extract<ToWorker, { kind: K }> =>
      message.kind === kind
    );
  }

  /** Numbers of the jobs that it was given. */
  get jobs(): readonly number[] {
    return this.told("job").map(({ job }) => job);
  }

  say(message: FromWorker, output?: JsonText): void {
    this.#outbox?.send(
      encodeMessage(message, output !== undefined),
      output === undefined ? [] : [output],
    );
  }

  /** Says which of its jobs it works on; 0 for none. */
  work(job: number): void {
    this.#inbox?.work(job);
  }

  /** Answers a job. */
  done(job: number, output?: JsonText): void {
    this.say({ kind: "done", job, error: null, usage: {} }, output);
  }

  /** As a real one that threw what nobody caught. */
  break(): void {
    this.onerror?.({ preventDefault: () => {} });
  }
}

/** Puts such threads in the place of workers until it is disposed of. */
export class StandInThreads implements Disposable {
  readonly all: StandInThread[] = [];
  readonly #real = globalThis.Worker;

  constructor() {
    const { all } = this;
    const begin = (_module: string, options: WorkerOptions): StandInThread => {
      const thread = new StandInThread(options.name ?? "", options.deno?.permissions);
      all.push(thread);
      return thread;
    };
    globalThis.Worker = function (module: string, options: WorkerOptions) {
      return begin(module, options);
    } as unknown as typeof Worker;
  }

  /** Lanes of the threads, in the order in which they were started. */
  get lanes(): readonly string[] {
    return this.all.map(({ lane }) => lane);
  }

  of(index: number): StandInThread {
    const thread = this.all[index];
    assert(thread !== undefined, `there is no thread ${index}`);
    return thread;
  }

  [Symbol.dispose](): void {
    globalThis.Worker = this.#real;
  }
}

const FILE: PathGrant = { requested: "a", path: canonical(`${WORKSPACE}/a`), tree: false };
const CAT = { argv: ["cat"], program: program("cat"), cwd: canonical(WORKSPACE) };

/** Jobs, by what they need; `tool` adds to what the tool is, `grant` to what it is granted. */
export function jobOf(
  needs: "read" | "write" | "long" | "spawn" | "module",
  { tool = {}, grant = {}, ...parts }:
    & Partial<Omit<Job, "tool" | "grant">>
    & { readonly tool?: Partial<Tool>; readonly grant?: Partial<Grant> } = {},
): Job {
  const own: Partial<Tool> = needs === "long"
    ? { long: true }
    : needs === "module"
    ? { ownProcess: true, riskOfPrograms: true }
    : {};
  const granted: Partial<Grant> = needs === "write"
    ? { write: [FILE] }
    : needs === "spawn" || needs === "module"
    ? { spawn: [CAT] }
    : { read: [FILE] };
  return {
    tool: toolOf({ ...own, ...tool }),
    input: { path: "a" },
    grant: grantOf(canonical(WORKSPACE), { ...granted, ...grant }),
    preview: false,
    stream: false,
    subject: {
      tool: "look",
      agent: "root",
      risk: "safe",
      permission: null,
      riskOfPrograms: false,
    },
    ...parts,
  };
}

/** A call that was given to a pool, and what has become of it. */
export interface Given {
  readonly outcome: Promise<Outcome>;
  readonly cancel: () => void;
  readonly events: readonly JobEvent[];
  /** Null while it has not answered. */
  readonly ended: () => Outcome | null;
}

/** A pool of stand-ins. */
export interface PoolWorld {
  readonly pool: WorkerPool;
  /** Runs a job. */
  readonly give: (job: Job) => Given;
  /** Takes in what the threads have said, and lets those who wait hear of it. */
  readonly drain: () => Promise<void>;
}

const BOUNDARY = { read: [], write: [], connect: [], spawn: null };

/** @param watch Stands in for what watches over programs. */
export function poolOf(
  { sections = {}, boundaryOf = () => ({ boundary: BOUNDARY, state: "fixed" }), watch = null }: {
    readonly sections?: Partial<Policy>;
    readonly boundaryOf?: (lane: Lane, job: Job) => LaneBoundary;
    readonly watch?: ((follow: Parameters<WorkerPoolOptions["watch"]>[0]) => SharedWatch) | null;
  } = {},
): PoolWorld {
  let last = 0;
  const pool = new WorkerPool({
    number: () => ++last,
    rulebook: rulebook([sections]),
    policies: [],
    boundaryOf,
    permissionsOf: () => "none",
    programEnvironment: () => ({ ...NO_PROGRAM_ENVIRONMENT, marker: "of programs" }),
    writing: () => ({ boundary: BOUNDARY, state: "fixed" }),
    watch: watch ?? (() => null),
  });
  return {
    pool,
    give(job) {
      const events: JobEvent[] = [];
      let ended: Outcome | null = null;
      const { outcome, cancel } = pool.run(job, (event) => void events.push(event));
      outcome.then((value) => ended = value);
      return { outcome, cancel, events, ended: () => ended };
    },
    async drain() {
      pool.drain();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
  };
}
