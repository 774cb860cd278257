/**
 * The life of a worker thread. The first thing it does is to restrict itself; only then does it look at work.
 * It sees its setup and the jobs of one lane, nothing else of the process.
 */

import type { JsonText, Usage } from "../core/result.ts";
import type { Grant } from "../policy/grant.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import { createContext } from "../host/context.ts";
import type { Registry } from "../tools/registry.ts";
import { compilePolicies } from "./compile_policies.ts";
import { Bell, RingReader, RingWriter } from "./channel.ts";
import {
  decodeMessage,
  encodeMessage,
  type FromWorker,
  type ToWorker,
  type WorkerSetup,
} from "./protocol.ts";
import { describeFailure, runTool } from "./run_tool.ts";
import { Stop } from "./stop.ts";
import { enterThread, type ThreadParts } from "./thread_parts.ts";

/** Progress events of one call are at least this far apart: a person reads them, or a loop. */
const PROGRESS_MS = 100;

/** How long a thread sleeps off its event loop, and so how late it hears that it is to end. */
const STAND_MS = 20;

interface QueuedJob {
  readonly message: Extract<ToWorker, { kind: "job" }>;
  readonly stop: Stop;
}

class JobLoop {
  readonly #setup: WorkerSetup;
  readonly #parts: ThreadParts;
  readonly #rulebook: Rulebook;
  readonly #registry: Registry;
  readonly #inbox: RingReader;
  readonly #outbox: RingWriter;
  readonly #queue: QueuedJob[] = [];
  readonly #running = new Map<number, Stop>();

  constructor(setup: WorkerSetup, registry: Registry, parts: ThreadParts) {
    this.#setup = setup;
    this.#parts = parts;
    this.#registry = registry;
    this.#rulebook = compilePolicies(setup.policies, registry);
    this.#inbox = new RingReader(setup.toWorker, setup.toMain.bell);
    this.#outbox = new RingWriter(setup.toMain);
  }

  say(message: FromWorker, output?: JsonText): void {
    this.#outbox.sendBlocking(encodeMessage(message, output));
  }

  async run(): Promise<never> {
    const bell = new Bell(this.#setup.toWorker.bell);
    for (;;) {
      bell.hear();
      this.#take();
      for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
        const answered = this.#answer(job);
        if (this.#setup.sequential) await answered;
        this.#take();
      }
      // Nothing else can be under way on a sequential thread: it sleeps where it stands, which wakes quicker.
      if (this.#setup.sequential && bell.waitBlocking(STAND_MS)) continue;
      await bell.wait();
    }
  }

  /** Reads what has come in: jobs wait in line, a stop takes effect at once, on a running call too. */
  #take(): void {
    for (let text = this.#inbox.next(); text !== null; text = this.#inbox.next()) {
      const { message } = decodeMessage<ToWorker>(text);
      if (message.kind === "job") {
        this.#queue.push({ message, stop: new Stop(message.tool, message.grant.timeoutMs) });
        continue;
      }
      const queued = this.#queue.find((job) => job.message.job === message.job);
      (queued?.stop ?? this.#running.get(message.job))?.ask(message.reason);
    }
  }

  async #answer({ message, stop }: QueuedJob): Promise<void> {
    const { job, tool: name } = message;
    this.#inbox.work(job);
    const counts: Record<string, number> = {};
    const usage = (): Usage => counts;
    try {
      const tool = await this.#registry.get(name);
      this.#running.set(job, stop);
      const checkpoint = () => {
        this.#take();
        stop.check();
      };
      let progressed = 0;
      const settings = this.#rulebook.settings;
      const grant: Grant = {
        ...message.grant,
        workspace: settings.workspace,
        limits: settings.limits,
        backups: settings.backups,
        killGraceMs: settings.killGraceMs,
      };
      const context = createContext({
        ...this.#parts,
        grant,
        rulebook: this.#rulebook,
        catalogue: this.#registry.catalogue,
        get signal() {
          return stop.signal;
        },
        checkpoint,
        count: (what, amount) => counts[what] = (counts[what] ?? 0) + amount,
        progress: (done, total, unit) => {
          if (!message.stream || performance.now() - progressed < PROGRESS_MS) return;
          progressed = performance.now();
          const text = total === null ? `${done} ${unit}` : `${done} of ${total} ${unit}`;
          this.say({
            kind: "event",
            job,
            event: { event: "progress", done, total, unit, message: text },
          });
        },
        onGroup: (id, alive) => this.say({ kind: "group", job, id, alive }),
      });
      // It may have been stopped before it began.
      checkpoint();
      const outcome = await runTool(tool, message.input, context, {
        preview: message.preview,
        usage,
      });
      this.say({ kind: "done", job, error: outcome.error, usage: outcome.usage }, outcome.output);
    } catch (error) {
      this.say({ kind: "done", job, error: describeFailure(name, error), usage: usage() });
    } finally {
      this.#running.delete(job);
      this.#inbox.work(0);
    }
  }
}

/** Waits for the setup, restricts this thread to it, and answers jobs until the thread is ended. */
export function serveThread(registry: Registry): void {
  const scope = globalThis as unknown as {
    onmessage: ((event: MessageEvent<WorkerSetup>) => void) | null;
  };
  scope.onmessage = (event) => void start(event.data, registry);
}

async function start(setup: WorkerSetup, registry: Registry): Promise<void> {
  // From source, modules are files outside the boundary: they are loaded before it closes.
  if (!Deno.build.standalone) await registry.loadAll();
  let loop: JobLoop;
  try {
    const { held, parts } = await enterThread(
      setup.boundary,
      setup.sandbox,
      setup.surroundings,
      setup,
    );
    loop = new JobLoop(setup, registry, parts);
    loop.say({ kind: "ready", layers: held.layers, reasons: held.reasons });
  } catch (error) {
    const message: FromWorker = { kind: "refused", error: describeFailure("sandbox", error) };
    new RingWriter(setup.toMain).sendBlocking(encodeMessage(message));
    return;
  }
  await loop.run();
}
