/** From the bytes of a file to its tree, or to why it has none. */

import type { ParseOptions, Parsers, SyntaxTree } from "../../core/syntax_tree.ts";
import { byteOrderMark, looksBinary } from "../decode.ts";
import { type Numbered, numbered } from "./kinds.ts";
import { type FileLanguage, languageOf, languageOfFirstLine } from "./languages/languages.ts";
import type { Language, MacroTable } from "./languages/language.ts";
import { countPlainLines, LineIndex } from "./lines.ts";
import { type SecondText, withoutArguments, withoutMacros } from "./macros/second_reading.ts";
import { type MacroWords, macroWords } from "./macros/uses.ts";

/** Larger files are no work of people, and their trees take a hundred times their size. */
export const LARGEST_FILE = 4 * 1024 * 1024;

/** Milliseconds that a file may take: a hundred times what it does, and for what is made to take long, not much. */
const LEAST_TIME = 1_000;
const TIME_PER_KIB = 2;

const UTF_8 = new TextDecoder("utf-8", { fatal: true });
const LENIENT = new TextDecoder();

/** A file whose code is known. The tree is valid until the next file is read. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  readonly tree: SyntaxTree;
  readonly numbers: Numbered;
  readonly lines: LineIndex;
  /** To be called every {@linkcode PAUSE} nodes: what it throws ends the work. */
  readonly pause: () => void;
}

/** Nodes that are looked at between two pauses: some milliseconds of work. A power of two. */
export const PAUSE = 1 << 14;

/**
 * What of a text that its grammar does not take is read once more: what the language's table says it may be respelled as;
 * and what a preprocessor goes through first, without that. Code in arguments of macros may then be left out.
 */
export type Again = "never" | "respelled" | "macros";

/** What became of a file. */
export interface Read {
  /** Of its language. */
  readonly name: string;
  /** Null where its language is not analysed, or `note` says why it was not. */
  readonly code: CodeFile | null;
  /** Lines of a file without code. */
  readonly plain: ReturnType<typeof countPlainLines> | null;
  /** What of it was not taken in, and why. */
  readonly note: string | null;
}

/** Reads the files of one call. */
export class CodeReader {
  readonly #parsers: Parsers;
  readonly pause: () => void;
  readonly #numbered = new Map<Language, Numbered>();
  readonly #words = new Map<MacroTable, MacroWords>();

  constructor(parsers: Parsers, pause: () => void) {
    this.#parsers = parsers;
    this.pause = pause;
  }

  /** Null where the file is in no language that has a name here. */
  read(path: string, bytes: Uint8Array, again: Again = "never"): Read | null {
    const found = languageOf(path) ?? languageOfFirstLine(firstLine(bytes));
    if (found === null) return null;
    const name = nameOf(found);
    const encoding = byteOrderMark(bytes)?.encoding ?? "utf-8";
    if (encoding !== "utf-8") return skipped(name, `it is ${encoding.toUpperCase()}, not UTF-8`);
    if (looksBinary(bytes)) return skipped(name, "it is binary: a NUL in its first 8 KiB");
    const { text, isValid } = decoded(bytes);
    const doubt = isValid ? null : "it is no valid UTF-8; what is none was read as U+FFFD";
    if (!("language" in found)) {
      return { name, code: null, plain: countPlainLines(text), note: doubt };
    }
    const { language } = found;
    const first = this.parse(language, text, bytes.length);
    if (typeof first === "string") return skipped(name, REASONS[first]);
    const tree = again === "never" || first.errors === 0
      ? first
      : this.#again(language, first, bytes.length, again);
    if (typeof tree === "string") return skipped(name, REASONS[tree]);
    const numbers = this.numbers(language);
    const lines = new LineIndex(text);
    const code = { path, text, language, tree, numbers, lines, pause: this.pause };
    return { name, code, plain: null, note: joined(doubt, brokenPlaces(code)) };
  }

  /** As `TreeParser.parse`. */
  parse(language: Language, text: string, size = text.length): ReturnType<TreeParse> {
    const timeMs = LEAST_TIME + TIME_PER_KIB * size / 1024;
    return this.#parsers.of(language.grammar).parse(text, { pause: this.pause, timeMs });
  }

