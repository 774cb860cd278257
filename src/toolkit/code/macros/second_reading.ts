/**
 * A text that a preprocessor goes through first, so that its grammar may not take it as it stands, as it is read in its
 * place: what is seen to be a use of a macro is passed over, and of conditions in the midst of something one branch is read.
 * The text stays as long as it was, so that all that is found stands where it stood.
 */

import { NODE, type SyntaxTree } from "../../../core/syntax_tree.ts";
import { oddConditions, type Part } from "./conditions.ts";
import { bracketsOf, TOKEN, type Token, tokensOf } from "./tokens.ts";
import { type Edit, type MacroWords, usesOfMacros } from "./uses.ts";

/** A text to be read in place of another. */
export interface SecondText {
  readonly text: string;
  /** How many places with code of their own are not in it. */
  readonly dropped: number;
}

/** As many errors are looked at. */
const MOST_ERRORS = 200;

/**
 * Passes over what the place of words alone tells. `pause` is called every few milliseconds: what it throws ends the work.
 */
export function withoutMacros(text: string, words: MacroWords, pause: () => void): SecondText {
  const tokens = tokensOf(text, pause);
  const { passed, dropped } = oddConditions(text, tokens, words.isMacro);
  const edits: Edit[] = passed.map(({ start, end }) => ({ start, end, by: "" }));
  const left = withoutParts(tokens, passed);
  for (const token of left) {
    if (token.type === TOKEN.directive) edits.push(...directiveOf(text, token));
  }
  for (const edit of usesOfMacros(left, words, pause)) edits.push(edit);
  return { text: edited(text, edits), dropped };
}

/** Passes over arguments of macros that the parser could make nothing of: `TEST(enum) {`, `VISIT(signed char, int);`. */
export function withoutArguments(
  tree: SyntaxTree,
  words: MacroWords,
  pause: () => void,
): SecondText {
  const { text } = tree;
  const tokens = tokensOf(text, pause);
  const calls = new Calls(tokens, words);
  const edits: Edit[] = [];
  let dropped = 0;
  let last = -1;
  for (const node of errorsOf(tree)) {
    const start = tree.starts[node] as number;
    const open = calls.around(start) ?? calls.within(start, tree.ends[node] as number);
    if (open === null || open <= last) continue;
    last = calls.partners[open] as number;
    // Word by word: comments among them stay what they are.
    for (let at = open + 1; at < last; at++) {
      const { start, end } = tokens[at] as Token;
      edits.push({ start, end, by: "" });
    }
    if (words.isCode(tokens[open - 1]?.text ?? "")) dropped++;
  }
  return { text: edited(text, edits), dropped };
}

/** Where nodes are errors, or missing. */
function errorsOf(tree: SyntaxTree): readonly number[] {
  const error = tree.grammar.kinds.length - 1;
  const found: number[] = [];
  for (let node = 0; node < tree.count && found.length < MOST_ERRORS; node++) {
    const isError = tree.kinds[node] === error ||
      ((tree.flags[node] as number) & NODE.missing) !== 0;
    if (isError) found.push(node);
  }
  return found;
}

/** Tokens looked back at, and ahead. */
const FAR = 400;
const NEAR = 12;

/** Uses of macros with arguments, each by the place of the bracket that begins these, among the tokens. */
class Calls {
  readonly #tokens: readonly Token[];
  readonly #words: MacroWords;
  readonly partners: Int32Array;

  constructor(tokens: readonly Token[], words: MacroWords) {
    this.#tokens = tokens;
    this.#words = words;
    this.partners = bracketsOf(tokens);
  }

  /** The innermost in whose arguments a place in the text lies. */
  around(place: number): number | null {
    const last = this.#tokenAt(place);
    let depth = 0;
    for (let at = last; at > Math.max(0, last - FAR); at--) {
      const { type, text } = this.#tokens[at] as Token;
      if (type !== TOKEN.sign) continue;
      if (")]}".includes(text) && at < last) depth++;
      else if ("([{".includes(text) && --depth < 0) {
        depth = 0;
        if (this.#is(at)) return at;
      }
    }
    return null;
  }

  /** The first that begins between two places, near the first of them. */
  within(start: number, end: number): number | null {
    const first = this.#tokenAt(start);
    for (let at = first; at < first + NEAR && (this.#tokens[at]?.start ?? end) < end; at++) {
      if (this.#is(at)) return at;
    }
    return null;
  }

  #is(at: number): boolean {
    const name = this.#tokens[at - 1];
    return this.#tokens[at]?.text === "(" && name?.type === TOKEN.word &&
      this.#words.isMacro(name.text) && (this.partners[at] as number) > at + 1;
  }

  /** The token that a place is in, or behind. */
  #tokenAt(place: number): number {
    let low = 0;
    let high = this.#tokens.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#tokens[middle] as Token).start <= place) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** What holds, and what a macro becomes, is not asked: a grammar may not even take it, a comment within it least of all. */
function directiveOf(text: string, { text: word, start, end }: Token): readonly Edit[] {
  const from = text.indexOf(word, start) + word.length;
  if (word === "if" || word === "elif") {
    return end - from < 2 ? [] : [{ start: from, end, by: " 1" }];
  }
  const body = text.slice(from, end);
  const remark = word === "define" ? body.indexOf("/*") : -1;
  const behind = remark < 0 ? -1 : body.indexOf("*/", remark + 2);
  // At its end a grammar takes one.
  if (behind < 0 || body.slice(behind + 2).trim() === "") return [];
  const head = /^\s*\w+(?:\([^()]*\))?/.exec(body)?.[0].length ?? 0;
  // The lines that it goes on in are still its own.
  const value = body.slice(head).replaceAll(/[^\n\\]|\\(?!\r?\n)/g, " ");
  return [{ start: from + head, end, by: ` 0${value.slice(2)}` }];
}

function withoutParts(tokens: readonly Token[], parts: readonly Part[]): readonly Token[] {
  const sorted = parts.toSorted((a, b) => a.start - b.start);
  let next = 0;
  let covered = 0;
  return tokens.filter(({ start }) => {
    while (next < sorted.length && (sorted[next]?.start ?? 0) <= start) {
      covered = Math.max(covered, sorted[next++]?.end ?? 0);
    }
    return start >= covered;
  });
}

/** Blanks in place of what is passed over; lines stay. */
function edited(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, by } of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    result += text.slice(at, from) + by;
    result += text.slice(Math.min(end, from + by.length), end).replaceAll(/[^\n]/g, " ");
    at = end;
  }
  return result + text.slice(at);
}
