/** What a worker thread does once it is restricted: it answers the jobs of one lane, until it is ended. */

import type { Network } from "../../core/network.ts";
import { type JsonText, jsonText, type Usage } from "../../core/result.ts";
import type { Grant } from "../../policy/grant.ts";
import type {
  DirectPlace,
  OpenedRoute,
  ProxyReport,
  Unreached,
} from "../../host/network/proxy_route.ts";
import type { Resolved } from "../../host/network/resolve.ts";
import type { Rulebook, Started } from "../../policy/rulebook.ts";
import { type ContextOptions, createContext } from "../../host/context.ts";
import { ScanGiver, type ScanShare, ScanTaker } from "../../host/scan/scan_sharing.ts";
import type { ProgramHolds } from "../../host/run/program_holds.ts";
import type { Registry } from "../../tools/registry.ts";
import { Bell, RingReader, RingWriter } from "./channel.ts";
import { putTexts } from "./_long_texts.ts";
import {
  decodeMessage,
  encodeMessage,
  type FromWorker,
  type Share,
  type ToWorker,
  type WorkerSetup,
} from "./_protocol.ts";
import type { RunningAnswer, RunningCommand } from "../runner.ts";
import { describeFailure, runTool } from "../run_tool.ts";
import { JudgedConnections, Questions } from "./_connections.ts";
import { OutputFeed, programsOf } from "../programs/job_programs.ts";
import { openForOther, Requests } from "./_file_broker.ts";
import type { RunShare } from "../../host/kernel/run_marks.ts";
import { Stop } from "./stop.ts";
import { loadPlugin } from "../plugin_registry.ts";
import type { ThreadParts, ThreadPrograms } from "./thread_parts.ts";

/** Progress events of one call are at least this far apart: a person reads them, or a loop. */
const PROGRESS_MS = 100;

/** How long a thread sleeps off its event loop, and so how late it hears that it is to end. */
const STAND_MS = 20;

/** How long what was said quietly waits for something else to be said. */
const RING_MS = 2;

/** A call under way. */
interface RunningJob {
  readonly stop: Stop;
  readonly feed: OutputFeed;
}

interface QueuedJob {
  readonly message: Extract<ToWorker, { kind: "job" }>;
  readonly stop: Stop;
}

/** A program of a job that connects for the first time. */
interface JobCommand {
  readonly job: number;
  readonly command: Started;
}

/** Where a job's program wants to be connected to by itself. */
interface JobPlace {
  readonly job: number;
  readonly token: string;
  readonly to: DirectPlace;
}

/** Ways out of a job's programs. */
interface JobTokens {
  readonly job: number;
  readonly tokens: readonly string[];
}

