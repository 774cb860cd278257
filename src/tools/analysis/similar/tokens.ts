/** Code as a row of words: what remains the same whatever it is called, however it is laid out. */

import { NODE } from "../../../core/syntax_tree.ts";
import { type CodeFile, PAUSE } from "../../../toolkit/code/code_file.ts";

/** Functions within functions that are compared for themselves: each holds the words of those in it. */
const DEEPEST = 16;

/** In the place of all names, and of all literals: so low that no hash of a word is one of them. */
const NAME = 1;
const LITERAL = 2;
const LOWEST_HASH = 16;

/** The words of files, one after the other; each has a number. */
export class Tokens {
  /** Names as {@linkcode NAME}, literals as {@linkcode LITERAL}, other words by hash. */
  plain = new Uint32Array(1 << 16);
  /** Every word by hash. */
  exact = new Uint32Array(1 << 16);
  /** Lines on which words begin and end. */
  firstLines = new Uint32Array(1 << 16);
  lastLines = new Uint32Array(1 << 16);
  count = 0;
  readonly files: TokenFile[] = [];

  /** Adds the words of a file. */
  add({ path, tree, numbers, lines, language, pause }: CodeFile): TokenFile {
    const start = this.count;
    const { kinds, flags, starts, ends, nexts, text, grammar } = tree;
    const { comments, names, literals, flow } = numbers;
    const units: { start: number; end: number }[] = [];
    const open: { readonly node: number; readonly start: number }[] = [];
    const close = (node: number) => {
      for (let top = open.at(-1); top !== undefined && top.node <= node; top = open.at(-1)) {
        open.pop();
        units.push({ start: top.start, end: this.count });
      }
    };
    let line = 1;
    let lineEnd = lineEndAfter(text, 0);
    for (let node = 0; node < tree.count; node++) {
      if (node % PAUSE === 0) pause();
      const kind = kinds[node] as number;
      const next = nexts[node] as number;
      close(node);
      if (comments[kind] === 1) {
        node = next - 1;
        continue;
      }
      if (next !== node + 1) {
        if (flow.functions[kind] === 1 && open.length < DEEPEST) {
          open.push({ node: next, start: this.count });
        }
        continue;
      }
      const from = starts[node] as number;
      const to = ends[node] as number;
      if (to === from || text.charCodeAt(from) <= 32) continue;
      while (from > lineEnd) {
        line++;
        lineEnd = lineEndAfter(text, lineEnd + 1);
      }
      const isNamed = ((flags[node] as number) & NODE.named) !== 0;
      const exact = isNamed ? hashOf(text, from, to) : hashOfNumber(kind);
      const plain = !isNamed
        ? exact
        : names[kind] === 1
        ? NAME
        : literals[kind] === 1
        ? LITERAL
        : hashOfNumber(kind);
      this.#put(plain, exact, line, to <= lineEnd ? line : lines.line(to - 1));
    }
    close(tree.count);
    const file = {
      path,
      language: language.name,
      grammar: grammar.name,
      start,
      end: this.count,
      units,
    };
    this.files.push(file);
    return file;
  }

  /** The file that a word is of. */
  fileOf(word: number): TokenFile {
    let low = 0;
    let high = this.files.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.files[middle] as TokenFile).start <= word) low = middle;
      else high = middle;
    }
    return this.files[low] as TokenFile;
  }

  #put(plain: number, exact: number, first: number, last: number): void {
    if (this.count === this.plain.length) {
      this.plain = doubled(this.plain);
      this.exact = doubled(this.exact);
      this.firstLines = doubled(this.firstLines);
      this.lastLines = doubled(this.lastLines);
    }
    this.plain[this.count] = plain;
    this.exact[this.count] = exact;
    this.firstLines[this.count] = first;
    this.lastLines[this.count] = last;
    this.count++;
  }
}

/** A file whose words were read. */
export interface TokenFile {
  readonly path: string;
  readonly language: string;
  readonly grammar: string;
  /** Numbers of its first word, and of the first one behind it. */
  readonly start: number;
  readonly end: number;
  /** Its functions, by their words. */
  readonly units: readonly { readonly start: number; readonly end: number }[];
}

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2);
  larger.set(values);
  return larger;
}

function lineEndAfter(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/** FNV-1a, of 32 bits (Internet-Draft draft-eastlake-fnv), over UTF-16 code units. */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return Math.max(LOWEST_HASH, hash >>> 0);
}

function hashOfNumber(value: number): number {
  return Math.max(LOWEST_HASH, Math.imul(value + 1, 0x9e3779b1) >>> 0);
}
