/** Runs a plan without a shell: programs connected by pipes of the kernel, in the order and with the statuses of one. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import type { CompoundPlan, Plan, PlanNode, Redirection } from "../../../core/plan.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { SIGNALS } from "../../../sandbox/kernel/signals.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { holdsCommand } from "../../../shell/certain.ts";
import { fileTest } from "../../../shell/file_test.ts";
import { isWritable, openPipe } from "../../kernel/pipes.ts";
import { statOf } from "../../kernel/stat.ts";
import { type Child, type Ended, endedBy } from "../_programs.ts";
import { closeAll, copied, MOST_TASKS, Task } from "./_background.ts";
import { runCompound } from "./_compound.ts";
import { type Expander, expandText, patternOf, piecesOf } from "./_expand.ts";
import { isComparedSo, isSo } from "./_file_tests.ts";
import type { LineHost, LineRedirection, NotStarted } from "./line_host.ts";
import { redirect, type Redirected, targetsOf } from "./_redirections.ts";
import { messageOf } from "./redirect.ts";
import { type LineStreams, runSimple } from "./_simple.ts";
import { either, Exit, LineState, Return, statusOf, SUCCESS } from "./_state.ts";
import { runStages } from "./_stages.ts";
import { Stopped } from "./_stopped.ts";
import { outputOf } from "./_substitution.ts";
import type { TestHost } from "./_tests.ts";

export { Stopped };

/** Programs that loops of one line start at most. */
const MOST_STARTS = 10_000;
/** How long a loop goes on before others have their turn. */
const LONGEST_TURN_MS = 5;

const FAILED = { code: 1, signal: null } as const;
/** Functions and files within each other: what goes deeper calls itself. */
const MOST_DEPTH = 100;

/** The status of the whole line. Throws a ToolError for the command that stops it, `Stopped` where it was stopped. */
export async function runLine(
  plan: Plan,
  host: LineHost,
  start: {
    readonly directory: CanonicalPath;
    readonly environment: Readonly<Record<string, string>>;
    readonly descriptors: readonly number[];
    readonly release: () => void;
    /** Where lines may put folders in front of the search path; null where they may not. */
    readonly workspace: CanonicalPath | null;
  },
): Promise<LineState["status"]> {
  const state = LineState.begin(start.directory, start.environment, plan.settings);
  const runner = new LineRunner(host, state.valueOf("PATH") ?? "", plan.line);
  state.places = { searchPath: state.valueOf("PATH") ?? "", workspace: start.workspace };
  const { descriptors, release } = start;
  // A line that is one command lets go of the pipes with its start.
  const place = { descriptors, release: () => runner.release(release), tested: false };
  return await runner.whole(plan.root, state, place);
}

class LineRunner {
  readonly #host: LineHost;
  readonly #searchPath: string;
  readonly #line: string;
  /** What runs beside it, with the words that tell of it. */
  readonly #tasks = new Map<Task, { readonly shown: string | null; done: Promise<unknown> }>();
  /** Descriptors of these. */
  readonly #copies = new Set<readonly number[]>();
  /** What is written into by commands of the line, to its end. */
  readonly #drains: Promise<unknown>[] = [];
  readonly #late: (() => void)[] = [];
  #over = false;
  #failure: unknown = null;
  #idle = 0;
  /** Programs so far. */
  #started = 0;
  /** When others last had their turn. */
  #turned = performance.now();

  constructor(host: LineHost, searchPath: string, line: string) {
    this.#line = line;
    this.#host = host;
    this.#searchPath = searchPath;
  }

