/** Texts that are almost valid: what is left of a valid one after one or two slips, repeatable by seed. */

import { Random } from "../../random.ts";

/** Words, numbers, whole short strings, runs of blanks, single characters: enough of a token for every language here. */
const TOKEN = /[\p{L}\p{N}_$]+|\r?\n[ \t]*|[ \t]+|"[^"\n]*"|'[^'\n]*'|`[^`]*`|[^\p{L}\p{N}_$\s]/gu;

const BRACKETS = ["(", ")", "[", "]", "{", "}"] as const;

/** One slip in a text. `words` are what it may put in place of others. */
type Slip = (text: string, random: Random, words: readonly string[]) => string;

/** What people and models get wrong: a token too much, too little, misplaced; a bracket; the indentation; the end. */
const SLIPS: Readonly<Record<string, Slip>> = {
  "a token is missing": (text, random) =>
    onToken(text, random, (tokens, at) => void tokens.splice(at, 1)),
  "a token is doubled": (text, random) =>
    onToken(text, random, (tokens, at) => void tokens.splice(at, 0, tokens[at] ?? "")),
  "two tokens are swapped": (text, random) =>
    onToken(text, random, (tokens, at) => {
      const [token = ""] = tokens.splice(at, 1);
      tokens.splice(at + 1, 0, token);
    }),
  "a token is another of the text": (text, random) =>
    onToken(text, random, (tokens, at) => tokens[at] = random.pick(tokens)),
  "a word is another": (text, random, words) => {
    const found = [...text.matchAll(/[\p{L}_]+/gu)];
    if (found.length === 0) return text;
    const { 0: word, index } = random.pick(found);
    return splice(text, index, word.length, random.pick(words));
  },
  "a character is missing": (text, random) => splice(text, random.below(text.length), 1, ""),
  "a character is doubled": (text, random) => {
    const at = random.below(text.length);
    return splice(text, at, 0, text[at] ?? "");
  },
  "a character is another": (text, random) =>
    splice(text, random.below(text.length), 1, text[random.below(text.length)] ?? ""),
  "a bracket is missing": (text, random) => {
    const found = [...text.matchAll(/[()[\]{}]/g)];
    return found.length === 0 ? text : splice(text, random.pick(found).index, 1, "");
  },
  "a bracket is too much": (text, random) =>
    splice(text, random.below(text.length + 1), 0, random.pick(BRACKETS)),
  "a bracket is another": (text, random) => {
    const found = [...text.matchAll(/[()[\]{}]/g)];
    return found.length === 0
      ? text
      : splice(text, random.pick(found).index, 1, random.pick(BRACKETS));
  },
  "a quote is missing": (text, random) => {
    const found = [...text.matchAll(/["'`]/g)];
    return found.length === 0 ? text : splice(text, random.pick(found).index, 1, "");
  },
  "a line is indented otherwise": (text, random) =>
    onLine(text, random, (lines, at) => {
      const line = lines[at] ?? "";
      const indent = random.pick(["", " ", "  ", "    ", "        ", "\t"]);
      lines[at] = random.once(2) ? indent + line.trimStart() : indent + line;
    }),
  "a line is missing": (text, random) =>
    onLine(text, random, (lines, at) => void lines.splice(at, 1)),
  "a line is doubled": (text, random) =>
    onLine(text, random, (lines, at) => void lines.splice(at, 0, lines[at] ?? "")),
  "two lines are one": (text, random) =>
    onLine(text, random, (lines, at) => void lines.splice(at, 2, lines.slice(at, at + 2).join(""))),
  "the end is missing": (text, random) => text.slice(0, random.below(text.length)),
};

export interface Mutant {
  /** What was done. */
  readonly slips: readonly string[];
  readonly text: string;
}

/** A text with one slip, seldom two. UTF-16 stays well-formed. */
export function mutate(text: string, random: Random, words: readonly string[]): Mutant {
  const slips = [random.pick(Object.keys(SLIPS))];
  if (random.once(4)) slips.push(random.pick(Object.keys(SLIPS)));
  const mutant = slips.reduce((left, slip) => SLIPS[slip]?.(left, random, words) ?? left, text);
  return { slips, text: mutant.toWellFormed() };
}

/** `count` mutants of texts picked at random. */
export function mutants(
  texts: readonly string[],
  count: number,
  seed: number,
  words: readonly string[],
): readonly Mutant[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => mutate(random.pick(texts), random, words));
}

/** Cuts a source into pieces of about `lines` lines, each beginning at a line that is not indented. */
export function pieces(source: string, lines: number): readonly string[] {
  const all = source.split("\n");
  const starts = all.flatMap((line, at) => /^[\p{L}_@]/u.test(line) ? [at] : []);
  const cut: string[] = [];
  let from = 0;
  for (const start of [...starts, all.length]) {
    if (start - from < lines && start < all.length) continue;
    cut.push(all.slice(from, start).join("\n") + "\n");
    from = start;
  }
  return cut.filter((piece) => piece.trim() !== "" && piece.length < 8_000);
}

function splice(text: string, at: number, count: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + count);
}

function onToken(
  text: string,
  random: Random,
  change: (tokens: string[], at: number) => void,
): string {
  const tokens: string[] = text.match(TOKEN) ?? [];
  if (tokens.length > 0) change(tokens, random.below(tokens.length));
  return tokens.join("");
}

function onLine(
  text: string,
  random: Random,
  change: (lines: string[], at: number) => void,
): string {
  const lines = text.split("\n");
  change(lines, random.below(lines.length));
  return lines.join("\n");
}
