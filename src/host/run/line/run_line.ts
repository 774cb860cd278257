/** Runs a plan without a shell: programs connected by pipes of the kernel, in the order and with the statuses of one. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { CompoundPlan, Plan, PlanNode, Redirection, SimplePlan } from "../../../core/plan.ts";
import { SIGNALS } from "../../../sandbox/kernel/signals.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { type Child, endedBy } from "../_programs.ts";
import { differsFromShell } from "../../../shell/program_forms.ts";
import type { Builtin } from "./_builtin.ts";
import { builtinOf } from "./_builtins.ts";
import { runCompound } from "./_compound.ts";
import { type Expander, expandText, expandWord } from "./_expand.ts";
import type { LineHost, LineRedirection, NotStarted } from "./line_host.ts";
import { redirect, type Redirected, targetsOf } from "./_redirections.ts";
import { either, Exit, LineState, shellOf, statusOf, SUCCESS } from "./_state.ts";
import { runStages } from "./_stages.ts";
import { Stopped } from "./_stopped.ts";
import { outputOf } from "./_substitution.ts";

export { Stopped };

/** What a command reads from and writes to. */
interface LineStreams {
  readonly descriptors: readonly number[];
  /** Called once its program has them, or it has ended: whoever made pipes for it alone lets them go. */
  readonly release: () => void;
  /** Somebody looks at the status: it ends nothing (`set -e`). */
  readonly tested: boolean;
}

/** Programs that loops of one line start at most. */
const MOST_STARTS = 10_000;
/** How long a loop goes on before others have their turn. */
const LONGEST_TURN_MS = 5;

const FAILED = { code: 1, signal: null } as const;

/** The status of the whole line. Throws a ToolError for the command that stops it, `Stopped` where it was stopped. */
export async function runLine(
  plan: Plan,
  host: LineHost,
  start: {
    readonly directory: CanonicalPath;
    readonly environment: Readonly<Record<string, string>>;
    readonly descriptors: readonly number[];
    readonly release: () => void;
  },
): Promise<LineState["status"]> {
  const state = LineState.begin(start.directory, start.environment, plan.settings);
  const runner = new LineRunner(host);
  const { descriptors, release } = start;
  // A line that is one command lets go of the pipes with its start.
  const place = { descriptors, release, tested: false };
  return await runner.subshell(plan.root, state, place);
}

class LineRunner {
  readonly #host: LineHost;
  /** Programs so far. */
  #started = 0;
  /** When others last had their turn. */
  #turned = performance.now();

  constructor(host: LineHost) {
    this.#host = host;
  }