  /** Runs the line to its end, and ends what it has left beside itself. */
  async whole(node: PlanNode, state: LineState, place: LineStreams): Promise<Ended> {
    try {
      const status = await this.subshell(node, state, place);
      if (this.#failure !== null) throw this.#failure;
      // What it writes into was part of the command.
      await Promise.race([Promise.all(this.#drains), this.#host.stopping]);
      return status;
    } finally {
      await this.#end(place);
    }
  }

  /** The line's own descriptors, which `#end` may have to speak through yet. */
  release(release: () => void): void {
    if (this.#tasks.size === 0 || this.#over) release();
    else this.#late.push(release);
  }

  /** Nothing begins any more, and who reads the answer is told what was ended. */
  async #end({ descriptors }: LineStreams): Promise<void> {
    const left = [...this.#tasks].filter(([task]) => task.status === null);
    const told = left.flatMap(([, { shown }]) => shown === null ? [] : [shown]);
    if (told.length > 0 && !this.#host.stopped()) {
      const said = told.map((one) => `ended with the call, which leaves nothing running: ${one}`);
      await this.#say(descriptors[2], `${said.join("\n")}\n`);
    }
    this.#over = true;
    for (const [task] of left) task.signal(SIGNALS.SIGKILL);
    // Gone before the run is over, which reaps those that have ended.
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.resolve(), KILLED_MS);
    await Promise.race([Promise.all(left.map(([, { done }]) => done)), late.promise]);
    clearTimeout(timer);
    for (const release of this.#late.splice(0)) release();
    for (const copies of this.#copies) closeAll(this.#host, copies);
    this.#copies.clear();
  }

  /** Expands the words of a command that has these descriptors. `pipes`: what `<(…)` in them has made. */
  expander(descriptors: readonly number[], pipes: Map<string, number> = new Map()): Expander {
    const expander: Expander = {
      text: (word, state) => expandText(word, state, expander),
      pieces: (word, state) => piecesOf(word, state, expander),
      pattern: (word, state) => patternOf(word, state, expander),
      substitute: (body, state) => this.#substitute(body, state, descriptors),
      process: (access, body, state) => this.#beside(access, body, state, descriptors, pipes),
      filesOf: (pattern, state) =>
        this.#host.filesOf(pattern, state.directory, state.options.has("dotglob")),
      allowVariable: (name, state) => this.allowVariable(name, state),
      fail: async (message, state, status) => {
        await this.complain(descriptors, message);
        state.status = status === undefined
          ? state.expansionFailure
          : { code: status, signal: null };
        throw new Exit(state.status);
      },
    };
    return expander;
  }

  /** `<(…)`: the pipe's name, as bash has it, and its other end in the hands of the body. */
  #beside(
    access: "read" | "write",
    body: PlanNode,
    state: LineState,
    [stdin = CLOSED, stdout = CLOSED, stderr = CLOSED]: readonly number[],
    pipes: Map<string, number>,
  ): string {
    const { libc } = this.#host;
    if (pipes.size === MOST_PIPES) throw limit(`${MOST_PIPES} process substitutions in a command`);
    const pipe = openPipe(libc);
    const [mine, its] = access === "read" ? [pipe.read, pipe.write] : [pipe.write, pipe.read];
    const name = `/dev/fd/${LAST_PIPE - pipes.size}`;
    pipes.set(name, mine);
    const around = copied(this.#host, [stdin, stdout, stderr]);
    const descriptors = access === "read"
      ? [around[0]!, its, around[2]!]
      : [its, around[1]!, around[2]!];
    const copies = access === "read"
      ? [its, around[0]!, around[2]!]
      : [its, around[1]!, around[2]!];
    closeAll(this.#host, [around[access === "read" ? 1 : 0]!]);
    const task = this.#task(body, state.substitution(), descriptors, copies, null);
    if (access === "write") this.#drains.push(task.done);
    return name;
  }

  /** Runs the node beside what follows, with descriptors that are let go of at its end. */
  #task(
    node: PlanNode,
    state: LineState,
    descriptors: readonly number[],
    copies: readonly number[],
    shown: string | null,
  ): { readonly task: Task; readonly done: Promise<Ended> } {
    if (this.#tasks.size >= MOST_TASKS) throw limit(`${MOST_TASKS} commands beside each other`);
    const task = new Task(this.#host);
    const known: { readonly shown: string | null; done: Promise<unknown> } = {
      shown,
      done: task.first,
    };
    this.#tasks.set(task, known);
    this.#copies.add(copies);
    state.task = task;
    const run = async (): Promise<Ended> => {
      let status: Ended = FAILED;
      try {
        status = await this.subshell(node, state, {
          descriptors,
          release: () => {},
          tested: false,
        });
      } catch (error) {
        // Nobody looks at it later: what stops one of them stops the line.
        if (!(error instanceof Stopped)) this.#failure ??= error;
        if (!(error instanceof Stopped)) this.#host.stop();
      } finally {
        task.ended(task.ending ?? status);
        this.#tasks.delete(task);
        if (this.#copies.delete(copies)) closeAll(this.#host, copies);
      }
      return task.status ?? status;
    };
    const done = run();
    known.done = done;
    return { task, done };
  }

  #shown(position: number): string {
    return printable(this.#line.slice(position), 40);
  }

  /** `… &` */
  async #background(
    { body, position }: Extract<PlanNode, { readonly kind: "background" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const copy = state.copy();
    copy.inner = true;
    const around = copied(this.#host, place.descriptors);
    // Without job control it reads nothing (bash(1), JOB CONTROL; POSIX, 2.9.3).
    const descriptors = [this.#host.nothing, ...around.slice(1)];
    const { task, done } = this.#task(body, copy, descriptors, around, this.#shown(position));
    const number = state.jobs.nextNumber();
    const first = await Promise.race([task.first, this.#host.gone]);
    const id = first ?? NO_PROCESS + ++this.#idle;
    state.lastJob = id;
    state.jobs.add({
      ...{ number, id, ended: done, status: () => task.status },
      signal: (signal) => task.signal(signal),
    });
    state.status = SUCCESS;
  }

  async complain([, , descriptor]: readonly number[], message: string): Promise<void> {
    await this.#say(descriptor, `${message}\n`);
  }

  /** What a builtin writes; whoever reads no more ends the shell that it is in, as SIGPIPE would. */
  async write(descriptor: number | undefined, output: string | Uint8Array): Promise<string | null> {
    const errno = await this.#say(descriptor, output);
    if (errno === -ERRNO.EPIPE) throw new Exit(endedBy(SIGNALS.SIGPIPE));
    return errno < 0 ? `write error: ${messageOf(-errno)}` : null;
  }

  async #say(descriptor = CLOSED, output: string | Uint8Array): Promise<number> {
    const bytes = typeof output === "string" ? new TextEncoder().encode(output) : output;
    if (bytes.length === 0) return 0;
    if (descriptor === CLOSED) return -ERRNO.EBADF;
    if (this.#over || this.#host.stopped()) throw new Stopped();
    this.#host.began();
    const { libc, spawner } = this.#host;
    for (let done = 0; done < bytes.length;) {
      const rest = bytes.subarray(done);
      // On a thread that may wait: the pipe may be full, and its reader be this very thread. One write, so that
      // what others write stays apart (PIPE_BUF, pipe(7)).
      const count = takesAtOnce(libc, descriptor, rest.length)
        ? libc.transfer(libc.numbers.write, descriptor, rest, rest.length)
        // It does not say why: nobody who reads is all that happens to a pipe.
        : await spawner.blocking(libc.numbers.write, descriptor, rest, rest.length);
      if (count === -1) return -ERRNO.EPIPE;
      if (count < 0 && count !== -ERRNO.EINTR) return count;
      done += Math.max(0, count);
    }
    return bytes.length;
  }

  /** Runs the node with a state that nobody uses afterwards; an `exit` in it ends it alone. */
  async subshell(
    node: PlanNode,
    state: LineState,
    place: LineStreams,
  ): Promise<LineState["status"]> {
    const outer = { ...place, release: () => {} };
    try {
      // What is to be done at the end still needs what it writes to.
      const traps = holdsCommand(node, ["trap", "eval", "source", "."]);
      await this.#exits(state, () => this.node(node, state, traps ? outer : place));
      const { ending } = state;
      if (ending === null) return state.status;
      state.ending = null;
      const { status } = state;
      const left = await this.#exits(state, () => this.node(ending, state, outer));
      return left ? state.status : status;
    } finally {
      place.release();
    }
  }

  /** Whether it was left by `exit`; the status is in the state. */
  async #exits(state: LineState, action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return false;
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      state.status = error.status;
      return true;
    }
  }

  async node(node: PlanNode, state: LineState, place: LineStreams): Promise<void> {
    this.mayGoOn(state);
    switch (node.kind) {
      case "simple":
        await runSimple(node, state, place, this);
        // A call has done this for what is in it.
        if (node.calls === true) return;
        break;
      case "background":
        return await this.#background(node, state, place);
      case "function":
        state.functions = new Map([...state.functions, [node.name, node.body]]);
        state.status = SUCCESS;
        return;
      case "list":
        return await this.#list(node.items, state, place);
      case "pipeline":
        await this.#pipeline(node, state, place);
        break;
      case "group":
        await this.#group(node, state, place);
        // What failed inside a plain group has ended it there, or was looked at.
        if (!node.subshell) return;
        break;
      case "arithmetic":
      case "test":
        await this.#compound(node, state, place);
        break;
      default:
        return await this.#compound(node, state, place);
    }
    if (node.kind !== "pipeline" || node.stages.length === 1) state.stages = [state.status];
    const failed = statusOf(state.status) !== 0;
    const looked = place.tested || (node.kind === "pipeline" && node.negated);
    if (failed && !looked && state.settings.errexit) throw new Exit(state.status);
  }

  async #list(
    items: Extract<PlanNode, { readonly kind: "list" }>["items"],
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    for (const [index, { when, node }] of items.entries()) {
      const succeeded = statusOf(state.status) === 0;
      if (when !== "always" && succeeded !== (when === "success")) continue;
      const tested = place.tested || (items[index + 1]?.when ?? "always") !== "always";
      const last = index === items.length - 1;
      const release = last ? place.release : () => {};
      await this.node(node, state, { ...place, tested, release });
    }
  }

  async #pipeline(
    { stages, negated }: Extract<PlanNode, { readonly kind: "pipeline" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const tested = place.tested || negated;
    if (stages.length === 1) {
      for (const stage of stages) await this.node(stage, state, { ...place, tested });
    } else state.status = await this.#stages(stages, state, { ...place, tested });
    if (negated) state.status = statusOf(state.status) === 0 ? FAILED : SUCCESS;
  }

  async #stages(
    stages: readonly PlanNode[],
    state: LineState,
    place: LineStreams,
  ): Promise<LineState["status"]> {
    const statuses = await runStages(this.#host, stages, place, (stage, streams) => {
      const copy = state.copy();
      copy.inner ||= stage.kind !== "simple";
      return this.subshell(stage, copy, { ...place, ...streams });
    });
    state.stages = statuses;
    const last = statuses.at(-1) ?? SUCCESS;
    if (!state.settings.pipefail) return last;
    return statuses.findLast((status) => statusOf(status) !== 0) ?? SUCCESS;
  }

  /** What fails inside ends the line there, as in a plain group. */
  async #compound(node: CompoundPlan, state: LineState, place: LineStreams): Promise<void> {
    const opened = await this.#opened(node, state, place);
    if (opened === null) return;
    const { descriptors } = opened;
    const inner = { descriptors, tested: place.tested, release: () => {} };
    try {
      await runCompound(node, state, {
        tests: this.tests(descriptors),
        expander: this.expander(descriptors),
        run: (part, tested = false) =>
          this.node(part, state, { ...inner, tested: tested || inner.tested }),
        turn: () => this.#turn(),
      });
    } finally {
      opened.close();
    }
  }

  /** A variable that programs get is not every line's to change. */
  async allowVariable(name: string, state: LineState): Promise<void> {
    const { directory } = state;
    // What PATH may become is looked at when it is set.
    const looked = name === "PATH" && state.places.workspace !== null;
    if (!state.isGiven(name) || name === "IFS" || looked) return;
    await this.#host.allow({ argv: null, directory, redirections: [], variables: [name] });
  }

  /** A loop that starts nothing leaves others their turn, and hears that it is to end. */
  async #turn(): Promise<void> {
    if (this.#host.stopped()) throw new Stopped();
    if (performance.now() - this.#turned < LONGEST_TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#turned = performance.now();
    if (this.#host.stopped()) throw new Stopped();
  }

  async #group(
    node: Extract<PlanNode, { readonly kind: "group" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const opened = await this.#opened(node, state, place);
    if (opened === null) return;
    const { descriptors } = opened;
    const inner = {
      descriptors,
      tested: node.opened === undefined && place.tested,
      release: place.release,
    };
    try {
      if (!node.subshell) return await this.node(node.body, state, inner);
      const copy = node.opened === undefined
        ? state.copy()
        : state.opened(node.opened, node.positional ?? []);
      copy.settings = node.opened === undefined
        ? either(state.settings, node.settings)
        : node.settings;
      copy.inner = node.opened === undefined;
      state.status = await this.subshell(node.body, copy, inner);
    } finally {
      opened.close();
    }
  }

  /** A function of the line, with words as its parameters. */
  async call(
    name: string,
    words: readonly string[],
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const body = state.functions.get(name);
    if (body === undefined) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `${name} is a function of the line, and is not one yet where it is called`,
      );
    }
    const { positional } = state;
    state.positional = words;
    await this.#within(state, async () => {
      state.variables.enter();
      try {
        await this.node(body, state, { ...place, release: () => {} });
      } catch (error) {
        if (!(error instanceof Return)) throw error;
        state.status = error.status;
      } finally {
        state.variables.leave();
        state.positional = positional;
      }
    });
    const failed = statusOf(state.status) !== 0;
    if (failed && !place.tested && state.settings.errexit) throw new Exit(state.status);
  }

  async #within(state: LineState, action: () => Promise<void>): Promise<void> {
    if (state.depth >= MOST_DEPTH) throw limit(`${MOST_DEPTH} functions within each other`);
    state.depth++;
    try {
      await action();
    } finally {
      state.depth--;
    }
  }

  /** The plan of a text that is known only now. */
  async understand(text: string, state: LineState): Promise<PlanNode> {
    const { parseFurther } = await import("../../../shell/parse_line.ts");
    return await parseFurther(text, [...state.functions.keys()], state.depth > 0);
  }

  async evaluate(text: string, state: LineState, place: LineStreams): Promise<void> {
    const node = await this.understand(text, state);
    await this.#within(state, () => this.node(node, state, { ...place, release: () => {} }));
  }

  tests(descriptors: readonly number[]): TestHost {
    const judged = async (path: string, state: LineState): Promise<void> => {
      const argv = fileTest(path);
      const { directory } = state;
      if (argv !== null) {
        await this.#host.allow({ argv, directory, redirections: [], variables: [] });
      }
    };
    return {
      expander: this.expander(descriptors),
      testFile: async (operator, path, state) => {
        await judged(path, state);
        return isSo(this.#host, state.directory, operator, path);
      },
      compareFiles: async (operator, left, right, state) => {
        await judged(left, state);
        await judged(right, state);
        return isComparedSo(this.#host, state.directory, operator, [left, right]);
      },
    };
  }

  /** The redirections of what is no program, judged and done. */
  async #opened(
    node: { readonly redirections: readonly Redirection[] },
    state: LineState,
    place: LineStreams,
  ): Promise<Redirected | null> {
    const pipes = new Map<string, number>();
    const expander = this.expander(place.descriptors, pipes);
    const targets = await targetsOf(node.redirections, state, expander);
    const redirections = targets.filter(({ target }) => !pipes.has(target));
    if (redirections.length > 0) {
      const { directory } = state;
      await this.#host.allow({ argv: null, directory, redirections, variables: [] });
    }
    try {
      return await this.redirect(node.redirections, targets, state, place, pipes);
    } finally {
      // What was opened by these names is its own.
      closeAll(this.#host, [...pipes.values()]);
    }
  }

  /** The descriptors of a command; null, with a status, where a file cannot be opened. */
  async redirect(
    redirections: readonly Redirection[],
    targets: readonly LineRedirection[],
    state: LineState,
    { descriptors: around }: LineStreams,
    pipes: ReadonlyMap<string, number>,
  ): Promise<Redirected | null> {
    const expander = this.expander(around);
    const opened = await redirect(this.#host, redirections, targets, {
      ...{ state, expander, around, pipes },
    });
    for (const warning of opened.warnings) await this.complain(around, warning);
    if (opened.failure === null) return opened;
    // Those to its left hold already (bash and dash alike).
    await this.complain(opened.descriptors, opened.failure);
    opened.close();
    state.status = FAILED;
    return null;
  }

  /** The output of the body without its last newlines. */
  async #substitute(
    body: PlanNode,
    state: LineState,
    [stdin = CLOSED, , stderr = CLOSED]: readonly number[],
  ): Promise<string> {
    const text = await outputOf(this.#host, async (output, release) => {
      const descriptors = [stdin, output, stderr];
      const place = { descriptors, release, tested: false };
      state.substituted = await this.subshell(body, state.substitution(), place);
      state.status = state.substituted;
    });
    if (text === null) throw new Stopped();
    return text;
  }

  get host(): LineHost {
    return this.#host;
  }

  /** Throws what ends the line, or what it is part of. */
  mayGoOn({ task }: LineState): void {
    if (this.#over || this.#host.stopped()) throw new Stopped();
    if (task !== null && task.ending !== null) throw new Exit(task.ending);
  }

  /** Where the search path was when the line began. */
  get searchPath(): string {
    return this.#searchPath;
  }

  launch(launch: Parameters<LineHost["launch"]>[0], state: LineState): Child | NotStarted {
    // Much may have been waited for since it was looked at.
    this.mayGoOn(state);
    if (++this.#started > MOST_STARTS) throw limit(`${MOST_STARTS} programs in a line`);
    const child = this.#host.launch(launch);
    if ("ended" in child) state.task?.started(child);
    return child;
  }

  async ended(child: Child): Promise<LineState["status"]> {
    const status = await Promise.race([child.ended, this.#host.gone]);
    return status ?? endedBy(SIGNALS.SIGKILL);
  }
}

/** Numbers of processes end below (PID_MAX_LIMIT, include/linux/threads.h): nobody has one from here on. */
const NO_PROCESS = 4 * 1024 * 1024;
/** How long what was killed may take to be gone (it can hang in the kernel). */
const KILLED_MS = 2_000;
/** bash takes them from here on downwards. */
const LAST_PIPE = 63;
const MOST_PIPES = 32;

function limit(what: string): ToolError {
  return new ToolError("RESOURCE_LIMIT", `a line has at most ${what}`);
}

/** PIPE_BUF (include/uapi/linux/limits.h) */
const PIPE_BUF = 4096;

/** Whether writing so much keeps nobody waiting: a file takes all, and a pipe that can be written to as much as PIPE_BUF. */
function takesAtOnce(libc: Libc, descriptor: number, count: number): boolean {
  const stat = statOf(libc, descriptor);
  if (typeof stat !== "number" && stat.type === "file") return true;
  if (count > PIPE_BUF) return false;
  return isWritable(libc, descriptor);
}
