/** Runs a plan without a shell: programs connected by pipes of the kernel, in the order and with the statuses of one. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { CompoundPlan, Plan, PlanNode, SimplePlan } from "../../../core/plan.ts";
import { SIGNALS } from "../../../sandbox/kernel/signals.ts";
import { certainText, holdsCommand } from "../../../shell/certain.ts";
import { type Child, type Ended, endedBy, type Usage } from "../_programs.ts";
import { runCompound } from "./_compound.ts";
import { Expansion } from "./_expansion.ts";
import { hasFailed } from "./_failing.ts";
import { Jobs } from "./_jobs.ts";
import { limit } from "./_limit.ts";
import type { LineHost, NotStarted } from "./line_host.ts";
import { Opening } from "./_opening.ts";
import { runRest } from "./_rest.ts";
import { runSimple } from "./_simple.ts";
import type { LineStreams } from "./_streams.ts";
import { Speech } from "./_speech.ts";
import { runStages } from "./_stages.ts";
import { either, Exit, LineState, Return, statusOf, SUCCESS } from "./_state.ts";
import { Stopped } from "./_stopped.ts";
import { Tasks } from "./_tasks.ts";
import { timed } from "./_times.ts";
import { Turns } from "./_turns.ts";

export { Stopped };

/** Programs that loops of one line start at most. */
const MOST_STARTS = 10_000;

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
  const { libc } = host;
  const state = LineState.begin(start, plan.settings, libc.call(libc.numbers.geteuid));
  const runner = new LineRunner(host, state.valueOf("PATH") ?? "", plan.line);
  state.line = linesOf(plan.line);
  state.places = { searchPath: state.valueOf("PATH") ?? "", workspace: start.workspace };
  const { descriptors, release } = start;
  // A line that is one command lets go of the pipes with its start.
  const place = { descriptors, release: () => runner.release(release), tested: false };
  return await runner.whole(plan.root, state, place);
}

/** A script is read to its end where it is one command. */
function linesOf(script: string): number {
  return script.trimEnd().split("\n").length;
}

class LineRunner {
  readonly host: LineHost;
  /** Where the search path was when the line began. */
  readonly searchPath: string;
  readonly speech: Speech;
  readonly expansion: Expansion;
  readonly opening: Opening;
  /** What runs beside it. */
  readonly #tasks: Tasks;
  /** Programs so far. */
  #started = 0;
  /** What those that have ended took. */
  #usage: Usage = { userMs: 0, systemMs: 0 };
  readonly #turns: Turns;

