/** Lines of a text: where each begins, and how many hold code, comments or nothing. */

import type { SyntaxTree } from "../../core/syntax_tree.ts";
import type { Numbered } from "./kinds.ts";

/** Counts of lines, as cloc has them: what holds code is code whatever else it holds, blank lines are blank anywhere. */
export interface LineCounts {
  readonly code: number;
  readonly comment: number;
  readonly blank: number;
}

const LINE_FEED = 10;

/** Whether a text has anything but blanks between two places. */
function hasInk(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 32 && unit !== 0xa0 && unit !== 0xfeff) return true;
  }
  return false;
}

/** Begins and ends of the comments of a tree, docstrings among them, in their order. */
export function commentsOf(tree: SyntaxTree, { comments, language, set }: Numbered): number[] {
  const found: number[] = [];
  const { docstrings } = language;
  const statements = docstrings === undefined ? null : set([docstrings.statement]);
  const strings = docstrings === undefined ? null : set([docstrings.string]);
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kinds[node] as number;
    const isComment = comments[kind] === 1 ||
      (statements?.[kind] === 1 && strings?.[tree.kinds[node + 1] as number] === 1 &&
        tree.nexts[node + 1] === tree.nexts[node] && tree.nexts[node] !== node + 1);
    if (isComment) found.push(tree.starts[node] as number, tree.ends[node] as number);
  }
  return found;
}

/** `comments`: begins and ends, in their order, none in another. */
export function countLines(text: string, comments: readonly number[]): LineCounts {
  const counts = { code: 0, comment: 0, blank: 0 };
  eachLine(text, comments, (kind) => counts[kind]++);
  return counts;
}

type LineKind = keyof LineCounts;

function eachLine(
  text: string,
  comments: readonly number[],
  say: (kind: LineKind) => void,
): void {
  let next = 0;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    if (!hasInk(text, start, end)) say("blank");
    else {
      let at = start;
      let isCode = false;
      while (next < comments.length && (comments[next] as number) < end) {
        isCode ||= hasInk(text, at, comments[next] as number);
        at = Math.max(at, Math.min(end, comments[next + 1] as number));
        if ((comments[next + 1] as number) > end) break;
        next += 2;
      }
      say(isCode || hasInk(text, at, end) ? "code" : "comment");
    }
    start = end + 1;
  }
}

/** Which lines of a text hold code. */
export class LineKinds {
  /** How many lines of code there are up to each line. */
  readonly #sums: number[] = [0];

  constructor(text: string, comments: readonly number[]) {
    eachLine(text, comments, (kind) => {
      this.#sums.push((this.#sums.at(-1) ?? 0) + (kind === "code" ? 1 : 0));
    });
  }

  /** Lines of code between two lines, both among them. */
  code(first: number, last: number): number {
    const end = Math.min(last, this.#sums.length - 1);
    return (this.#sums[end] ?? 0) - (this.#sums[first - 1] ?? 0);
  }
}

/** Lines that hold something, and lines that do not: all that is known of a text in a language that is not. */
export function countPlainLines(text: string): { readonly filled: number; readonly blank: number } {
  const { code, blank } = countLines(text, []);
  return { filled: code, blank };
}

/** The lines of a text, by their places; all from 1. */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The line in which a place lies. */
  line(place: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= place) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** The last line of what ends before a place: a line feed at its end is of the line it ends. */
  lastLine(tree: SyntaxTree, node: number): number {
    const end = tree.ends[node] as number;
    const start = tree.starts[node] as number;
    const feeds = end > start && tree.text.charCodeAt(end - 1) === LINE_FEED ? 1 : 0;
    return this.line(Math.max(start, end - feeds));
  }

  /** In UTF-16 code units from 1. */
  column(place: number): number {
    return place - (this.#starts[this.line(place) - 1] as number) + 1;
  }
}