  /** The best of several readings; places that are left out count as errors, too. */
  #again(
    language: Language,
    first: SyntaxTree,
    size: number,
    again: Again,
  ): ReturnType<TreeParse> {
    const { macros, respelled } = language;
    const { text } = first;
    let best: SecondText = { text, dropped: 0 };
    let least = damageOf(first);
    // The tree of a text is gone when the next is parsed.
    let tree: ReturnType<TreeParse> = first;
    const attempt = (next: SecondText): void => {
      if (next.text === best.text) return;
      tree = this.parse(language, next.text, size);
      const damage = damageOf(tree) + next.dropped;
      if (damage < least) [best, least] = [next, damage];
      else tree = this.parse(language, best.text, size);
    };
    if (respelled !== undefined) {
      const { pattern, by } = respelled;
      attempt({ text: text.replaceAll(new RegExp(pattern, "g"), by), dropped: 0 });
    }
    if (again === "macros" && macros !== undefined) {
      let words = this.#words.get(macros);
      if (words === undefined) this.#words.set(macros, words = macroWords(macros));
      attempt(withoutMacros(text, words, this.pause));
      if (typeof tree !== "string" && tree.errors > 0) {
        const next = withoutArguments(tree, words, this.pause);
        attempt({ text: next.text, dropped: best.dropped + next.dropped });
      }
    }
    return typeof tree === "string" ? tree : { ...tree, text, errors: tree.errors + best.dropped };
  }

  numbers(language: Language): Numbered {
    let numbers = this.#numbered.get(language);
    if (numbers === undefined) {
      numbers = numbered(language, this.#parsers.of(language.grammar).grammar);
      this.#numbered.set(language, numbers);
    }
    return numbers;
  }
}

type TreeParse = (text: string, options: ParseOptions) => SyntaxTree | keyof typeof REASONS;

const REASONS = {
  slow: "it takes too long to parse",
  large: "its tree takes more memory than a parser may have",
  failed: "the parser failed on it",
} as const;

/** The name of a file's language, parsed or not. */
export function nameOf(found: FileLanguage): string {
  return "language" in found ? found.language.name : found.name;
}

function skipped(name: string, note: string): Read {
  return { name, code: null, plain: null, note };
}

function decoded(bytes: Uint8Array): { readonly text: string; readonly isValid: boolean } {
  try {
    return { text: UTF_8.decode(bytes), isValid: true };
  } catch {
    return { text: LENIENT.decode(bytes), isValid: false };
  }
}

function firstLine(bytes: Uint8Array): string {
  return bytes[0] === 0x23 && bytes[1] === 0x21 ? LENIENT.decode(bytes.subarray(0, 256)) : "";
}

/** Units of text without a structure that are as bad as one more error. */
const UNREAD = 100;

/** How much of a text the grammar does not take. */
function damageOf(tree: ReturnType<TreeParse>): number {
  if (typeof tree === "string") return Infinity;
  const { errors, count, kinds, nexts, starts, ends, grammar } = tree;
  if (errors === 0) return 0;
  const error = grammar.kinds.length - 1;
  let unread = 0;
  for (let node = 0; node < count;) {
    const isError = kinds[node] === error;
    if (isError) unread += (ends[node] as number) - (starts[node] as number);
    node = isError ? nexts[node] as number : node + 1;
  }
  return errors + unread / UNREAD;
}

/** Where the text is none that the grammar takes: how often, and the first place. */
function brokenPlaces({ tree, lines, language }: CodeFile): string | null {
  if (tree.errors === 0) return null;
  const error = tree.grammar.kinds.length - 1;
  let first = 0;
  while (first < tree.count && tree.kinds[first] !== error && (tree.flags[first] ?? 0) < 4) first++;
  const line = lines.line(tree.starts[first] ?? 0);
  return tree.errors === 1
    ? `a place in line ${line} is not understood as ${language.name}, and was left out`
    : `${tree.errors} places are not understood as ${language.name}, the first in line ${line}, ` +
      "and were left out";
}

function joined(...notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null);
  return said.length === 0 ? null : said.join("; ");
}
