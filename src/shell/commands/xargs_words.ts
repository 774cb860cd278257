/** The words of `xargs`: how it takes apart what it reads, and the command that it starts with it. */

export { SHELLS } from "../shells.ts";

/** How its input becomes words (xargs(1)). */
export interface XargsCall {
  /** Where the command begins among all words; as many as there are where it names none. */
  readonly command: number;
  /** What stands between two words; null: blanks, with quotes and backslashes as xargs has them. */
  readonly delimiter: string | null;
  /** What each line stands in the place of; null where words are put behind the command's own. */
  readonly replaces: string | null;
  /** Words, or lines, of one start at most. */
  readonly mostWords: number | null;
  readonly mostLines: number | null;
  /** Starts at the same time; 0 for as many as there are. */
  readonly together: number;
  /** Whether nothing is started where there is nothing to read. */
  readonly needsInput: boolean;
}

const LETTERS = new Map(Object.entries({
  ...{ "0": "null", r: "no-run-if-empty", d: "delimiter", n: "max-args", P: "max-procs" },
  ...{ I: "replace", i: "replace", L: "max-lines" },
}));
const FLAGS: readonly string[] = ["null", "no-run-if-empty"];

/** What `words` (its name first) ask of xargs; null for options that are left to the program, and for words it has none of. */
export function readXargs(words: readonly (string | null)[]): XargsCall | null {
  const given = new Map<string, string>();
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === null || word === undefined) return null;
    if (word === "--") {
      at++;
      break;
    }
    if (!word.startsWith("-")) break;
    const taken = word.startsWith("--") ? readLong(word) : readLetters(word, words[at + 1] ?? null);
    if (taken === null) return null;
    for (const [name, value] of taken.options) given.set(name, value);
    at += taken.words - 1;
  }
  const kinds = ["replace", "max-args", "max-lines"].filter((one) => given.has(one));
  // Of several the last holds, with a warning.
  if (kinds.length > 1) return null;
  const mostWords = numberOf(given.get("max-args"), 1);
  const mostLines = numberOf(given.get("max-lines"), 1);
  const together = numberOf(given.get("max-procs") ?? "1", 0);
  const delimiter = given.has("null") ? "\0" : delimiterOf(given.get("delimiter"));
  const known = together !== undefined && mostWords !== undefined && mostLines !== undefined;
  if (!known || delimiter === undefined || given.get("replace") === "") return null;
  if (delimiter !== null && mostLines !== null) return null;
  return {
    command: at,
    delimiter,
    replaces: given.get("replace") ?? null,
    mostWords,
    mostLines,
    together: together ?? 1,
    needsInput: given.has("no-run-if-empty"),
  };
}

interface Taken {
  readonly options: readonly (readonly [name: string, value: string])[];
  /** Words that they take. */
  readonly words: number;
}

function readLong(word: string): Taken | null {
  const [, name = "", value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (FLAGS.includes(name)) return value === undefined ? one(name, "", 1) : null;
  if (name === "replace") return one(name, value ?? "{}", 1);
  const known = ["delimiter", "max-args", "max-procs"].includes(name);
  return known && value !== undefined ? one(name, value, 1) : null;
}

/** A cluster of letters, the last of which may have a value: `-r0`, `-0n5`, `-I {}`, `-i`. */
function readLetters(word: string, next: string | null): Taken | null {
  const options: (readonly [string, string])[] = [];
  for (let at = 1; at < word.length; at++) {
    const letter = word[at]!;
    const name = LETTERS.get(letter);
    if (name === undefined) return null;
    if (FLAGS.includes(name)) {
      options.push([name, ""]);
      continue;
    }
    const rest = word.slice(at + 1);
    if (letter === "i") return { options: [...options, [name, rest || "{}"]], words: 1 };
    if (rest !== "") return { options: [...options, [name, rest]], words: 1 };
    return next === null ? null : { options: [...options, [name, next]], words: 2 };
  }
  return options.length === 0 ? null : { options, words: 1 };
}

function one(name: string, value: string, words: number): Taken {
  return { options: [[name, value]], words };
}

/** Null where none is given, undefined where what is given is none. */
function numberOf(text: string | undefined, least: number): number | null | undefined {
  if (text === undefined) return null;
  const number = /^[0-9]{1,6}$/.test(text) ? Number(text) : -1;
  return number < least ? undefined : number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  "0": "\0",
  "\\": "\\",
  r: "\r",
};

/** One character of ASCII, or an escape for one. */
function delimiterOf(text: string | undefined): string | null | undefined {
  if (text === undefined) return null;
  // deno-lint-ignore no-control-regex
  if (/^[\x01-\x7f]$/.test(text)) return text;
  return text.length === 2 && text.startsWith("\\") ? ESCAPES[text[1]!] : undefined;
}
