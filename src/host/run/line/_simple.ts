/** Runs one command: its words, its variables, its files, and then what its first word means. */

import { ToolError } from "../../../core/errors.ts";
import { givesDescriptor, type PlanNode, type SimplePlan } from "../../../core/plan.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { wordText } from "../../../shell/certain.ts";
import { differsFromShell } from "../../../shell/program_forms.ts";
import type { Child, Ended } from "../_programs.ts";
import { close } from "../../kernel/pipes.ts";
import type { Around, Builtin, Done } from "./builtins/builtin.ts";
import { builtinOf } from "./builtins/builtins.ts";
import { xargs } from "./builtins/xargs.ts";
import { type Expander, expandWord } from "./expand/expand.ts";
import { endsOwn, innerOf } from "./builtins/inner.ts";
import type { LineHost, NotStarted } from "./line_host.ts";
import { type Redirected, targetsOf } from "./_redirections.ts";
import type { Expansion } from "./_expansion.ts";
import type { Opening } from "./_opening.ts";
import type { Speech } from "./_speech.ts";
import { locate } from "./_search_path.ts";
import { allow, withoutPipes } from "./_allowing.ts";
import { readText } from "./_source.ts";
import { readOpen } from "./builtins/read_open.ts";
import { assign, assignFor } from "./_assigning.ts";
import { fedAnew } from "./builtins/fed_input.ts";
import { Exit, type LineState, SUCCESS } from "./_state.ts";
import type { LineStreams } from "./_streams.ts";

/** What running one command asks of whoever runs the line. */
export interface CommandRunner {
  readonly host: LineHost;
  readonly searchPath: string;
  readonly speech: Speech;
  readonly expansion: Expansion;
  readonly opening: Opening;
  call(
    name: string,
    words: readonly string[],
    state: LineState,
    place: LineStreams,
  ): Promise<void>;
  node(node: PlanNode, state: LineState, place: LineStreams): Promise<void>;
  understand(text: string, state: LineState): Promise<PlanNode>;
  evaluate(text: string, state: LineState, place: LineStreams): Promise<void>;
  launch(launch: Parameters<LineHost["launch"]>[0], state: LineState): Child | NotStarted;
  ended(child: Child): Promise<Ended>;
}

/** Runs it; the state has its status then. */
export async function runSimple(
  node: SimplePlan,
  state: LineState,
  place: LineStreams,
  runner: CommandRunner,
): Promise<void> {
  const pipes = new Map<string, number>();
  try {
    await runWith(pipes, node, state, place, runner);
  } finally {
    for (const descriptor of pipes.values()) close(runner.host.libc, descriptor);
  }
}

/** Where a redirection of one of these fails the shell ends (POSIX, 2.8.1 and 2.14); bash is of another opinion. */
const SPECIAL: ReadonlySet<string> = new Set(
  ". : break continue eval exec exit export readonly return set shift times trap unset".split(" "),
);

async function runWith(
  pipes: Map<string, number>,
  node: SimplePlan,
  state: LineState,
  place: LineStreams,
  runner: CommandRunner,
): Promise<void> {
  const expander = runner.expansion.expander(place.descriptors, pipes);
  state.substituted = null;
  const words: string[] = [];
  for (const word of node.words) words.push(...await expandWord(word, state, expander));
  const [name] = words;
  if (name === "") throw unparsable(node, "the name of the program came out empty");
  // Also what a file that was sourced has made one; and of the line's own only those that it has come to.
  const calls = name !== undefined && node.behind === undefined && state.functions.has(name);
  const builtin = name === undefined || calls
    ? null
    : node.feeds !== undefined
    ? xargs(node)
    : builtinOf(name);
  const comesOut = name !== undefined && !calls &&
    node.words[0]?.some((part) => part.kind !== "text") === true;
  // What is no program may be something that the shell does itself, and nothing here.
  if (comesOut && (builtin !== null || isNowhere(name, state, runner))) {
    const written = await rewritten(words, node, state, runner);
    return await runWith(pipes, written, state, place, runner);
  }
  const targets = await targetsOf(node.redirections, state, expander);
  const isProgram = name !== undefined && !calls && builtin === null;
  const argv = isProgram ? locate(words, state, runner) : words;
  const own = isProgram && endsOwn(argv, state);
  await allow({ node, argv, isProgram: isProgram && !own, calls, targets, pipes }, state, runner);
  // A variable that is set alone stays set, even where a redirection fails.
  if (name === undefined) {
    const values = await assign(node.assignments, state, runner, expander);
    if (isTraced(state)) await runner.speech.traceAssigned(place.descriptors, state, values);
  }
  const opened = await runner.opening.redirect(node.redirections, targets, state, place, pipes);
  if (opened === null) {
    if (state.shell === "sh" && builtin !== null && SPECIAL.has(name ?? "")) {
      throw new Exit(state.status);
    }
    return;
  }
  try {
    const { descriptors } = opened;
    if (name === undefined) {
      // Without a substitution the status of an assignment is success (POSIX, 2.9.1.1).
      state.status = state.substituted ?? SUCCESS;
    } else if (isProgram) {
      const streams = { ...place, descriptors };
      const shown = { words, descriptors: place.descriptors };
      await runProgram({ node, argv, opened, pipes, shown }, state, streams, runner, expander);
    } else {
      await runWithin(
        { node, words, builtin, calls, pipes, shown: place.descriptors },
        state,
        { ...place, descriptors },
        runner,
        expander,
      );
    }
  } finally {
    opened.close();
  }
}

