/** What of a plan is known from the line alone, and words as people read them. */

import { isHarmlessValue } from "../core/steering_variables.ts";
import {
  type Assignment,
  BUILTINS,
  type Operation,
  type Plan,
  type PlanNode,
  type Redirection,
  type SimplePlan,
  type Word,
  type WordPart,
} from "../core/plan.ts";
import { SHELLS } from "./shells.ts";
import { differsFromShell } from "./program_forms.ts";

/** Commands of the line itself that look at nothing. */
const IDLE: readonly string[] = [":", "true", "false", "exit"];

/** The text of a word that can mean nothing else; null where it is known only at run time. */
export function certainText(word: Word): string | null {
  let text = "";
  for (const part of word) {
    if (part.kind !== "text") return null;
    text += part.text;
  }
  return text;
}

/** Whether a variable for one program gets a value with which it steers nothing, whatever its name. */
export function isHarmless({ name, value, append, list, subscript }: Assignment): boolean {
  if (append === true || list !== undefined || subscript !== undefined) return false;
  const text = certainText(value);
  return text !== null && isHarmlessValue(name, text);
}

/** The words of a line that is one command and nothing else, all of them known; null for all others. */
function certainWords({ root }: Plan): readonly string[] | null {
  if (root.kind !== "simple" || root.assignments.length + root.redirections.length > 0) return null;
  if (root.calls === true || root.feeds !== undefined || root.behind !== undefined) return null;
  const words = root.words.map(certainText);
  const argv = words.filter((word) => word !== null);
  return argv.length < words.length || argv.length === 0 ? null : argv;
}

/** The words of a line that is one program and nothing else; null for all others. */
export function programWords(plan: Plan): readonly string[] | null {
  const argv = certainWords(plan);
  return argv === null || BUILTINS.some((one) => one === argv[0]) ? null : argv;
}

/** Whether running a line takes no more than to start one program, or not even that. */
export function startsOne(plan: Plan): boolean {
  const argv = certainWords(plan);
  if (argv === null) return false;
  return programWords(plan) !== null || IDLE.some((one) => one === argv[0]);
}

/** Whether any word or place in it is known only when the line runs, and judged then; so is what `eval` and files say. */
export function isJudgedLater(plan: Plan): boolean {
  const isOpen = (word: Word | undefined) => word !== undefined && certainText(word) === null;
  const look = (part: unknown): boolean => {
    if (typeof part !== "object" || part === null) return false;
    if (Array.isArray(part)) return part.some(look);
    const { kind, words, target } = part as {
      readonly kind?: string;
      readonly words?: readonly Word[];
      readonly target?: Word;
    };
    if (kind === "simple" && ("feeds" in part || words?.some(isOpen) === true)) return true;
    return isOpen(target) || Object.values(part).some(look);
  };
  return look(plan.root) || startsLater(plan);
}

/**
 * Whether it may start programs that the line does not name: what comes out of a variable, of `eval`, of a file; or that it
 * names from a folder that is known only then.
 */
