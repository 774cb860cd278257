/** Where a reader is inside a policy, and where it reports what is wrong there. */

import { quoted } from "../core/printable.ts";

/** One thing that is wrong with a policy. */
export interface PolicyProblem {
  /** The policy as it was named. */
  readonly source: string;
  /** `commands[3].allow`; empty for the file as a whole. */
  readonly key: string;
  /** What was found and what would be right. */
  readonly message: string;
  /** From 1; of the entry itself, or of the nearest one around it that starts a line of its own. */
  readonly line?: number;
}

/** A position among the keys of a policy. */
export interface KeyPosition {
  /** `agents["child-*"].permissions[0]`; empty at the top. */
  readonly key: string;
  /** The position of a key of the mapping here. */
  in(name: string): KeyPosition;
  /** The position of an entry of the list here, from 0. */
  at(index: number): KeyPosition;
  /** Reports a problem and answers undefined, which is what fields answer for a value they refuse. */
  report(message: string): undefined;
  /**
   * Takes from what the whole document may come to once its patterns are written out (`{a,b}`); false, reported
   * once, where that is used up.
   */
  take(patterns: number): boolean;
}

/** Plain patterns that a policy may come to: 10,000 rules of ten alternatives each, some 50 MB once compiled. */
const MOST_PATTERNS = 100_000;

/** The top of a policy, whose problems and those below go to `sink`. */
export function topOf(sink: (key: string, message: string) => void): KeyPosition {
  return new Step(null, "", { sink, left: MOST_PATTERNS });
}

/** What all positions in one document share. */
interface Document {
  readonly sink: (key: string, message: string) => void;
  left: number;
}

/** Positions are made for every value and asked for their key by few: it is put together when asked for. */
class Step implements KeyPosition {
  readonly #above: Step | null;
  readonly #name: string | number;
  readonly #document: Document;

  constructor(above: Step | null, name: string | number, document: Document) {
    this.#above = above;
    this.#name = name;
    this.#document = document;
  }

  get key(): string {
    if (this.#above === null) return "";
    return typeof this.#name === "number"
      ? `${this.#above.key}[${this.#name}]`
      : keyIn(this.#above.key, this.#name);
  }

  in(name: string): KeyPosition {
    return new Step(this, name, this.#document);
  }

  at(index: number): KeyPosition {
    return new Step(this, index, this.#document);
  }

  report(message: string): undefined {
    this.#document.sink(this.key, message);
    return undefined;
  }

  take(patterns: number): boolean {
    const before = this.#document.left;
    if (before < 0) return false;
    this.#document.left -= patterns;
    if (this.#document.left >= 0) return true;
    this.report(
      `comes, with what stands before it, to more than ${MOST_PATTERNS} patterns once {a,b} is written out`,
    );
    return false;
  }
}

/** Longest part of a key that is shown. */
const LONGEST_NAME = 60;

/** The key path of `name` below `key`: dotted where the name is a plain word, else in brackets and quotes. */
export function keyIn(key: string, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) || name.length > LONGEST_NAME) {
    return `${key}[${quoted(name, LONGEST_NAME)}]`;
  }
  return key === "" ? name : `${key}.${name}`;
}
