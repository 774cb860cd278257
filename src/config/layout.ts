/**
 * Where the keys of a YAML text stand, line by line, and which lines are indented with tabs: what the YAML
 * reader does not tell. Reads only for messages and for tabs, never for meaning.
 */

import { keyIn } from "./key_position.ts";

/** Where things are in a text. Lines count from 1. */
export interface Layout {
  /** Lines whose indentation holds a tab; not lines inside block scalars and quoted text. */
  readonly tabs: readonly number[];
  /** The line of the key path, or of the nearest key around it; undefined where no key is known. */
  lineOf(key: string): number | undefined;
  /** The key path that the line belongs to; empty before the first. */
  keyOf(line: number): string;
}

/** One level of block structure: the column it stands in and the path of the entry it is at. */
interface Level {
  readonly column: number;
  readonly kind: "map" | "list";
  /** The path of what holds this level. */
  readonly parent: string;
  readonly index: number;
  readonly path: string;
}

/** Levels that are followed, many times what the language has: paths of millions would fill the memory. */
const MOST_LEVELS = 64;

/** Looks through a text, whatever it holds. */
export function layOut(yaml: string): Layout {
  const scanner = new Scanner();
  yaml.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).forEach((line, index) =>
    scanner.line(line, index + 1)
  );
  const { tabs, entries } = scanner;
  const lines = new Map<string, number>();
  for (const [line, path] of entries) if (!lines.has(path)) lines.set(path, line);
  return {
    tabs,
    lineOf(key) {
      // Shortened step by step: an ending inside a quoted name is tried too, and finds nothing.
      for (let end = key.length; end > 0; end--) {
        if (end < key.length && key[end] !== "." && key[end] !== "[") continue;
        const line = lines.get(key.slice(0, end));
        if (line !== undefined) return line;
      }
      return undefined;
    },
    keyOf: (line) => entries[countUpTo(entries, line) - 1]?.[1] ?? "",
  };
}

/** How many of the entries, which are in the order of their lines, begin at the line or before it. */
function countUpTo(
  entries: readonly (readonly [line: number, path: string])[],
  line: number,
): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]![0] <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Scanner {
  readonly tabs: number[] = [];
  readonly entries: [line: number, path: string][] = [];
  #levels: Level[] = [];
  /** The quote of a text that goes on over lines. */
  #quote: '"' | "'" | null = null;
  /** Open brackets and braces. */
  #flow = 0;
  /** Inside an unquoted word of a flow collection, where quotes are letters. */
  #word = false;
  /** The column that a block scalar belongs to; its lines are indented further. */
  #scalar: number | null = null;

  line(line: string, number: number): void {
    if (this.#quote !== null) return this.#afterQuote(line, 0);
    const start = line.search(/[^ \t]/);
    if (this.#scalar !== null) {
      if (start < 0 || line.search(/[^ ]/) > this.#scalar) return;
      this.#scalar = null;
    }
    if (start < 0 || line[start] === "#") return;
    if (line.slice(0, start).includes("\t")) this.#tab(number);
    if (this.#flow > 0) return this.#collection(line, start);
    if (/^(?:%|\.\.\.(?:[ \t]|$))/.test(line)) return;
    const marker = /^---(?:[ \t]+|$)/.exec(line);
    if (marker !== null) return this.#value(line, marker[0].length, -1);
    this.#structure(line, start, number);
  }

  #tab(number: number): void {
    if (this.tabs.at(-1) !== number) this.tabs.push(number);
  }

  /** Dashes and keys from the start of a line, then the value behind them. */
  #structure(line: string, start: number, number: number): void {
    let at = start;
    let column = this.#levels.at(-1)?.column ?? -1;
    let gap = "";
    for (;;) {
      const dash = /^-(?:[ \t]+|$)/.exec(line.slice(at, at + 1) === "-" ? line.slice(at) : "");
      const key = dash === null ? keyAt(line, at) : null;
      if (dash === null && key === null) break;
      // Behind a dash a tab indents what follows, if that has structure of its own.
      if (gap.includes("\t")) this.#tab(number);
      column = at;
      if (dash !== null) {
        this.#entry(column, number);
        gap = dash[0];
        at += gap.length;
      } else if (key !== null) {
        this.#key(column, key.name, number);
        at = key.end;
        break;
      }
    }
    this.#value(line, at, column);
  }

  #entry(column: number, number: number): void {
    this.#leave((level) => level.column > column);
    const top = this.#levels.at(-1);
    const next = top?.kind === "list" && top.column === column
      ? { ...top, index: top.index + 1 }
      : { column, kind: "list" as const, parent: top?.path ?? "", index: 0 };
    if (top?.kind === "list" && top.column === column) this.#levels.pop();
    this.#push({ ...next, path: `${next.parent}[${next.index}]` }, number);
  }

  #key(column: number, name: string, number: number): void {
    // A list may stand in the column of the key that holds it; a key in that column ends it.
    this.#leave((level) =>
      level.column > column || (level.column === column && level.kind === "list")
    );
    let top = this.#levels.at(-1);
    if (top?.column === column) {
      this.#levels.pop();
      top = this.#levels.at(-1);
    }
    const parent = top?.path ?? "";
    this.#push({ column, kind: "map", parent, index: 0, path: keyIn(parent, name) }, number);
  }

  #leave(ended: (level: Level) => boolean): void {
    for (
      let top = this.#levels.at(-1);
      top !== undefined && ended(top);
      top = this.#levels.at(-1)
    ) {
      this.#levels.pop();
    }
  }

  #push(level: Level, number: number): void {
    if (this.#levels.length >= MOST_LEVELS) return;
    this.#levels.push(level);
    this.entries.push([number, level.path]);
  }

  #value(line: string, start: number, column: number): void {
    const at = afterProperties(line, start);
    const first = line[at];
    if (first === '"' || first === "'") {
      this.#quote = first;
      this.#afterQuote(line, at + 1);
    } else if (first === "|" || first === ">") {
      this.#scalar = column;
    } else if (first === "[" || first === "{") {
      this.#word = false;
      this.#collection(line, at);
    }
  }

  /** From inside a quoted text on. */
  #afterQuote(line: string, start: number): void {
    const end = closing(line, start, this.#quote);
    if (end < 0) return;
    this.#quote = null;
    if (this.#flow > 0) this.#collection(line, end + 1);
  }

  /** From inside, or from the first bracket of, a flow collection on. */
  #collection(line: string, start: number): void {
    for (let at = start; at < line.length; at++) {
      const character = line[at] ?? "";
      if (character === "#" && (at === 0 || isBlank(line[at - 1]))) return;
      if (character === "[" || character === "{") {
        this.#flow++;
        this.#word = false;
      } else if (character === "]" || character === "}") {
        this.#flow--;
        this.#word = false;
        if (this.#flow === 0) return;
      } else if (character === "," || (character === ":" && isBlank(line[at + 1]))) {
        this.#word = false;
      } else if (!this.#word && (character === '"' || character === "'")) {
        const end = closing(line, at + 1, character);
        if (end < 0) {
          this.#quote = character;
          return;
        }
        at = end;
      } else if (!isBlank(character)) {
        this.#word = true;
      }
    }
  }
}

