/** Runs a plan without a shell: programs connected by pipes of the kernel, in the order and with the statuses of one. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { baseName } from "../../../core/path_text.ts";
import type { Plan, PlanNode, Redirection, ShellSettings, SimplePlan } from "../../../core/plan.ts";
import { SIGNALS } from "../../../sandbox/kernel/signals.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { Output } from "../_output.ts";
import { type Child, endedBy } from "../_programs.ts";
import { close, openPipe, setNonBlocking } from "../../kernel/pipes.ts";
import { differsFromShell } from "../../../shell/program_forms.ts";
import { type Builtin, builtinOf } from "./_builtins.ts";
import { type Expander, expandText, expandWord } from "./_expand.ts";
import type { LineHost, LineRedirection, NotStarted } from "./line_host.ts";
import { redirect, type Redirected, targetsOf } from "./_redirections.ts";
import { Exit, LineState, statusOf, SUCCESS } from "./_state.ts";
import { textOf } from "./_substitution.ts";

/** What a command reads from and writes to. */
interface LineStreams {
  readonly descriptors: readonly number[];
  /** Called once its program has them, or it has ended: whoever made pipes for it alone lets them go. */
  readonly release: () => void;
  /** Somebody looks at the status: it ends nothing (`set -e`). */
  readonly tested: boolean;
}

const FAILED = { code: 1, signal: null } as const;

/** The one that stopped it is told by whoever stopped it. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

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

  constructor(host: LineHost) {
    this.#host = host;
  }

  /** Expands the words of a command that has these descriptors. */
  #expander(descriptors: readonly number[]): Expander {
    return {
      substitute: (body, state) => this.#substitute(body, state, descriptors),
      filesOf: (pattern, state) => this.#host.filesOf(pattern, state.directory),
      fail: async (message, state) => {
        await this.#complain(descriptors, message);
        state.status = state.expansionFailure;
        throw new Exit(state.status);
      },
    };
  }

  async #complain(descriptors: readonly number[], message: string): Promise<void> {
    const [, , descriptor = CLOSED] = descriptors;
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
    const { libc } = this.#host;
    const running: Promise<LineState["status"]>[] = [];
    let input: number | null = null;
    for (const [index, stage] of stages.entries()) {
      const pipe = index === stages.length - 1 ? null : openPipe(libc);
      const own = [input, pipe?.write ?? null].filter((one) => one !== null);
      const [stdin = CLOSED, stdout = CLOSED, ...others] = place.descriptors;
      const descriptors = [input ?? stdin, pipe?.write ?? stdout, ...others];
      const release = once(() => own.forEach((descriptor) => close(libc, descriptor)));
      input = pipe?.read ?? null;
      const copy = state.copy();
      copy.inner ||= stage.kind !== "simple";
      running.push(this.subshell(stage, copy, { ...place, descriptors, release }));
    }
    // A stage that stops the line leaves others that would wait for it.
    for (const one of running) one.catch(() => this.#host.stop());
    const results = await Promise.allSettled(running);
    place.release();
    const refused = results.filter((one) => one.status === "rejected");
    const told = refused.find(({ reason }) => !(reason instanceof Stopped)) ?? refused[0];
    if (told !== undefined) throw told.reason;
    const statuses = results.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
    const last = statuses.at(-1) ?? SUCCESS;
    if (!state.settings.pipefail) return last;
    return statuses.findLast((status) => statusOf(status) !== 0) ?? SUCCESS;
  }

  async #group(
    node: Extract<PlanNode, { readonly kind: "group" }>,
    state: LineState,
    place: LineStreams,
  ): Promise<void> {
    const expander = this.#expander(place.descriptors);
    const redirections = await targetsOf(node.redirections, state, expander);
    if (redirections.length > 0) {
      const { directory } = state;
      await this.#host.allow({ argv: null, directory, redirections, variables: [] });
    }
    const opened = await this.#redirect(node.redirections, redirections, state, place);
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
    const { libc, poller, outputLimit, buffer } = this.#host;
    const pipe = openPipe(libc);
    setNonBlocking(libc, pipe.read);
    const chunks: Uint8Array[] = [];
    let size = 0;
    const output = new Output({ libc, poller, buffer }, pipe.read, (bytes) => {
      size += bytes.length;
      if (size <= outputLimit) chunks.push(bytes.slice());
    });
    try {
      state.substituted = await this.subshell(body, state.substitution(), {
        descriptors: [stdin, pipe.write, stderr],
        release: once(() => close(libc, pipe.write)),
        tested: false,
      });
      state.status = state.substituted;
      await Promise.race([output.ended, this.#host.stopping]);
    } finally {
      output.close();
    }
    if (this.#host.stopped()) throw new Stopped();
    if (size > outputLimit) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `a command substitution gave more than ${outputLimit} bytes; write it to a file and read that`,
      );
    }
    return textOf(chunks).replace(/\n+$/, "");
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
    // A variable of the line alone is nobody's business, unless it is one that programs get.
    const variables = builtin === null
      ? names
      : [...names, ...(name === "unset" ? argv.slice(1) : [])].filter((one) => state.isGiven(one));
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
        const { status, error } = builtin(argv.slice(1), state, this.#host);
        if (error !== undefined) await this.#complain(descriptors, `${name}: ${error}`);
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
const assignOnly: Builtin = () => {
  throw new Error("there is nothing to call");
};

function shellOf([name = ""]: readonly string[]): LineState["shell"] {
  return baseName(name) === "bash" ? "bash" : "sh";
}

function either(a: ShellSettings, b: ShellSettings): ShellSettings {
  return {
    errexit: a.errexit || b.errexit,
    nounset: a.nounset || b.nounset,
    pipefail: a.pipefail || b.pipefail,
  };
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}