export function startsLater(plan: Plan): boolean {
  const found = { moves: false, relative: false };
  const look = (part: unknown): boolean => {
    if (typeof part !== "object" || part === null) return false;
    if (Array.isArray(part)) return part.some(look);
    const { kind, words } = part as { readonly kind?: string; readonly words?: readonly Word[] };
    if (kind === "simple" && words?.[0] !== undefined) {
      const name = certainText(words[0]);
      const fed = "feeds" in part ? words[part.feeds as number] : undefined;
      const reads = READERS.includes(name ?? "") || SHELLS.has(certainText(fed ?? []) ?? "");
      if (name === null || (reads && !("script" in part))) return true;
      found.moves ||= MOVERS.includes(name) &&
        words.some((word) => [null, "-"].includes(certainText(word)));
      found.relative ||= words.some((word) => /^[^/]+\//.test(certainText(word) ?? ""));
    }
    return Object.values(part).some(look);
  };
  return look(plan.root) || found.moves && found.relative;
}

/** What reads text as commands. */
const READERS: readonly string[] = ["eval", "source", ".", "trap"];

/** Whether all that is judged of a command, its words and the files it is redirected to, is known from the line. */
export function isCertain({ words, redirections }: SimplePlan): boolean {
  return words.every((word) => certainText(word) !== null) &&
    redirections.every((one) => !("target" in one) || certainText(one.target) !== null);
}

/** Whether nothing in it is known only at run time, down to what it feeds to its programs. */
export function isWhollyCertain(node: PlanNode): boolean {
  switch (node.kind) {
    case "simple":
      return isCertain(node) && textsOf(node.redirections) && !isOwn(node) &&
        node.assignments.every((one) =>
          certainText(one.value) !== null && one.list === undefined && one.subscript === undefined
        );
    case "pipeline":
      return node.stages.every(isWhollyCertain);
    case "list":
      return node.items.every((item) => isWhollyCertain(item.node));
    case "group":
      return node.limit === undefined && isWhollyCertain(node.body) && textsOf(node.redirections) &&
        node.redirections.every((one) => !("target" in one) || certainText(one.target) !== null);
    default:
      return false;
  }
}

/**
 * What only the runner of lines does, or does in its own way: what it does hangs on more than its words, or a shell reads
 * them as what no program would (`printf -v PATH x`; `test -v 'a[$(touch x)]'` and a value of OPTIND are calculated, and
 * what stands in them is run: bash(1), ARITHMETIC EVALUATION).
 */
function isOwn({ words, assignments, calls, declares, feeds, behind }: SimplePlan): boolean {
  const [name, ...rest] = words.map(certainText);
  const builtin = BUILTINS.some((one) => one === name);
  if (calls === true || declares !== undefined) return true;
  if (feeds !== undefined || behind !== undefined) return true;
  if (builtin && !PLAIN.some((one) => one === name)) return true;
  return assignments.some((one) => CALCULATED.has(one.name)) ||
    (builtin && rest.some((word) => CALCULATED.has((word ?? "").split("=")[0] ?? ""))) ||
    differsFromShell([name ?? null, ...rest]);
}

/** Variables whose values bash takes for expressions; others of the kind no line may set. */
const CALCULATED: ReadonlySet<string> = new Set(["OPTIND", "SECONDS"]);

/** Commands of a shell that do in every shell what they do here. */
const PLAIN: readonly string[] = [
  ...["cd", ":", "true", "false", "exit", "export", "unset", "break", "continue", "read"],
];

/** The variables that a line which is wholly certain sets or unsets for itself. */
export function changedNames(node: PlanNode): readonly string[] {
  switch (node.kind) {
    case "simple": {
      const { words: [first, ...rest], assignments } = node;
      if (first === undefined) return assignments.map(({ name }) => name);
      return certainText(first) === "unset" ? rest.map(wordText) : [];
    }
    case "pipeline":
      return node.stages.flatMap(changedNames);
    case "list":
      return node.items.flatMap((item) => changedNames(item.node));
    case "group":
      return changedNames(node.body);
    default:
      // Never asked: such a line is not wholly certain.
      return [];
  }
}

function textsOf(redirections: readonly Redirection[]): boolean {
  return redirections.every((one) => one.kind !== "text" || certainText(one.text) !== null);
}

/** The word much as it was written, for judging what is certain of it and for messages. */
export function wordText(word: Word): string {
  return word.map(partText).join("");
}

function partText(part: WordPart): string {
  switch (part.kind) {
    case "text":
    case "glob":
      return part.text;
    case "home":
      return "~";
    case "blank":
      return " ";
    case "substitution":
      return "$(…)";
    case "arithmetic":
      return "$((…))";
    case "parameter": {
      const { name, operation, subscript } = part;
      const all = subscript?.kind === "all";
      const index = subscript === undefined ? "" : all ? "[@]" : "[…]";
      if (operation?.operator === "length") return `\${#${name}${index}}`;
      const mark = part.indirect === true || operation?.operator === "keys" ? "!" : "";
      return `\${${mark}${name}${index}${operation === null ? "" : operationText(operation)}}`;
    }
    case "process":
      return part.access === "read" ? "<(…)" : ">(…)";
  }
}

function operationText(operation: Operation): string {
  if ("word" in operation) return `${operation.operator}${wordText(operation.word)}`;
  switch (operation.operator) {
    case "replace":
      return `${operation.where}${wordText(operation.pattern)}/${wordText(operation.replacement)}`;
    case "slice":
      return ":…";
    case "transform":
      return `@${operation.letter}`;
    default:
      return "";
  }
}

/** Whether anything in it may change the directory of its shell. */
export function movesAnywhere(node: PlanNode): boolean {
  return holdsCommand(node, MOVERS);
}

const MOVERS: readonly string[] = ["cd", "pushd", "popd", "eval", "source", "."];

/** Whether one of these commands stands anywhere in it, as far as the line says; substitutions left out. */
export function holdsCommand(node: PlanNode, names: readonly string[]): boolean {
  const holds = (one: PlanNode): boolean => holdsCommand(one, names);
  switch (node.kind) {
    case "simple": {
      const name = node.words[0] === undefined ? "" : certainText(node.words[0]);
      return (name !== null && names.includes(name)) ||
        (node.script !== undefined && holds(node.script));
    }
    case "pipeline":
      return node.stages.some(holds);
    case "list":
      return node.items.some((item) => holds(item.node));
    case "group":
    case "time":
    case "background":
    case "function":
    case "for":
    case "count":
      return holds(node.body);
    case "while":
      return holds(node.test) || holds(node.body);
    case "if":
      return node.clauses.some(({ test, body }) => holds(test) || holds(body)) ||
        (node.otherwise !== null && holds(node.otherwise));
    case "case":
      return node.arms.some(({ body }) => body !== null && holds(body));
    case "test":
    case "arithmetic":
      return false;
  }
}
