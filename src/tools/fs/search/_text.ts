/** Matching lines in the pieces of one file. */

import { ToolError } from "../../../core/errors.ts";
import type { Piece } from "./_contents.ts";
import { cutLine, withoutReturn } from "./_lines.ts";
import { escapeExpression, type SearchPattern } from "./pattern.ts";

/** A matching line. Line and column count from 1, the column in characters. */
export interface LineMatch {
  readonly line: number;
  readonly column: number;
  readonly content: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** How a text is searched. */
export interface TextOptions {
  /** Matches to give at most. */
  readonly wanted: number;
  /** Lines around each. */
  readonly context: number;
  /** Called now and then. */
  readonly pause: () => void;
}

/** Searches one file after another. */
export type TextSearch = (
  pieces: Iterable<Piece>,
  options: TextOptions,
) => { readonly matches: readonly LineMatch[]; readonly total: number };

/** Lines between two calls of `pause`. */
const PAUSE = 1000;

const WIDE = /[\ud800-\udbff]/;

/**
 * Counts the lines that match (line ends, `\r` too, are no part of them) and gives the first `wanted`. Long lines are
 * cut around the match.
 */
export function createTextSearch(pattern: SearchPattern): TextSearch {
  const { literals, ignoreCase } = pattern;
  const [group, ...others] = literals.groups;
  const nextLiteral = group === undefined ? null : literalFinder(group, ignoreCase);
  // Quicker than the expression. Without regard to case that is no longer so.
  const mayMatch = (line: string) =>
    ignoreCase || others.every((texts) => texts.some((text) => line.includes(text)));
  return (pieces, { wanted, context, pause }) => {
    const matches: LineMatch[] = [];
    let total = 0;
    let looked = 0;
    // Lines are numbered up to the last one that is shown, no further.
    let line = 1;
    for (const { text, start: first, end: last } of pieces) {
      let numbered = first;
      const matcher = pattern.wide !== pattern.line && WIDE.test(text)
        ? pattern.wide
        : pattern.line;
      const candidates = nextLiteral?.(text);
      for (let at = first; at < last;) {
        const candidate = candidates === undefined ? at : candidates(at);
        if (candidate < 0 || candidate >= last) break;
        if (looked++ % PAUSE === 0) pause();
        const end = lineEnd(text, candidate);
        if (literals.sufficient && matches.length >= wanted) {
          total++;
          at = end + 1;
          continue;
        }
        const start = candidate === at
          ? at
          : Math.max(at, text.lastIndexOf("\n", candidate - 1) + 1);
        at = end + 1;
        const content = withoutReturn(text.slice(start, end));
        if (!mayMatch(content)) continue;
        const index = literals.sufficient ? candidate - start : indexIn(content, matcher);
        if (index < 0) continue;
        total++;
        if (matches.length >= wanted) continue;
        line += countLineBreaks(text, numbered, start);
        numbered = start;
        matches.push({
          line,
          column: countCharacters(content.slice(0, index)) + 1,
          content: cutLine(content, index),
          ...contextAround(text, start, end, context),
        });
      }
      if (matches.length < wanted) line += countLineBreaks(text, numbered, last);
    }
    return { matches, total };
  };
}

/** Where the first match begins; negative where there is none. Throws INVALID_PATTERN for what V8 has no room for. */
function indexIn(line: string, matcher: RegExp): number {
  try {
    return line.search(matcher);
  } catch (error) {
    // Of its stack for backtracking, or for the compiled expression.
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
    throw new ToolError(
      "INVALID_PATTERN",
      `pattern: it repeats too much for a line of ${line.length} characters; write it with fewer repetitions, or ` +
        "search fewer files with file_pattern",
    );
  }
}

/** For a text: where at or after a place the next literal stands; negative where none does. Asked in rising order. */
function literalFinder(
  literals: readonly string[],
  ignoreCase: boolean,
): (text: string) => (from: number) => number {
  if (ignoreCase) {
    const any = new RegExp(literals.map(escapeExpression).join("|"), "gi");
    return (text) => (from) => {
      any.lastIndex = from;
      return any.exec(text)?.index ?? -1;
    };
  }
  return (text) => {
    const next = literals.map(() => -2);
    return (from) => {
      let nearest = -1;
      for (let index = 0; index < literals.length; index++) {
        let at = next[index] as number;
        if (at !== -1 && at < from) {
          next[index] = at = text.indexOf(literals[index] as string, from);
        }
        if (at >= 0 && (nearest < 0 || at < nearest)) nearest = at;
      }
      return nearest;
    };
  };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

function countLineBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function contextAround(
  text: string,
  start: number,
  end: number,
  count: number,
): { readonly before?: readonly string[]; readonly after?: readonly string[] } {
  if (count === 0) return {};
  const before: string[] = [];
  for (let at = start; at > 0 && before.length < count;) {
    const from = at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
    before.unshift(cutLine(withoutReturn(text.slice(from, at - 1)), 0));
    at = from;
  }
  const after: string[] = [];
  for (let at = end + 1; at < text.length && after.length < count;) {
    const to = lineEnd(text, at);
    after.push(cutLine(withoutReturn(text.slice(at, to)), 0));
    at = to + 1;
  }
  return { before, after };
}