function isNowhere(name: string, state: LineState, runner: CommandRunner): boolean {
  const [found = name] = locate([name], state, runner);
  return !found.includes("/") && runner.host.programOf(found, state.directory) === null;
}

/** `"$@"` that came out as `cd src`: the command that its words are, as the line would have said it. */
async function rewritten(
  words: readonly string[],
  { assignments, redirections, position, line }: SimplePlan,
  state: LineState,
  runner: CommandRunner,
): Promise<SimplePlan> {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const node = await runner.understand(quoted, state);
  if (node.kind === "simple") return { ...node, assignments, redirections, position, line };
  throw new ToolError(
    "COMMAND_UNPARSABLE",
    `the command at character ${position + 1} is not run: ${
      words[0]
    } came out of a variable, in a form that takes the line itself`,
  );
}

/** `set -x`. */
function isTraced({ options }: LineState): boolean {
  return options.has("xtrace");
}

async function runProgram(
  { node, argv, opened, pipes, shown }: {
    readonly node: SimplePlan;
    readonly argv: readonly string[];
    readonly opened: Redirected;
    /** As `set -x` shows it, and where. */
    readonly shown: { readonly words: readonly string[]; readonly descriptors: readonly number[] };
    readonly pipes: ReadonlyMap<string, number>;
  },
  state: LineState,
  place: LineStreams,
  runner: CommandRunner,
  expander: Expander,
): Promise<void> {
  const { descriptors } = place;
  const [name = "", ...rest] = argv;
  const copy = state.copy();
  const values = await assign(node.assignments, copy, runner, expander);
  if (isTraced(state)) {
    await traceProgram(node, shown, values, state, runner);
  }
  const inner = innerOf(name);
  if (inner !== null) {
    const done = await inner(rest, state, aroundOf(node, place, state, runner));
    if (done !== null) return await settle(name, done, state, place, runner);
    if (differsFromShell(argv)) {
      throw unparsable(node, `"${name}" came out in a form that only a shell has`);
    }
  }
  if (givesDescriptor(node.redirections)) {
    throw unparsable(node, "a program is given a descriptor above 2");
  }
  const environment = state.environment();
  for (const [variable, value] of values) environment.set(variable, value);
  const held = argv.map((word) => withoutPipes(word, pipes));
  const feeding = fedAnew(runner.host, held, state.directory, descriptors[0] ?? CLOSED);
  // Most are fed nothing: what stands beside them in a pipe is started at once.
  const fed = feeding === null ? null : await feeding;
  const [stdin = CLOSED, ...outputs] = descriptors.slice(0, 3);
  // As a shell says where it is: by the way it came, through links or not.
  const child = runner.launch({
    argv,
    directory: state.directory,
    environment,
    descriptors: placed([fed ?? stdin, ...outputs], pipes),
    ...(state.limits.size === 0 ? {} : { lowered: [...state.limits.values()] }),
    ...(state.mask === null ? {} : { mask: state.mask }),
    ...(pipes.size === 0 ? {} : { held }),
  }, state);
  if (fed !== null) close(runner.host.libc, fed);
  // As a shell does it, into what the command itself would have written to.
  if ("status" in child) await runner.speech.complain(descriptors, state, messageOf(child, state));
  opened.close();
  for (const descriptor of pipes.values()) close(runner.host.libc, descriptor);
  (pipes as Map<string, number>).clear();
  place.release();
  state.status = "status" in child
    ? { code: child.status, signal: null }
    : await runner.ended(child);
  state.jobs.noticed();
}

