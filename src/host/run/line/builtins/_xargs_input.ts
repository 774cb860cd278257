/** What xargs(1) makes of its input: words, as it comes. */

import type { XargsCall } from "../../../../shell/commands/xargs_words.ts";

/** A word of the input. */
export interface FedWord {
  readonly text: string;
  /** Whether a line ends with it, for whoever counts lines. */
  readonly endsLine: boolean;
}

/** Takes text piece by piece; a word is known once what follows it has come. */
export class XargsInput {
  readonly #delimiter: string | null;
  /** A line is one word, with the blanks in it. */
  readonly #whole: boolean;
  #word: string | null = null;
  #quote: string | null = null;
  #escaped = false;
  /** The character before. */
  #last = "";
  /** Why it is read no further; null as long as it is. */
  bad: string | null = null;

  constructor({ delimiter, replaces }: Pick<XargsCall, "delimiter" | "replaces">) {
    this.#delimiter = delimiter;
    this.#whole = replaces !== null;
  }

  /** The words that have become known. */
  take(text: string): readonly FedWord[] {
    if (this.#delimiter !== null) return this.#apart(text, this.#delimiter);
    const found: FedWord[] = [];
    for (const character of text) {
      if (this.bad !== null) break;
      this.#next(character, found);
      this.#last = character;
    }
    return found;
  }

  /** The last word, if there is one. */
  end(): readonly FedWord[] {
    if (this.#quote !== null) this.bad ??= unmatched(this.#quote);
    if (this.bad !== null) return [];
    const word = this.#word;
    this.#word = null;
    const nothing = word === null || (word === "" && (this.#delimiter !== null || this.#whole));
    return nothing ? [] : [{ text: word, endsLine: true }];
  }

  #apart(text: string, delimiter: string): readonly FedWord[] {
    const pieces = `${this.#word ?? ""}${text}`.split(delimiter);
    this.#word = pieces.pop() ?? "";
    return pieces.map((one) => ({ text: one, endsLine: true }));
  }

  #next(character: string, found: FedWord[]): void {
    if (this.#escaped) {
      this.#escaped = false;
      this.#word += character;
      return;
    }
    if (this.#quote !== null) {
      if (character === this.#quote) this.#quote = null;
      else if (character === "\n") this.bad = unmatched(this.#quote);
      else this.#word += character;
      return;
    }
    if (character === "\n") return this.#line(found);
    const blank = /[ \t\v\f\r]/.test(character);
    if (blank && (this.#word === null || !this.#whole)) return this.#blank(found);
    this.#word ??= "";
    if (character === "\\") this.#escaped = true;
    else if (character === "'" || character === '"') this.#quote = character;
    else this.#word += character;
  }

  #line(found: FedWord[]): void {
    const word = this.#word;
    this.#word = null;
    // A blank at its end has the line go on with the next.
    const ends = !/[ \t]/.test(this.#last);
    if (word !== null && word !== "") found.push({ text: word, endsLine: ends });
  }

  #blank(found: FedWord[]): void {
    if (this.#word === null) return;
    found.push({ text: this.#word, endsLine: false });
    this.#word = null;
  }
}

function unmatched(quote: string): string {
  const kind = quote === "'" ? "single" : "double";
  return `unmatched ${kind} quote; by default quotes are special to xargs unless you use the -0 option`;
}