  constructor(host: LineHost, searchPath: string, line: string) {
    this.host = host;
    this.#turns = new Turns(host);
    this.searchPath = searchPath;
    const subshell = (node: PlanNode, state: LineState, place: LineStreams) =>
      this.subshell(node, state, place);
    const speech = new Speech(host, () => this.#tasks.over);
    this.speech = speech;
    this.#tasks = new Tasks({
      ...{ host, line },
      run: subshell,
      say: (descriptor, text) => speech.say(descriptor, text),
    });
    this.expansion = new Expansion({ host, tasks: this.#tasks, speech, subshell });
    this.opening = new Opening({ host, expansion: this.expansion, speech });
  }

  /** Runs the line to its end, and ends what it has left beside itself. */
  async whole(node: PlanNode, state: LineState, place: LineStreams): Promise<Ended> {
    try {
      const status = await this.subshell(node, state, place);
      await this.#tasks.drained();
      return status;
    } finally {
      await this.#tasks.end(place.descriptors);
    }
  }

  /** The line's own descriptors, which what is left at its end may have to be told through yet. */
  release(release: () => void): void {
    this.#tasks.release(release);
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
      state.linesBefore = 0;
      const { status } = state;
      state.left = status;
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
    const trapped = state.failing !== null;
    switch (node.kind) {
      case "simple":
        state.reach(node.line);
        await this.#simple(node, state, place);
        // A call has done this for what is in it.
        if (node.calls === true && state.functions.has(certainText(node.words[0]!) ?? "")) return;
        break;
      case "background":
        return await this.#tasks.background(node, state, place);
      case "time":
        return await timed({
          posix: node.posix,
          usage: () => this.#usage,
          tell: (text) => this.speech.say(place.descriptors[2], text),
        }, () => this.node(node.body, state, { ...place, release: () => {} }));
      case "function": {
        const { linesBefore, speaker } = state;
        const { body } = node;
        const made = { body, linesBefore, speaker: speaker ?? "environment" };
        state.functions = new Map([...state.functions, [node.name, made]]);
        state.status = SUCCESS;
        return;
      }
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
    if (failed && !looked) await hasFailed(state, { trapped, run: this.#apart(place) });
  }

  /** Runs a node that stands nowhere in the list that is run. */
  #apart(place: LineStreams): (node: PlanNode, state: LineState) => Promise<void> {
    return (node, state) => this.node(node, state, { ...place, tested: false, release: () => {} });
  }

  /** Behind `timeout` for so long. */
  async #simple(node: SimplePlan, state: LineState, place: LineStreams): Promise<void> {
    const limit = node.behind?.limit ?? null;
    if (limit === null) return await runSimple(node, state, place, this);
    const run = () => runSimple(node, state, place, this);
    state.status = await this.#tasks.limitedCommand(state, limit, run);
  }

  async #list(
    items: Extract<PlanNode, { readonly kind: "list" }>["items"],
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    for (const [index, { when, node, line }] of items.entries()) {
      const succeeded = statusOf(state.status) === 0;
      if (when !== "always" && succeeded !== (when === "success")) continue;
      const tested = place.tested || (items[index + 1]?.when ?? "always") !== "always";
      const last = index === items.length - 1;
      state.reach(line);
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
    const statuses = await runStages(this.host, stages, place, (stage, streams) => {
      const copy = state.copy();
      if (stage.kind === "simple") copy.jobs = new Jobs(state.jobs);
      else copy.inner = true;
      return this.subshell(stage, copy, { ...place, ...streams });
    });
    state.stages = statuses;
    state.jobs.noticed();
    const last = statuses.at(-1) ?? SUCCESS;
    if (!state.settings.pipefail) return last;
    return statuses.findLast((status) => statusOf(status) !== 0) ?? SUCCESS;
  }

  /** What fails inside ends the line there, as in a plain group. */
  async #compound(node: CompoundPlan, state: LineState, place: LineStreams): Promise<void> {
    const opened = await this.opening.opened(node, state, place);
    if (opened === null) return;
    const { descriptors } = opened;
    const inner = { descriptors, tested: place.tested, release: () => {} };
    try {
      state.reach(node.line);
      await runCompound(node, state, {
        tests: this.expansion.tests(descriptors),
        expander: this.expansion.expander(descriptors),
        run: (part, tested = false) =>
          this.node(part, state, { ...inner, tested: tested || inner.tested }),
        turn: () => this.#turns.turn(),
      });
    } finally {
      opened.close();
    }
  }

  async #group(
    node: Extract<PlanNode, { readonly kind: "group" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    if (node.rest === true) {
      const run = (inner: LineStreams) => this.node(node.body, state, inner);
      return await runRest(node, state, place, { opening: this.opening, run });
    }
    const opened = await this.opening.opened(node, state, place);
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
      state.status = node.limit === undefined
        ? await this.subshell(node.body, copy, inner)
        : await this.#tasks.limited(
          copy,
          node.limit,
          () => this.subshell(node.body, copy, inner),
        );
      state.jobs.noticed();
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
    const called = state.functions.get(name);
    if (called === undefined) throw new Error(`${name} is no function`);
    const { positional, called: callers, failing } = state;
    if (!state.options.has("errtrace")) state.failing = null;
    state.positional = words;
    state.called = [name, ...callers];
    await this.#within(state, async () => {
      state.variables.enter();
      try {
        const { body, speaker, linesBefore } = called;
        await state.reading(
          { speaker, linesBefore },
          () => this.node(body, state, { ...place, release: () => {} }),
        );
      } catch (error) {
        if (!(error instanceof Return)) throw error;
        state.status = error.status;
      } finally {
        state.variables.leave();
        state.positional = positional;
        state.called = callers;
        // One that it has set itself stays.
        state.failing ??= failing;
      }
    });
    if (statusOf(state.status) !== 0 && !place.tested) {
      await hasFailed(state, { trapped: failing !== null, run: this.#apart(place) });
    }
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
    // What is sourced can be returned from, as a function can.
    const returns = state.depth > 0 || state.called[0] === "source";
    return await parseFurther(text, [...state.functions.keys()], returns);
  }

  async evaluate(text: string, state: LineState, place: LineStreams): Promise<void> {
    const node = await this.understand(text, state);
    state.nesting++;
    try {
      await this.#within(state, () => this.node(node, state, { ...place, release: () => {} }));
    } finally {
      state.nesting--;
    }
  }

  /** Throws what ends the line, or what it is part of. */
  mayGoOn({ task }: LineState): void {
    if (this.#tasks.over || this.host.stopped()) throw new Stopped();
    if (task !== null && task.ending !== null) throw new Exit(task.ending);
  }

  launch(launch: Parameters<LineHost["launch"]>[0], state: LineState): Child | NotStarted {
    // Much may have been waited for since it was looked at.
    this.mayGoOn(state);
    if (++this.#started > MOST_STARTS) throw limit(`${MOST_STARTS} programs in a line`);
    const child = this.host.launch(launch);
    if ("ended" in child) state.task?.started(child);
    return child;
  }

  async ended(child: Child): Promise<LineState["status"]> {
    const status = await Promise.race([child.ended, this.host.gone]);
    const { userMs, systemMs } = this.#usage;
    const its = child.usage();
    this.#usage = { userMs: userMs + its.userMs, systemMs: systemMs + its.systemMs };
    return status ?? endedBy(SIGNALS.SIGKILL);
  }
}