/** As it was written: the variables of `env A=1 git` are words. */
async function traceProgram(
  { assignments, behind }: SimplePlan,
  { words, descriptors }: {
    readonly words: readonly string[];
    readonly descriptors: readonly number[];
  },
  values: ReadonlyMap<string, string>,
  state: LineState,
  { speech }: CommandRunner,
): Promise<void> {
  const own = new Set(
    assignments.slice(assignments.length - (behind?.own ?? 0)).map(({ name }) => name),
  );
  const before = (behind?.words ?? []).map((word) => {
    const [, name = ""] = /^(\w+)=/.exec(wordText(word)) ?? [];
    return own.has(name) ? `${name}=${values.get(name)}` : wordText(word);
  });
  const set = new Map([...values].filter(([name]) => !own.has(name)));
  await speech.traceAssigned(descriptors, state, set);
  await speech.trace(descriptors, state, [...before, ...words]);
}

/** dash says in short that nothing is there. */
function messageOf({ status, name, message }: NotStarted, { shell }: LineState): string {
  return shell === "sh" && status === 127 ? `${name}: not found` : `${name}: ${message}`;
}

/** Each pipe under the number that its name says: what stands behind the third is numbered from there on. */
function placed(
  standard: readonly number[],
  pipes: ReadonlyMap<string, number>,
): readonly number[] {
  const all = [...standard];
  for (const [name, descriptor] of pipes) {
    const at = Number(name.slice("/dev/fd/".length)) - UNUSED;
    while (all.length <= at) all.push(CLOSED);
    all[at] = descriptor;
  }
  return all;
}

/** Numbers between the standard ones and the others, which the start of a program takes (`FIRST_OTHER`). */
const UNUSED = 3;

/** A builtin, or a function. */
async function runWithin(
  { node, words, builtin, calls, pipes, shown }: {
    readonly node: SimplePlan;
    readonly words: readonly string[];
    readonly builtin: Builtin | null;
    readonly calls: boolean;
    readonly pipes: ReadonlyMap<string, number>;
    /** Where `set -x` shows it. */
    readonly shown: readonly number[];
  },
  state: LineState,
  place: LineStreams,
  runner: CommandRunner,
  expander: Expander,
): Promise<void> {
  const [name = "", ...rest] = words;
  // Its variables hold while it runs, and are what they were then.
  const restore = await assignFor(node, state, runner, expander);
  try {
    if (isTraced(state)) {
      const set = node.assignments.map(({ name }) => [name, state.valueOf(name) ?? ""] as const);
      await runner.speech.traceAssigned(shown, state, new Map(set));
      await runner.speech.trace(shown, state, words);
    }
    if (calls) return await runner.call(name, rest, state, place);
    const done = await builtin!(rest, state, aroundOf(node, place, state, runner, pipes));
    await assign(node.declares ?? [], state, runner, expander);
    await settle(name, done, state, place, runner);
  } finally {
    restore();
  }
}

/** What it says, and the status it has. */
async function settle(
  name: string,
  { status, error, complaint, plaint, said, output }: Done,
  state: LineState,
  { descriptors }: LineStreams,
  runner: CommandRunner,
): Promise<void> {
  const errors = typeof error === "string" ? [error] : error ?? [];
  const complaints = [
    ...errors.map((one) => `${name}: ${one}`),
    ...(complaint === undefined ? [] : [complaint]),
  ];
  if (plaint !== undefined) {
    await runner.speech.say(descriptors[2], `${state.name}: ${plaint}\n`);
  }
  if (said !== undefined) await runner.speech.say(descriptors[2], said);
  if (complaints.length > 0) await runner.speech.complain(descriptors, state, ...complaints);
  const failed = output === undefined ? null : await runner.speech.write(descriptors[1], output);
  if (failed !== null) await runner.speech.complain(descriptors, state, `${name}: ${failed}`);
  state.status = { code: failed === null ? status : 1, signal: null };
}

function aroundOf(
  node: SimplePlan,
  place: LineStreams,
  state: LineState,
  runner: CommandRunner,
  pipes: ReadonlyMap<string, number> = new Map(),
): Around {
  const { host } = runner;
  const { descriptors } = place;
  const opened = (path: string) =>
    pipes.get(path) ?? (path === "/dev/stdin" ? descriptors[0] ?? CLOSED : null);
  return {
    host,
    descriptors,
    expander: runner.expansion,
    tests: runner.expansion.tests(descriptors),
    judged: node.later !== true,
    script: node.script ?? null,
    evaluate: (text) => runner.evaluate(text, state, place),
    run: (script, own) => runner.node(script, own, { ...place, release: () => {} }),
    understand: (text) => runner.understand(text, state),
    readFile: (path) => {
      const descriptor = opened(path);
      return descriptor === null ? readText(host, path, state) : readOpen(host, descriptor, path);
    },
    programOf: (name) => host.programOf(locate([name], state, runner)[0] ?? name, state.directory),
    wait: async (ended) => {
      await Promise.race([ended, host.stopping]);
    },
  };
}

function unparsable({ position }: SimplePlan, what: string): ToolError {
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `the command at character ${position + 1} is not run: ${what}`,
  );
}
