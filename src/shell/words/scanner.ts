/** The second reading of a line: a cursor that must find every operator and every gap where the parser said. */

import { Refused } from "../_constructs.ts";

/** A here-document whose body begins behind the next newline. */
export interface PendingDocument {
  readonly delimiter: string;
  readonly stripTabs: boolean;
  /** Where `<<` stands. */
  readonly index: number;
  /** Takes in where the body lies. */
  readonly found: (body: {
    readonly start: number;
    readonly end: number;
    /** Set where nothing closes it: the line that it is named in, from 1. */
    readonly unclosed?: number;
  }) => void;
}

/** A place in a script that moves on, up to an end. Changed by those who read. */
export class Scanner {
  readonly source: string;
  readonly end: number;
  at: number;
  #wordEnd: number;
  /** Where texts stand last in the word under way. */
  readonly #last = new Map<string, number>();
  #pending: PendingDocument[] = [];
  /** A place that was asked for last, and its line. */
  #counted = { index: 0, line: 1 };

  constructor(source: string, start: number, end: number) {
    this.source = source;
    this.at = start;
    this.end = end;
    this.#wordEnd = end;
  }

  /** Where the parser says that the word under way ends. */
  get wordEnd(): number {
    return this.#wordEnd;
  }

  set wordEnd(index: number) {
    this.#wordEnd = index;
    this.#last.clear();
  }

  /** Whether a text stands somewhere in the word from here on: looked for once a word, however often it is asked for. */
  isAhead(text: string): boolean {
    let last = this.#last.get(text);
    if (last === undefined) {
      last = this.source.slice(this.at, this.#wordEnd).lastIndexOf(text);
      if (last !== -1) last += this.at;
      this.#last.set(text, last);
    }
    return last >= this.at;
  }

  /** The line of a place, from 1. */
  lineAt(index: number): number {
    let { index: from, line } = index < this.#counted.index ? { index: 0, line: 1 } : this.#counted;
    for (;;) {
      const next = this.source.indexOf("\n", from);
      if (next === -1 || next >= index) break;
      from = next + 1;
      line++;
    }
    this.#counted = { index: from, line };
    return line;
  }

  get character(): string {
    return this.at < this.end ? this.source[this.at]! : "";
  }

  startsWith(text: string): boolean {
    return this.at + text.length <= this.end && this.source.startsWith(text, this.at);
  }

  /** Takes the text that must stand here. */
  expect(text: string): void {
    if (!this.startsWith(text)) throw new Refused("syntax", this.at);
    this.at += text.length;
  }

  /** Where the parser says that something begins must be where this reading has come to. */
  mustBeAt(index: number): void {
    if (this.at !== index) throw new Refused("syntax", Math.min(this.at, index));
  }

  /** Past blanks, and newlines that a backslash takes back. */
  skipBlanks(): void {
    for (;;) {
      if (this.character === " " || this.character === "\t") this.at++;
      else if (this.startsWith("\\\n")) this.at += 2;
      else return;
    }
  }

  /** Past blanks, comments and newlines, with the here-documents that begin behind the first of those. */
  skipLines(): void {
    for (;;) {
      this.skipBlanks();
      if (this.character === "#") this.#skipComment();
      else if (this.character === "\n") this.#newline();
      else return;
    }
  }

  /** Past a separator of commands; false where none is left before the end. */
  skipSeparator(): void {
    this.skipBlanks();
    if (this.character === "#") this.#skipComment();
    if (this.character === ";") {
      this.at++;
      if (this.character === ";" || this.character === "&") throw new Refused("syntax", this.at);
    } else if (this.character === "\n") this.#newline();
    else if (this.at < this.end) throw new Refused("syntax", this.at);
  }

  await(document: PendingDocument): void {
    this.#pending.push(document);
  }

  /** At the end of what is read no here-document may be left without its body. */
  finish(): void {
    const [document] = this.#pending;
    if (document !== undefined) throw new Refused("heredoc", document.index);
    if (this.at !== this.end) throw new Refused("syntax", this.at);
  }

  /** Behind the bodies of the here-documents that begin at the newline that stands there. */
  documentsEnd(newline: number): number {
    let at = newline + 1;
    for (const document of this.#pending) at = this.#bodyEnd(document, at).next;
    return this.#pending.length === 0 ? newline : at - 1;
  }

  #skipComment(): void {
    const newline = this.source.indexOf("\n", this.at);
    this.at = newline === -1 || newline > this.end ? this.end : newline;
  }

  #newline(): void {
    this.at++;
    for (const document of this.#pending.splice(0)) this.#readDocument(document);
  }

  #readDocument(document: PendingDocument): void {
    const start = this.at;
    const { end, next, closed } = this.#bodyEnd(document, start);
    this.at = next;
    // bash takes the end of the script for the end of the document, and warns.
    const unclosed = closed ? {} : { unclosed: this.lineAt(document.index) };
    document.found({ start, end, ...unclosed });
  }

  /** Where its body ends, and what follows the line that closes it. */
  #bodyEnd(
    { delimiter, stripTabs }: PendingDocument,
    start: number,
  ): { readonly end: number; readonly next: number; readonly closed: boolean } {
    for (let at = start; at < this.end;) {
      const newline = this.source.indexOf("\n", at);
      const stop = newline === -1 || newline > this.end ? this.end : newline;
      const line = this.source.slice(at, stop);
      if ((stripTabs ? line.replace(/^\t+/, "") : line) === delimiter) {
        return { end: at, next: Math.min(stop + 1, this.end), closed: true };
      }
      at = stop + 1;
    }
    return { end: this.end, next: this.end, closed: false };
  }
}
