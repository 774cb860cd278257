/** From a template and the arguments of a call to the words of a command: each value becomes text, once. */

import type { ArgumentProblem } from "../core/parse_arguments.ts";
import { quoted } from "../core/printable.ts";
import { isPlaceholder, literalText } from "./_word.ts";
import {
  type CommandManifest,
  type InputSource,
  isGroup,
  type Placeholder,
  type PluginArguments,
  type Word,
  type WordGroup,
} from "./manifest.ts";

/** What is to be started and where (null: in the workspace), or what keeps it from being. */
export type Expanded =
  | { readonly argv: readonly string[]; readonly cwd: string | null }
  | { readonly problems: readonly ArgumentProblem[] };

/** The word after which programs take nothing for an option (POSIX.1-2017, XBD 12.2, guideline 10). */
const END_OF_OPTIONS = "--";

/** Bytes of one argument with its NUL: MAX_ARG_STRLEN, 32 pages (include/uapi/linux/binfmts.h). */
const LONGEST_WORD = 32 * 4096 - 1;
/** Words of one command: as many as `run_command` takes. */
const MOST_WORDS = 10_000;

/**
 * The words of a call. A word that begins with a dash because of a value is a problem unless the template says `{-name}`
 * there, or has a plain `--` before it.
 */
export function expandCommand({ command, cwd }: CommandManifest, args: PluginArguments): Expanded {
  const argv: string[] = [];
  let optionsEnded = false;
  for (const word of wordsOf(command, args)) {
    for (const { text, from, problem } of expandWord(word, args)) {
      if (problem !== null) return { problems: [problem] };
      if (from !== null && !from.dash && !optionsEnded && text.startsWith("-")) {
        return { problems: [optionProblem(from.parameter, text)] };
      }
      if (argv.push(text) > MOST_WORDS) {
        return { problems: [{ path: "", message: `it comes to more than ${MOST_WORDS} words` }] };
      }
    }
    optionsEnded ||= literalText(word) === END_OF_OPTIONS;
  }
  if (cwd === null) return { argv, cwd: null };
  const [directory] = expandWord(cwd, args);
  if (directory === undefined) return { argv, cwd: null };
  return directory.problem === null
    ? { argv, cwd: directory.text }
    : { problems: [directory.problem] };
}

function optionProblem(path: string, text: string): ArgumentProblem {
  return {
    path,
    message: `${quoted(text)} begins with "-" where it would be taken for an option; ` +
      "for the name of a file put ./ before it",
  };
}

/** The words that are there with these arguments. */
function wordsOf(
  command: CommandManifest["command"],
  args: PluginArguments,
): readonly Word[] {
  return command.flatMap((part) => {
    if (!isGroup(part)) return [part];
    return applies(part, args) ? part.words : [];
  });
}

/** Whether the words of a group are there: its parameter is given, and neither false nor an empty list. */
export function applies({ when, is }: WordGroup, args: PluginArguments): boolean {
  const value = Object.hasOwn(args, when) ? args[when] : undefined;
  if (value === undefined || value === null) return false;
  if (is !== undefined) return value === is;
  return Array.isArray(value) ? value.length > 0 : value !== false;
}

/** What the command reads; null for nothing. */
export function expandInput(source: InputSource | null, args: PluginArguments): string | null {
  if (source === null) return null;
  if ("all" in source) return JSON.stringify(args);
  const value = valueOf(source.parameter, args);
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A word of a template with its arguments filled in. */
export interface ExpandedWord {
  readonly text: string;
  /** The placeholder that the text begins with; null where it begins with text of the template. */
  readonly from: Placeholder | null;
  /** Why no program can be given it. */
  readonly problem: ArgumentProblem | null;
}

/** One by one: whoever has enough stops. */
export function* expandWord(word: Word, args: PluginArguments): Iterable<ExpandedWord> {
  const each = word.find((piece) => isPlaceholder(piece) && piece.each);
  if (each === undefined || !isPlaceholder(each)) {
    yield putTogether(word, (piece) => textOf(valueOf(piece.parameter, args)));
    return;
  }
  const items = valueOf(each.parameter, args) ?? [];
  for (const item of Array.isArray(items) ? items : [items]) {
    yield putTogether(word, () => textOf(item));
  }
}

function putTogether(word: Word, valueText: (piece: Placeholder) => string): ExpandedWord {
  let text = "";
  for (const piece of word) {
    const part = isPlaceholder(piece) ? valueText(piece) : piece;
    text += part;
    const wrong = !isPlaceholder(piece) ? null : unfitness(part) ??
      (text.length > LONGEST_WORD ? `makes a word of more than ${LONGEST_WORD} bytes` : null);
    if (wrong !== null && isPlaceholder(piece)) {
      return { text: "", from: null, problem: { path: piece.parameter, message: wrong } };
    }
  }
  return { text, from: leading(word), problem: null };
}

/** execve(2) takes strings that end at a NUL; UTF-8 has no half characters. */
function unfitness(text: string): string | null {
  if (text.includes("\0")) return "holds a NUL character, which ends a string";
  return text.isWellFormed() ? null : "holds half a surrogate pair";
}

function leading(word: Word): Placeholder | null {
  const [first] = word;
  return first !== undefined && isPlaceholder(first) ? first : null;
}

function valueOf(parameter: string, args: PluginArguments): unknown {
  return Object.hasOwn(args, parameter) ? args[parameter] : undefined;
}

/** Schemas let no list or mapping come here; what is absent is no text. */
function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
