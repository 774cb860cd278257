/** What of a plan is known from the line alone, and words as people read them. */

import {
  BUILTINS,
  type Plan,
  type PlanNode,
  type Redirection,
  type SimplePlan,
  type Word,
  type WordPart,
} from "../core/plan.ts";

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

/** The words of a line that is one command and nothing else, all of them known; null for all others. */
function certainWords({ root }: Plan): readonly string[] | null {
  if (root.kind !== "simple" || root.assignments.length + root.redirections.length > 0) return null;
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

/** Whether all that is judged of a command, its words and the files it is redirected to, is known from the line. */
export function isCertain({ words, redirections }: SimplePlan): boolean {
  return words.every((word) => certainText(word) !== null) &&
    redirections.every((one) => !("target" in one) || certainText(one.target) !== null);
}

/** Whether nothing in it is known only at run time, down to what it feeds to its programs. */
export function isWhollyCertain(node: PlanNode): boolean {
  switch (node.kind) {
    case "simple":
      return isCertain(node) && textsOf(node.redirections) &&
        node.assignments.every(({ value }) => certainText(value) !== null);
    case "pipeline":
      return node.stages.every(isWhollyCertain);
    case "list":
      return node.items.every((item) => isWhollyCertain(item.node));
    case "group":
      return isWhollyCertain(node.body) && textsOf(node.redirections) &&
        node.redirections.every((one) => !("target" in one) || certainText(one.target) !== null);
    default:
      return false;
  }
}

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
    case "substitution":
      return "$(…)";
    case "arithmetic":
      return "$((…))";
    case "parameter": {
      const { name, operation } = part;
      if (operation === null) return `\${${name}}`;
      if (operation.operator === "length") return `\${#${name}}`;
      return `\${${name}${operation.operator}${
        "word" in operation ? wordText(operation.word) : ""
      }}`;
    }
  }
}
