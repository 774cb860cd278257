/** From a plan, and from one command whose words and redirections are known, to the capabilities that they need. */

import type { Capability } from "../core/capability.ts";
import {
  BUILTINS,
  type CompoundPlan,
  PIPE_WORD,
  type Plan,
  type PlanNode,
  type Redirection,
  type SimplePlan,
  type Word,
} from "../core/plan.ts";
import { findScripts } from "./_find_scripts.ts";
import {
  lowerArithmetic,
  lowerAssigned,
  lowerRedirected,
  lowerRedirections,
  lowerSubstitutions,
  lowerTest,
} from "./_lower_words.ts";
import {
  certainTargets,
  change,
  from,
  type KnownFolder,
  localChange,
  lowerRedirection,
  type Needs,
  placeOf,
  ready,
} from "./_needs.ts";
import { readXargs } from "./commands/xargs_words.ts";
import { SHELLS } from "./_shell_call.ts";
import { certainText, isHarmless, movesAnywhere, wordText } from "./certain.ts";
import type { SpentPieces } from "./_walk.ts";

/** A simple command after expansion: what is to be started, with what around it. */
export interface ExpandedCommand {
  /** Never empty. Empty arguments stand as they are. */
  readonly argv: readonly string[];
  /** Relative to the workspace, or absolute; `.` for the workspace itself. */
  readonly cwd: string;
  /** Files that are opened for it, here-documents and duplicates left out. Targets from `cwd`. */
  readonly redirections: readonly {
    readonly kind: Extract<Redirection, { readonly target: unknown }>["kind"];
    readonly target: string;
  }[];
  /** Names of variables that it gets beside those of the line so far. */
  readonly variables: readonly string[];
}

/**
 * All that the command needs. Judged by `rulebook.decide` once the host has resolved it: what is not plainly allowed
 * does not start. The effects of the program itself (`cp` writes its last operand) are not in here: they hang on
 * the policy's table of programs, and the resolver asks `rulebook.reach` for them.
 *
 * Throws COMMAND_UNPARSABLE for a shell script among the words that cannot be understood.
 */
export function lowerCommand(command: ExpandedCommand): Promise<readonly Capability[]> {
  return lowerExpanded(command, { pieces: 0 });
}

async function lowerExpanded(
  command: ExpandedCommand,
  spent: SpentPieces,
): Promise<readonly Capability[]> {
  const { argv, cwd } = command;
  const { scripts, capabilities } = await findScripts(
    argv,
    spent,
    (plan) => lowerNeeds(plan, cwd, spent),
  );
  return [
    { kind: "process.spawn", argv, cwd, ...(scripts.length === 0 ? {} : { scripts }) },
    ...capabilities,
    ...lowerWithoutProgram(command),
  ];
}

/** As {@linkcode lowerCommand}, for a group, or a command that is no program: its files and variables alone. */
export function lowerWithoutProgram(
  { cwd, redirections, variables }: Omit<ExpandedCommand, "argv">,
): readonly Capability[] {
  return [
    ...redirections.flatMap(({ kind, target }) => lowerRedirection(kind, from(cwd, target))),
    ...variables.map((name): Capability => ({ kind: "env.read", name, change: true })),
  ];
}

/**
 * All that the plan needs as far as the line says it. Commands with words that are known only at run time stand in it
 * with `open`: they are judged once more, whole, when they run (`lowerCommand`). `cwd` as in capabilities.
 */
export function lowerPlan(plan: Plan, cwd: string): Promise<readonly Capability[]> {
  return lowerNeeds(plan, cwd, { pieces: 0 });
}

async function lowerNeeds(
  plan: Plan,
  cwd: string,
  spent: SpentPieces,
): Promise<readonly Capability[]> {
  const needs = collecting(movesAnywhere(plan.root));
  needs.lower(plan.root, cwd);
  const capabilities: Capability[] = [];
  for (const need of needs.found) {
    if (need.kind === "ready") capabilities.push(need.capability);
    else capabilities.push(...await lowerSimple(need.simple, need.place, cwd, spent));
  }
  return capabilities;
}

function collecting(moves: boolean): Needs {
  const needs: Needs = { found: [], moves, lower: (node, cwd) => lowerNode(node, cwd, needs) };
  return needs;
}

/** Collects what a node needs; answers the directory that what follows it stands in. */
function lowerNode(node: PlanNode, cwd: KnownFolder, needs: Needs): KnownFolder {
  switch (node.kind) {
    case "simple":
      return lowerWords(node, cwd, needs);
    case "pipeline":
      node.stages.forEach((stage) => lowerNode(stage, cwd, needs));
      return node.stages.length === 1 ? lowerLast(node.stages, cwd) : cwd;
    case "list":
      return node.items.reduce((at: KnownFolder, item) => lowerNode(item.node, at, needs), cwd);
    case "group": {
      if (node.opened !== undefined) {
        needs.found.push(
          ready({ kind: "process.spawn", argv: node.opened, cwd: cwd ?? ".", opened: true }),
        );
      }
      lowerRedirections(node.redirections, cwd, needs);
      const inside = lowerNode(node.body, cwd, needs);
      return node.subshell ? cwd : inside;
    }
    case "background":
      lowerNode(node.body, cwd, needs);
      return cwd;
    case "time":
      return lowerNode(node.body, cwd, needs);
    case "function":
      // Nobody knows where it will be called, unless nothing in the line ever moves.
      lowerNode(node.body, needs.moves ? null : cwd, needs);
      return cwd;
    default:
      return lowerCompound(node, cwd, needs);
  }
}

