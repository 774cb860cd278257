/** The comments that tell of declarations: those right before them, and docstrings in them. */

import type { SyntaxTree } from "../../core/syntax_tree.ts";
import { childBy, kindOf, type Kinds, type Numbered, textOf } from "./kinds.ts";

/** Longest remark that is shown, in UTF-16 code units. */
const LONGEST = 400;

/** Comments that follow one another, each on lines of its own. */
interface Run {
  readonly start: number;
  /** Of the last comment, or of the attribute behind it. */
  end: number;
  commentEnd: number;
}

/** Gathers the comments of one tree and gives them to what they stand before. */
export class Remarks {
  readonly #tree: SyntaxTree;
  readonly #numbers: Numbered;
  readonly #statements: Kinds | null;
  #run: Run | null = null;

  constructor(tree: SyntaxTree, numbers: Numbered) {
    this.#tree = tree;
    this.#numbers = numbers;
    const { docstrings } = numbers.language;
    this.#statements = docstrings === undefined ? null : numbers.set([docstrings.statement]);
  }

  /** A comment was come to. */
  add(node: number): void {
    const start = this.#tree.starts[node] as number;
    const end = this.#endOf(node);
    // What a script is run by tells nothing of what comes next.
    const isShebang = start === 0 && this.#tree.text.startsWith("#!");
    if (isShebang || !this.#beginsLine(start)) {
      this.#run = null;
      return;
    }
    const run = this.#run;
    const isLineComment = !/^(\/\*|\(\*)/.test(this.#tree.text.slice(start, start + 2));
    if (
      run !== null && isLineComment && run.end === run.commentEnd && this.#touch(run.end, start)
    ) {
      run.end = end;
      run.commentEnd = end;
    } else this.#run = { start, end, commentEnd: end };
  }

  /** An attribute was come to, which does not part a comment from what it is of. */
  pass(node: number): void {
    const start = this.#tree.starts[node] as number;
    if (this.#run !== null && this.#touch(this.#run.end, start)) this.#run.end = this.#endOf(node);
  }

  /** Of what a node declares, without marks; empty where there is none. */
  of(node: number): string {
    const docstring = this.#docstring(node);
    if (docstring !== null) return shortened(docstring);
    const run = this.#run;
    const start = this.#outerStart(node);
    if (run === null || !(this.#touch(run.end, start) || this.#touch(run.commentEnd, start))) {
      return "";
    }
    return shortened(withoutMarks(this.#tree.text.slice(run.start, run.commentEnd)));
  }

  #endOf(node: number): number {
    const end = this.#tree.ends[node] as number;
    return this.#tree.text.charCodeAt(end - 1) === 10 ? end - 1 : end;
  }

  #beginsLine(start: number): boolean {
    const from = Math.max(0, start - LONGEST);
    const before = this.#tree.text.slice(from, start);
    const line = before.lastIndexOf("\n") + 1;
    return (line > 0 || from === 0) && before.slice(line).trim() === "";
  }

  /** Whether nothing but one end of a line stands between two places. */
  #touch(end: number, start: number): boolean {
    if (start < end || start - end > LONGEST) return false;
    const between = this.#tree.text.slice(end, start);
    return between.trim() === "" && between.split("\n").length <= 2;
  }

  /** Where the statement begins that a declaration is part of. */
  #outerStart(node: number): number {
    const { parents, kinds, starts } = this.#tree;
    let outer = node;
    for (let parent = parents[outer] as number; parent > 0; parent = parents[outer] as number) {
      if (this.#numbers.wrappers[kinds[parent] as number] !== 1) break;
      outer = parent;
    }
    return starts[outer] as number;
  }

  #docstring(node: number): string | null {
    if (this.#statements === null) return null;
    const tree = this.#tree;
    const body = childBy(tree, node, this.#numbers.field("body"));
    const first = body + 1;
    if (body < 0 || first >= (tree.nexts[body] as number)) return null;
    if (this.#statements[tree.kinds[first] as number] !== 1) return null;
    const { docstrings } = this.#numbers.language;
    if (first + 1 >= tree.count || kindOf(tree, first + 1) !== docstrings?.string) return null;
    const text = textOf(tree, first + 1);
    return oneSpace(text.replace(/^[A-Za-z]*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, ""));
  }
}

function withoutMarks(text: string): string {
  const lines = text.split("\n").map((line) =>
    line.trim().replace(/^(\/\*+!?|\/\/[/!]*|#+!?|\*+(?!\/))/, "").replace(/\*+\/$/, "")
  );
  return oneSpace(lines.join("\n"));
}

/** Lines become one, paragraphs stay apart. */
function oneSpace(text: string): string {
  return text.trim().split(/\n\s*\n/).map((part) => part.replace(/\s+/g, " ").trim()).join("\n");
}

function shortened(text: string): string {
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
}