/** A key and where its value may start, if the line has one from `start` on. */
function keyAt(
  line: string,
  start: number,
): { readonly name: string; readonly end: number } | null {
  const at = afterProperties(line, start);
  const first = line[at];
  if (first === undefined || "[]{}|>%@`#,*".includes(first)) return null;
  if (first === '"' || first === "'") {
    const end = closing(line, at + 1, first);
    const colon = end < 0 ? -1 : skipBlanks(line, end + 1);
    return line[colon] === ":" && isBlank(line[colon + 1])
      ? { name: line.slice(at + 1, end), end: colon + 1 }
      : null;
  }
  for (let index = at; index < line.length; index++) {
    if (line[index] === "#" && isBlank(line[index - 1])) return null;
    if (line[index] === ":" && isBlank(line[index + 1])) {
      return { name: line.slice(at, index).trimEnd(), end: index + 1 };
    }
  }
  return null;
}

/** Where the quoted text that `start` is in ends; -1 where it goes on. */
function closing(line: string, start: number, quote: '"' | "'" | null): number {
  for (let at = start; at < line.length; at++) {
    if (quote === '"' && line[at] === "\\") at++;
    else if (line[at] === quote) {
      if (quote === "'" && line[at + 1] === "'") at++;
      else return at;
    }
  }
  return -1;
}

/** Past blanks, anchors (`&a`) and tags (`!t`). */
function afterProperties(line: string, start: number): number {
  let at = skipBlanks(line, start);
  while (line[at] === "&" || line[at] === "!") {
    while (at < line.length && !isBlank(line[at])) at++;
    at = skipBlanks(line, at);
  }
  return at;
}

function skipBlanks(line: string, start: number): number {
  let at = start;
  while (line[at] === " " || line[at] === "\t") at++;
  return at;
}

/** A blank, a tab or the end of the line. */
function isBlank(character: string | undefined): boolean {
  return character === undefined || character === " " || character === "\t";
}