/** All that it may run, whether it will or not. What one of them leaves is where the rest stands, or nobody knows. */
function lowerCompound(node: CompoundPlan, cwd: KnownFolder, needs: Needs): KnownFolder {
  lowerRedirections(node.redirections, cwd, needs);
  const ends: KnownFolder[] = [cwd];
  const lower = (part: PlanNode | null, at: KnownFolder): KnownFolder => {
    if (part === null) return at;
    const end = lowerNode(part, at, needs);
    ends.push(end);
    return end;
  };
  switch (node.kind) {
    case "for":
      needs.found.push(localChange(node.name));
      node.words.forEach((word) => lowerSubstitutions(word, cwd, needs));
      lower(node.body, cwd);
      break;
    case "if": {
      let at = cwd;
      for (const { test, body } of node.clauses) lower(body, at = lower(test, at));
      lower(node.otherwise, at);
      break;
    }
    case "while":
      lower(node.body, lower(node.test, cwd));
      break;
    case "arithmetic":
      lowerArithmetic(node.expression, cwd, needs);
      break;
    case "test":
      lowerTest(node.expression, cwd, needs);
      break;
    case "count":
      for (const part of [node.first, node.test, node.step]) {
        if (part !== null) lowerArithmetic(part, cwd, needs);
      }
      lower(node.body, cwd);
      break;
    case "case":
      lowerSubstitutions(node.word, cwd, needs);
      for (const { patterns, body } of node.arms) {
        patterns.forEach((pattern) => lowerSubstitutions(pattern, cwd, needs));
        lower(body, cwd);
      }
  }
  return ends.every((end) => end === cwd) ? cwd : null;
}

/** `! cd x` moves as `cd x` does. */
function lowerLast(stages: readonly PlanNode[], cwd: KnownFolder): KnownFolder {
  const [only] = stages;
  return only === undefined ? cwd : collecting(true).lower(only, cwd);
}

function lowerWords(simple: SimplePlan, cwd: KnownFolder, needs: Needs): KnownFolder {
  const { words, assignments, redirections, declares = [], script, feeds } = simple;
  const [first, ...rest] = words;
  const name = first === undefined ? null : certainText(first);
  for (const assignment of [...assignments, ...declares]) {
    // What a function starts gets those that stand before its name.
    const own = words.length === 0 || assignment.list !== undefined;
    // What the runner splits words by no program gets, and some values are nobody's way to make it do more.
    if (assignment.name !== "IFS" && !(words.length > 0 && isHarmless(assignment))) {
      needs.found.push(own ? localChange(assignment.name) : change(assignment.name));
    }
    lowerAssigned(assignment, cwd, needs);
  }
  words.forEach((word) => lowerSubstitutions(word, cwd, needs));
  const builtin = first === undefined || simple.calls === true ||
    BUILTINS.some((one) => one === name);
  if (name === "kill" && endsOwn(rest)) {
    // Whether it is its own is seen when it runs: what is not is judged then.
    const argv = words.map(wordText);
    needs.found.push(ready({ kind: "process.spawn", argv, cwd: cwd ?? ".", opened: true }));
    lowerRedirections(redirections, cwd, needs);
    return cwd;
  }
  if (feeds !== undefined) {
    // The rules that deny or ask for it hold, though it is not started.
    const argv = (simple.found?.words ?? words).map(wordText);
    needs.found.push(ready({ kind: "process.spawn", argv, cwd: cwd ?? ".", opened: true }));
    lowerRedirections(redirections, cwd, needs);
    if (script !== undefined) lowerNode(script, cwd, needs);
    else needs.found.push(...fedNeeds(simple, feeds, cwd));
    return cwd;
  }
  if (simple.behind !== undefined) {
    // The rules that deny or ask for these hold, though they are not started.
    const all = [...simple.behind.words, ...words].map(wordText);
    for (const at of simple.behind.programs) {
      const argv = all.slice(at);
      needs.found.push(ready({ kind: "process.spawn", argv, cwd: cwd ?? ".", opened: true }));
    }
  }
  if (!builtin) {
    // One that is known only when it runs is judged then, whole.
    if (name !== null) needs.found.push({ kind: "program", simple, place: cwd });
    redirections.forEach((one) => lowerRedirected(one, cwd, needs));
    return cwd;
  }
  lowerRedirections(redirections, cwd, needs);
  lowerNames(name, rest, needs);
  if (simple.calls === true) return needs.moves ? null : cwd;
  const inside = script === undefined ? cwd : lowerNode(script, cwd, needs);
  switch (name) {
    case "source":
    case ".":
      lowerSourced(rest, cwd, needs);
      return null;
    case "eval":
      return script === undefined ? null : inside;
    case "popd":
      return null;
    case "pushd":
    case "cd": {
      const target = rest[0] === undefined ? null : certainText(rest[0]);
      return target === null || target === "-" ? null : placeOf(cwd, target);
    }
    default:
      return cwd;
  }
}