  /** Expands the words of a command that has these descriptors. */
  #expander(descriptors: readonly number[]): Expander {
    return {
      substitute: (body, state) => this.#substitute(body, state, descriptors),
      filesOf: (pattern, state) => this.#host.filesOf(pattern, state.directory),
      allowVariable: (name, state) => this.#allowVariable(name, state),
      fail: async (message, state) => {
        await this.#complain(descriptors, message);
        state.status = state.expansionFailure;
        throw new Exit(state.status);
      },
    };
  }

  #complain([, , descriptor]: readonly number[], message: string): Promise<void> {
    return this.#say(descriptor, message);
  }

  async #say(descriptor = CLOSED, message: string): Promise<void> {
    if (descriptor === CLOSED) return;
    const { libc, spawner } = this.#host;
    const bytes = new TextEncoder().encode(`${message}\n`);
    // On a thread that may wait: the pipe may be full, and its reader be this very thread. One write, so that
    // what others write stays apart (PIPE_BUF, pipe(7)); what is lost of a longer one nobody misses.
    await spawner.blocking(libc.numbers.write, descriptor, bytes, bytes.length);
  }

  /** Runs the node with a state that nobody uses afterwards; an `exit` in it ends it alone. */
  async subshell(
    node: PlanNode,
    state: LineState,
    place: LineStreams,
  ): Promise<LineState["status"]> {
    try {
      await this.#node(node, state, place);
      return state.status;
    } catch (error) {
      if (error instanceof Exit) return error.status;
      throw error;
    } finally {
      place.release();
    }
  }

  async #node(node: PlanNode, state: LineState, place: LineStreams): Promise<void> {
    if (this.#host.stopped()) throw new Stopped();
    switch (node.kind) {
      case "simple":
        await this.#simple(node, state, place);
        break;
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
        await this.#compound(node, state, place);
        break;
      default:
        return await this.#compound(node, state, place);
    }
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
      await this.#node(node, state, { ...place, tested, release });
    }
  }

  async #pipeline(
    { stages, negated }: Extract<PlanNode, { readonly kind: "pipeline" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const tested = place.tested || negated;
    if (stages.length === 1) {
      for (const stage of stages) await this.#node(stage, state, { ...place, tested });
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
        expander: this.#expander(descriptors),
        run: (part, tested = false) =>
          this.#node(part, state, { ...inner, tested: tested || inner.tested }),
        turn: () => this.#turn(),
      });
    } finally {
      opened.close();
    }
  }

  /** A variable that programs get is not every line's to change. */
  async #allowVariable(name: string, state: LineState): Promise<void> {
    const { directory } = state;
    if (!state.isGiven(name)) return;
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
      if (!node.subshell) return await this.#node(node.body, state, inner);
      const copy = state.copy();
      copy.settings = node.opened === undefined
        ? either(state.settings, node.settings)
        : node.settings;
      copy.inner = node.opened === undefined;
      if (node.opened !== undefined) copy.shell = shellOf(node.opened);
      state.status = await this.subshell(node.body, copy, inner);
    } finally {
      opened.close();
    }
  }

  /** The redirections of what is no program, judged and done. */
  async #opened(
    node: { readonly redirections: readonly Redirection[] },
    state: LineState,
    place: LineStreams,
  ): Promise<Redirected | null> {
    const expander = this.#expander(place.descriptors);
    const redirections = await targetsOf(node.redirections, state, expander);
    if (redirections.length > 0) {
      const { directory } = state;
      await this.#host.allow({ argv: null, directory, redirections, variables: [] });
    }
    return await this.#redirect(node.redirections, redirections, state, place);
  }

  /** The descriptors of a command; null, with a status, where a file cannot be opened. */
  async #redirect(
    redirections: readonly Redirection[],
    targets: readonly LineRedirection[],
    state: LineState,
    { descriptors: around }: LineStreams,
  ): Promise<Redirected | null> {
    const expander = this.#expander(around);
    const opened = await redirect(this.#host, redirections, targets, { state, expander, around });
    if (opened.failure === null) return opened;
    // Those to its left hold already (bash and dash alike).
    await this.#complain(opened.descriptors, opened.failure);
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

  async #simple(node: SimplePlan, state: LineState, place: LineStreams): Promise<void> {
    const expander = this.#expander(place.descriptors);
    state.substituted = null;
    const argv: string[] = [];
    for (const word of node.words) argv.push(...await expandWord(word, state, expander));
    const redirections = await targetsOf(node.redirections, state, expander);
    const [name] = argv;
    const builtin = name === undefined ? assignOnly : builtinOf(name);
    const { directory } = state;
    if (differsFromShell(argv)) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `"${name}" at character ${
          node.position + 1
        } came out in a form that only a shell has; it is not run: ` +
          "use the options, conversions and escapes that POSIX names",
      );
    }
    const names = node.assignments.map((one) => one.name);
    const changed = name === "unset" || name === "read" ? argv.slice(1) : [];
    // A variable of the line alone is nobody's business, unless it is one that programs get.
    const variables = builtin === null
      ? names
      : [...names, ...changed].filter((one) => state.isGiven(one));
    if (builtin === null || redirections.length > 0 || variables.length > 0) {
      await this.#host.allow({
        argv: builtin === null ? argv : null,
        directory,
        redirections,
        variables,
      });
    }
    // A variable that is set alone stays set, even where a redirection fails.
    if (builtin === assignOnly) await this.#assign(node, state, expander);
    const opened = await this.#redirect(node.redirections, redirections, state, place);
    if (opened === null) return;
    const { descriptors } = opened;
    try {
      const values = builtin === assignOnly
        ? new Map()
        : await this.#assign(node, state.copy(), expander);
      if (builtin === null) {
        const child = this.#launch(argv, values, state, descriptors);
        // As a shell does it, into what the command itself would have written to.
        if ("status" in child) await this.#complain(descriptors, child.message);
        opened.close();
        place.release();
        state.status = "status" in child
          ? { code: child.status, signal: null }
          : await this.#ended(child);
      } else if (builtin === assignOnly) {
        // Without a substitution the status of an assignment is success (POSIX, 2.9.1.1).
        state.status = state.substituted ?? SUCCESS;
      } else {
        const [input = CLOSED] = descriptors;
        const around = { host: this.#host, input, separators: values.get("IFS") };
        const { status, error, output } = await builtin(argv.slice(1), state, around);
        if (error !== undefined) await this.#complain(descriptors, `${name}: ${error}`);
        if (output !== undefined) await this.#say(descriptors[1], output);
        state.status = { code: status, signal: null };
      }
    } finally {
      opened.close();
    }
  }

  /** Sets its variables, each seeing those to its left (POSIX, 2.9.1). */
  async #assign(
    { assignments }: SimplePlan,
    state: LineState,
    expander: Expander,
  ): Promise<ReadonlyMap<string, string>> {
    const values = new Map<string, string>();
    for (const { name, value } of assignments) {
      const text = await expandText(value, state, expander);
      values.set(name, text);
      state.assign(name, text);
    }
    return values;
  }

  #launch(
    argv: readonly string[],
    values: ReadonlyMap<string, string>,
    state: LineState,
    descriptors: readonly number[],
  ): Child | NotStarted {
    // Much may have been waited for since it was looked at.
    if (this.#host.stopped()) throw new Stopped();
    if (++this.#started > MOST_STARTS) {
      throw new ToolError("RESOURCE_LIMIT", `a line starts at most ${MOST_STARTS} programs`);
    }
    const environment = state.environment();
    // As a shell says where it is: by the way it came, through links or not.
    const logical = argv.length === 1 && argv[0] === "pwd" && state.logical !== state.directory;
    const words = logical ? ["pwd", "-L"] : argv;
    for (const [name, value] of values) environment.set(name, value);
    return this.#host.launch({ argv: words, directory: state.directory, environment, descriptors });
  }

  async #ended(child: Child): Promise<LineState["status"]> {
    const status = await Promise.race([child.ended, this.#host.gone]);
    return status ?? endedBy(SIGNALS.SIGKILL);
  }
}

/** A command without words: its assignments and redirections are all there is. */
const assignOnly: Builtin = (): never => {
  throw new Error("there is nothing to call");
};
