/** From a plan, and from one command whose words and redirections are known, to the capabilities that they need. */

import type { Capability } from "../core/capability.ts";
import {
  type Arithmetic,
  type Assignment,
  BUILTINS,
  type CompoundPlan,
  type Operation,
  type Plan,
  type PlanNode,
  type Redirection,
  type SimplePlan,
  type Subscript,
  type TestExpression,
  type Word,
} from "../core/plan.ts";
import { fileTest, looksAtFiles } from "./file_test.ts";
import { findScripts } from "./_find_scripts.ts";
import type { SpentPieces } from "./_walk.ts";
import { certainText, isHarmless, movesAnywhere, wordText } from "./certain.ts";

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

/** What opening a file for a command needs. `/dev/null` needs nothing. */
function lowerRedirection(
  kind: ExpandedCommand["redirections"][number]["kind"],
  path: string,
): readonly Capability[] {
  if (path === "/dev/null") return [];
  return [
    ...(kind === "read" || kind === "read-write"
      ? [{ kind: "fs.read", path, tree: false } as const]
      : []),
    ...(kind === "read" ? [] : [{ kind: "fs.write", path, tree: false } as const]),
  ];
}

/** A path from a directory, in words that the host resolves part by part: `..` is left to it. */
function from(cwd: string, path: string): string {
  return path.startsWith("/") || cwd === "." ? path : `${cwd}/${path}`;
}

/** The directory that a command stands in if all before it succeed; null behind a `cd` that is known only when it runs. */
type Place = string | null;

/** What is asked for a plan; `moves`: whether anything in it may change the directory. */
type Needs = Need[] & { readonly moves: boolean };

/** What is asked for one part of a plan. */
type Need =
  | { readonly kind: "program"; readonly simple: SimplePlan; readonly place: Place }
  | { readonly kind: "ready"; readonly capability: Capability };

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
  const needs: Needs = Object.assign([], { moves: movesAnywhere(plan.root) });
  lowerNode(plan.root, cwd, needs);
  const capabilities: Capability[] = [];
  for (const need of needs) {
    if (need.kind === "ready") capabilities.push(need.capability);
    else capabilities.push(...await lowerSimple(need.simple, need.place, cwd, spent));
  }
  return capabilities;
}