/** The command that is fed, with words that are known when it runs; of a shell nothing before its script is known. */
function fedNeeds(
  { words, ...simple }: SimplePlan,
  feeds: number,
  place: KnownFolder,
): Needs["found"] {
  const command = words.slice(feeds);
  if (SHELLS.has(certainText(command[0] ?? []) ?? "")) return [];
  const replaces = readXargs(words.map(certainText))?.replaces ?? null;
  const fed = replaces === null
    ? [...command, COMES_IN]
    : command.map((word) => wordText(word).includes(replaces) ? COMES_IN : word);
  const { feeds: _, ...rest } = simple;
  return [{
    kind: "program",
    simple: { ...rest, words: fed, assignments: [], redirections: [] },
    place,
  }];
}

/** As a substitution would stand there. */
const COMES_IN: Word = [{
  kind: "substitution",
  body: { kind: "list", items: [] },
  quoted: false,
}];

/** Whether what `kill` is to end may be what the line itself has started: `%1`, `$!`, `$PID`, `$(jobs -p)`. */
function endsOwn(words: readonly Word[]): boolean {
  const named = words[0] !== undefined && /^-[sn]$/.test(certainText(words[0]) ?? "");
  const targets = words.slice(named ? 2 : 0).filter((word) =>
    !/^-[A-Z0-9]+$|^--$/.test(certainText(word) ?? "")
  );
  return targets.length > 0 && targets.every((word) => {
    const [only, second] = word;
    const text = certainText(word);
    if (text !== null) return text.startsWith("%");
    if (second !== undefined) return false;
    return only?.kind === "substitution"
      ? listsJobs(only.body)
      : only?.kind === "parameter" && only.operation === null;
  });
}

/** `jobs -p` */
function listsJobs(body: PlanNode): boolean {
  if (body.kind !== "simple" || body.calls === true || body.words.length !== 2) return false;
  const [name, option] = body.words.map(certainText);
  return name === "jobs" && option === "-p";
}

/** The variables that a builtin sets by the names in its words. */
function lowerNames(name: string | null, words: readonly Word[], needs: Needs): void {
  const exports = name === "export" ||
    (name !== null && DECLARES.has(name) && words.some((word) => /^-\w*x/.test(wordText(word))));
  const sets = exports || name === "unset" || name === "read" || name === "mapfile" ||
    name === "readarray" || name === "getopts" || (name !== null && DECLARES.has(name));
  if (!sets) return;
  const changed = exports ? change : localChange;
  if (name === "getopts") words = words.slice(1, 2);
  for (const word of words) {
    const named = /^[A-Za-z_]\w*(?==|$)/.exec(wordText(word))?.[0];
    if (named !== undefined && (named !== "IFS" || exports)) needs.found.push(changed(named));
  }
}

const DECLARES: ReadonlySet<string> = new Set(["local", "declare", "typeset", "readonly"]);

/** A file whose commands are run: it is read, and they are judged when they are known. */
function lowerSourced([file]: readonly Word[], cwd: KnownFolder, needs: Needs): void {
  const target = file === undefined ? null : certainText(file);
  // What the line itself gives is no file.
  const path = target === null || target === "/dev/stdin" ? null : placeOf(cwd, target);
  if (path !== null) needs.found.push(ready({ kind: "fs.read", path, tree: false }));
}

/** `start`: where the line begins. */
async function lowerSimple(
  simple: SimplePlan,
  place: KnownFolder,
  start: string,
  spent: SpentPieces,
): Promise<readonly Capability[]> {
  const known = simple.words.map((word) =>
    word.some(({ kind }) => kind === "process") ? PIPE_WORD : certainText(word)
  );
  const argv = simple.words.map((word, index) => known[index] ?? wordText(word));
  const unknown = known.flatMap((word, index) =>
    word === null || (place === null && index > 0) ? [index] : []
  );
  const redirections = certainTargets(simple.redirections);
  if (unknown.length === 0 && place !== null) {
    return await lowerExpanded({ argv, cwd: place, redirections, variables: [] }, spent);
  }
  return [
    { kind: "process.spawn", argv, cwd: place ?? start, open: unknown },
    ...redirections.flatMap(({ kind, target }) => {
      const path = placeOf(place, target);
      return path === null ? [] : lowerRedirection(kind, path);
    }),
  ];
}