/** The jobs of one thread: takes them in, runs them, and says what becomes of them. */
export class JobLoop {
  readonly #setup: WorkerSetup;
  readonly #parts: ThreadParts;
  readonly #rulebook: Rulebook;
  readonly #registry: Registry;
  readonly #inbox: RingReader;
  readonly #outbox: RingWriter;
  readonly #queue: QueuedJob[] = [];
  readonly #running = new Map<number, RunningJob>();
  readonly #requests: Requests;
  readonly #judged: JudgedConnections;
  /** Questions of lines that run, by the number of the request. */
  readonly #asked = new Map<number, (answer: RunningAnswer) => void>();
  #lastAsked = 0;
  readonly #lookUps = new Questions<string, Resolved>((request, host) =>
    this.say({ kind: "resolve", request, host })
  );
  readonly #ways = new Questions<JobCommand, OpenedRoute | string>((request, asked) =>
    this.say({ kind: "connects", request, ...asked })
  );
  readonly #dialled = new Questions<JobPlace, OpenedRoute | Unreached>((request, asked) =>
    this.say({ kind: "dials", request, ...asked })
  );
  readonly #goneWays = new Questions<JobTokens, ProxyReport>((request, asked) =>
    this.say({ kind: "disconnects", request, ...asked })
  );
  readonly #left = new Questions<number, void>((request, job) =>
    this.say({ kind: "left", request, job })
  );
  #ended = false;
  #ringing: number | null = null;
  /** Made with the first call that starts programs. */
  #holds: Promise<ProgramHolds> | null = null;

  constructor(setup: WorkerSetup, registry: Registry, parts: ThreadParts, rulebook: Rulebook) {
    this.#setup = setup;
    this.#parts = parts;
    this.#registry = registry;
    this.#rulebook = rulebook;
    this.#judged = new JudgedConnections(rulebook);
    this.#requests = new Requests(parts.libc);
    this.#inbox = new RingReader(setup.toWorker, setup.toMain.bell);
    this.#outbox = new RingWriter(setup.toMain);
  }

  /** Tells the main thread. `output`: of a call that is done, as it is written. */
  say(message: FromWorker, output?: JsonText): void {
    this.#outbox.sendBlocking(encodeMessage(message, output !== undefined), output);
  }

  /** Until it is told to end. */
  async run(): Promise<void> {
    const bell = new Bell(this.#setup.toWorker.bell);
    while (!this.#ended) {
      bell.hear();
      this.#take();
      for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
        const answered = this.#answer(job);
        if (this.#setup.sequential) await answered;
        this.#take();
      }
      // Where nothing else is under way it sleeps where it stands, which wakes quicker.
      const idle = this.#setup.sequential || this.#running.size === 0;
      if (idle && !this.#ended && bell.waitBlocking(STAND_MS)) continue;
      if (!this.#ended) await bell.wait();
    }
    (await this.#holds)?.close();
    this.#parts.programs?.starter?.close();
  }

  /** Makes what its first program takes, whatever it is. */
  async prepare(): Promise<void> {
    const { programs } = this.#parts;
    if (programs !== null) (await this.#holdsOf(programs)).prepare();
  }

  /** Whether what was made ahead for its programs is in use, and closed with it. */
  get hasHolds(): boolean {
    return this.#holds !== null;
  }

  async #holdsOf(programs: ThreadPrograms): Promise<ProgramHolds> {
    // Rules that open hosts to programs are asked for each, whatever holds it.
    await this.#rulebook.prepare([{ kind: "process.spawn" }]);
    return await (this.#holds ??= programs.openHolds(this.#rulebook));
  }

  /** Reads what has come in: jobs wait in line, a stop takes effect at once, on a running call too. */
  #take(): void {
    for (let bytes = this.#inbox.next(); bytes !== null; bytes = this.#inbox.next()) {
      const { message, output } = decodeMessage<ToWorker>(bytes);
      switch (message.kind) {
        case "job":
          this.#queue.push({
            message: message.texts === 0
              ? message
              : { ...message, input: putTexts(message.input, jsonText(output)) },
            stop: new Stop(message.tool, message.grant.timeoutMs),
          });
          break;
        case "taken":
          this.#running.get(message.job)?.feed.taken(message.units);
          break;
        case "open": {
          const { request, file } = message;
          const descriptor = openForOther(this.#parts.libc, this.#rulebook, file);
          this.say({ kind: "opened", request, descriptor });
          break;
        }
        case "opened":
          this.#requests.settle(message.request, message.descriptor);
          break;
        case "asked":
          this.#asked.get(message.request)?.(message.answer);
          this.#asked.delete(message.request);
          break;
        case "resolved":
          this.#lookUps.settle(message.request, message.resolved);
          break;
        case "way":
          this.#ways.settle(message.request, message.way);
          break;
        case "dialled":
          this.#dialled.settle(message.request, message.way);
          break;
        case "gone":
          this.#goneWays.settle(message.request, message.report);
          break;
        case "leftEnded":
          this.#left.settle(message.request, undefined);
          break;
        case "end":
          this.#ended = true;
          break;
        case "cancel": {
          const queued = this.#queue.find((job) => job.message.job === message.job);
          (queued ?? this.#running.get(message.job))?.stop.ask(message.reason);
        }
      }
    }
  }

  /** Most programs have ended by the time that anybody could look at them: only for the others the reader is woken. */
  #tellOfGroup(job: number, id: number, share: RunShare): void {
    this.#outbox.sendQuietly(encodeMessage({ kind: "group", job, id, share }));
    this.#ringing ??= setTimeout(() => {
      this.#ringing = null;
      this.#outbox.ring();
    }, RING_MS);
  }

  async #programs(
    { job, subject }: QueuedJob["message"],
    grant: Grant,
    { feed, stop }: RunningJob,
    isTold: boolean,
  ): Promise<ContextOptions["programs"]> {
    const { programs } = this.#parts;
    if (programs === null || subject === null) return null;
    const holds = await this.#holdsOf(programs);
    return programsOf(programs, {
      job,
      subject,
      grant,
      rulebook: this.#rulebook,
      holds,
      listener: isTold ? feed : null,
      onGroup: (id, share) => this.#tellOfGroup(job, id, share),
      onLeft: () => this.#left.ask(job),
      listen: () => this.#take(),
      openElsewhere: (file) => {
        const { request, answer } = this.#requests.add();
        this.say({ kind: "open", request, file });
        return answer;
      },
      ask: (question) => this.#ask(job, question, stop),
      proxies: {
        open: (command) => this.#ways.ask({ job, command }),
        reach: (token, to) => this.#dialled.ask({ job, token, to }),
        end: (tokens) => this.#goneWays.ask({ job, tokens }),
      },
    });
  }

  /** The time until the answer is not the call's. */
  async #ask(job: number, question: RunningCommand, stop: Stop): Promise<RunningAnswer> {
    const request = ++this.#lastAsked;
    const { promise, resolve } = Promise.withResolvers<RunningAnswer>();
    this.#asked.set(request, resolve);
    const began = performance.now();
    this.say({ kind: "ask", job, request, question });
    const answer = await promise;
    stop.extend(performance.now() - began);
    return answer;
  }

  async #network(
    { subject }: QueuedJob["message"],
    { connect, limits }: Grant,
    stop: Stop,
    counts: Record<string, number>,
  ): Promise<Network | null> {
    const { door } = this.#parts;
    if (door === null || subject === null || connect.length === 0) return null;
    await this.#rulebook.prepare([{ kind: "net.connect" }]);
    return door.open({
      judge: (connection) => this.#judged.judge(subject, connect, connection),
      resolve: (host) => this.#lookUps.ask(host),
      signal: stop.ending,
      limits,
      count: (what, amount) => counts[what] = (counts[what] ?? 0) + amount,
    });
  }

  #scanShareOf(job: number, share: Share | null): ScanShare | null {
    const { scanMemory } = this.#setup;
    if (scanMemory === null || share === null) return null;
    return share.side === "back"
      ? new ScanTaker(scanMemory, share.ticket)
      : new ScanGiver(scanMemory, share.ticket, () => this.say({ kind: "long", job }));
  }

  async #answer({ message, stop }: QueuedJob): Promise<void> {
    const { job, tool: name, share, subject } = message;
    this.#inbox.work(job);
    const counts: Record<string, number> = {};
    const usage = (): Usage => counts;
    const feed = new OutputFeed((event, data) =>
      this.say({ kind: "event", job, event: { event, data } })
    );
    const running: RunningJob = { stop, feed };
    this.#running.set(job, running);
    try {
      const tool = message.manifest === null
        ? await this.#registry.get(name)
        : await loadPlugin(message.manifest, this.#registry);
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
        git: settings.git,
        killGraceMs: settings.killGraceMs,
      };
      const context = createContext({
        files: this.#parts.files,
        syntax: this.#parts.syntax,
        // Without a subject there is neither, and nothing to wait for.
        programs: subject === null ? null : await this.#programs(
          message,
          grant,
          running,
          message.stream && tool.tellsOutput === true,
        ),
        network: subject === null ? null : await this.#network(message, grant, stop, counts),
        grant,
        rulebook: this.#rulebook,
        catalogue: this.#registry.catalogue,
        signal: () => stop.signal,
        checkpoint,
        left: () => stop.left(),
        scanShare: this.#scanShareOf(job, share),
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
      });
      // It may have been stopped before it began.
      checkpoint();
      if (share?.side === "back") {
        await tool.help?.(message.input, context);
        this.say({ kind: "done", job, error: null, usage: usage() });
        return;
      }
      if (message.agreed.length > 0) {
        const { compareAgreed } = await import("../approvals/compare_agreed.ts");
        compareAgreed(name, message.agreed, this.#parts.libc);
      }
      const outcome = await runTool(tool, message.input, context, {
        preview: message.preview,
        usage,
      });
      const { error, output } = outcome;
      this.say({ kind: "done", job, error, usage: outcome.usage }, jsonText(output));
    } catch (error) {
      this.say({ kind: "done", job, error: describeFailure(name, error), usage: usage() });
    } finally {
      this.#running.delete(job);
      this.#inbox.work(0);
      this.#parts.files.settle();
    }
  }
}