/** Collects what a node needs; answers the directory that what follows it stands in. */
function lowerNode(node: PlanNode, cwd: Place, needs: Needs): Place {
  switch (node.kind) {
    case "simple":
      return lowerWords(node, cwd, needs);
    case "pipeline":
      node.stages.forEach((stage) => lowerNode(stage, cwd, needs));
      return node.stages.length === 1 ? lowerLast(node.stages, cwd) : cwd;
    case "list":
      return node.items.reduce((at: Place, item) => lowerNode(item.node, at, needs), cwd);
    case "group": {
      if (node.opened !== undefined) {
        needs.push(
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
function lowerCompound(node: CompoundPlan, cwd: Place, needs: Needs): Place {
  lowerRedirections(node.redirections, cwd, needs);
  const ends: Place[] = [cwd];
  const lower = (part: PlanNode | null, at: Place): Place => {
    if (part === null) return at;
    const end = lowerNode(part, at, needs);
    ends.push(end);
    return end;
  };
  switch (node.kind) {
    case "for":
      needs.push(localChange(node.name));
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
function lowerLast(stages: readonly PlanNode[], cwd: Place): Place {
  const [only] = stages;
  return only === undefined ? cwd : lowerNode(only, cwd, Object.assign([], { moves: true }));
}

function lowerWords(simple: SimplePlan, cwd: Place, needs: Needs): Place {
  const { words, assignments, redirections, declares = [], script } = simple;
  const [first, ...rest] = words;
  const name = first === undefined ? null : certainText(first);
  for (const assignment of [...assignments, ...declares]) {
    const own = words.length === 0 || simple.calls === true || assignment.list !== undefined;
    // What the runner splits words by no program gets, and some values are nobody's way to make it do more.
    if (assignment.name !== "IFS" && !(words.length > 0 && isHarmless(assignment))) {
      needs.push(own ? localChange(assignment.name) : change(assignment.name));
    }
    lowerAssigned(assignment, cwd, needs);
  }
  words.forEach((word) => lowerSubstitutions(word, cwd, needs));
  const builtin = first === undefined || simple.calls === true ||
    BUILTINS.some((one) => one === name);
  if (name === "kill" && endsOwn(rest)) {
    // Whether it is its own is seen when it runs: what is not is judged then.
    const argv = words.map(wordText);
    needs.push(ready({ kind: "process.spawn", argv, cwd: cwd ?? ".", opened: true }));
    lowerRedirections(redirections, cwd, needs);
    return cwd;
  }
  if (!builtin) {
    // One that is known only when it runs is judged then, whole.
    if (name !== null) needs.push({ kind: "program", simple, place: cwd });
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

/** Whether what `kill` is to end may be what the line itself has started: `%1`, `$!`, `$PID`. */
function endsOwn(words: readonly Word[]): boolean {
  const named = words[0] !== undefined && /^-[sn]$/.test(certainText(words[0]) ?? "");
  const targets = words.slice(named ? 2 : 0).filter((word) =>
    !/^-[A-Z0-9]+$|^--$/.test(certainText(word) ?? "")
  );
  return targets.length > 0 && targets.every((word) => {
    const [only, second] = word;
    const text = certainText(word);
    return text === null
      ? second === undefined && only?.kind === "parameter" && only.operation === null
      : text.startsWith("%");
  });
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
    if (named !== undefined && (named !== "IFS" || exports)) needs.push(changed(named));
  }
}

const DECLARES: ReadonlySet<string> = new Set(["local", "declare", "typeset", "readonly"]);

/** A file whose commands are run: it is read, and they are judged when they are known. */
function lowerSourced([file]: readonly Word[], cwd: Place, needs: Needs): void {
  const target = file === undefined ? null : certainText(file);
  const path = target === null ? null : placeOf(cwd, target);
  if (path !== null) needs.push(ready({ kind: "fs.read", path, tree: false }));
}

function lowerAssigned(
  { value, list = [], subscript }: Assignment,
  cwd: Place,
  needs: Needs,
): void {
  lowerSubstitutions(value, cwd, needs);
  lowerSubscript(subscript, cwd, needs);
  for (const element of list) {
    lowerSubstitutions(element.value, cwd, needs);
    lowerSubscript(element.subscript ?? undefined, cwd, needs);
  }
}

function lowerSubscript(subscript: Subscript | undefined, cwd: Place, needs: Needs): void {
  if (subscript?.kind === "index") lowerArithmetic(subscript.expression, cwd, needs);
  if (subscript?.kind === "key") lowerSubstitutions(subscript.word, cwd, needs);
}

/** What `[[ -f NAME ]]` looks at is judged as for the test(1) that it is. */
function lowerTest(expression: TestExpression, cwd: Place, needs: Needs): void {
  switch (expression.op) {
    case "not":
      return lowerTest(expression.operand, cwd, needs);
    case "and":
    case "or":
      lowerTest(expression.left, cwd, needs);
      return lowerTest(expression.right, cwd, needs);
    case "unary":
      return lowerTested(expression.operator, [expression.word], cwd, needs);
    case "binary":
      return lowerTested(expression.operator, [expression.left, expression.right], cwd, needs);
  }
}

function lowerTested(
  operator: string,
  words: readonly Word[],
  cwd: Place,
  needs: Needs,
): void {
  words.forEach((word) => lowerSubstitutions(word, cwd, needs));
  if (!looksAtFiles(operator) || cwd === null) return;
  for (const word of words) {
    const argv = fileTest(certainText(word));
    if (argv !== null) needs.push(ready({ kind: "process.spawn", argv, cwd }));
  }
}

/** Null where that is not known. */
function placeOf(cwd: Place, path: string): Place {
  return cwd === null && !path.startsWith("/") ? null : from(cwd ?? ".", path);
}

function change(name: string): Need {
  return ready({ kind: "env.read", name, change: true });
}

/** Whether programs have one of that name is known to the policy, and for what else they get when the line runs. */
function localChange(name: string): Need {
  return ready({ kind: "env.read", name, change: true, local: true });
}

function ready(capability: Capability): Need {
  return { kind: "ready", capability };
}

/** Substitutions run before the command that they stand in, as subshells. */
function lowerSubstitutions(word: SimplePlan["words"][number], cwd: Place, needs: Needs): void {
  for (const part of word) {
    if (part.kind === "substitution") lowerNode(part.body, cwd, needs);
    if (part.kind === "arithmetic") lowerArithmetic(part.expression, cwd, needs);
    if (part.kind === "process") lowerNode(part.body, cwd, needs);
    if (part.kind === "parameter") {
      lowerOperation(part.operation, cwd, needs);
      lowerSubscript(part.subscript, cwd, needs);
    }
  }
}

function lowerOperation(operation: Operation | null, cwd: Place, needs: Needs): void {
  if (operation === null) return;
  if ("word" in operation) lowerSubstitutions(operation.word, cwd, needs);
  if (operation.operator === "slice" && "offset" in operation) {
    lowerArithmetic(operation.offset, cwd, needs);
    if (operation.length !== null) lowerArithmetic(operation.length, cwd, needs);
  }
  if ("pattern" in operation) {
    lowerSubstitutions(operation.pattern, cwd, needs);
    lowerSubstitutions(operation.replacement, cwd, needs);
  }
}

/** The variables that it sets, and what it has run. */
function lowerArithmetic(expression: Arithmetic, cwd: Place, needs: Needs): void {
  if (expression.op === "substitution") lowerNode(expression.body, cwd, needs);
  if (expression.op === "word") lowerSubstitutions(expression.word, cwd, needs);
  if (expression.op === "assign" || expression.op === "step") {
    needs.push(localChange(expression.name));
  }
  for (const part of partsOf(expression)) lowerArithmetic(part, cwd, needs);
}

function partsOf(expression: Arithmetic): readonly Arithmetic[] {
  switch (expression.op) {
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "choice":
      return [expression.test, expression.yes, expression.no];
    case "assign":
      return [expression.value];
    default:
      return [];
  }
}

/** Of a command that is lowered by itself: only what runs inside its redirections. */
function lowerRedirected(redirection: Redirection, cwd: Place, needs: Needs): void {
  if ("target" in redirection) lowerSubstitutions(redirection.target, cwd, needs);
  if (redirection.kind === "text") lowerSubstitutions(redirection.text, cwd, needs);
}

function lowerRedirections(
  redirections: readonly Redirection[],
  cwd: Place,
  needs: Needs,
): void {
  for (const redirection of redirections) {
    lowerRedirected(redirection, cwd, needs);
    for (const { kind, target } of certainTargets([redirection])) {
      const path = placeOf(cwd, target);
      // What is opened elsewhere is judged when it is.
      if (path !== null) lowerRedirection(kind, path).forEach((one) => needs.push(ready(one)));
    }
  }
}

function certainTargets(redirections: readonly Redirection[]) {
  return redirections.flatMap((one) => {
    if (!("target" in one)) return [];
    const target = certainText(one.target);
    // An empty name is no file: it fails when it runs.
    return target === null || target === "" ? [] : [{ kind: one.kind, target }];
  });
}

/** `start`: where the line begins. */
async function lowerSimple(
  simple: SimplePlan,
  place: Place,
  start: string,
  spent: SpentPieces,
): Promise<readonly Capability[]> {
  const argv = simple.words.map(wordText);
  const unknown = simple.words.flatMap((word, index) =>
    certainText(word) === null || (place === null && index > 0) ? [index] : []
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
