/**
 * From the tree that the parser left in its memory to tables. Read in place, for asking node by node takes a third of the
 * time that parsing does, and this a tenth of that; with a stack of its own, for a tree may be as deep as its text is long.
 *
 * Layouts: tree-sitter 0.26, lib/src/subtree.h (`SubtreeInlineData`, `SubtreeHeapData`), of which the library is pinned
 * exactly. The tests compare what comes out with the answers of the library's own functions.
 */

import { NODE, type SyntaxTree } from "../../core/syntax_tree.ts";
import type { Language } from "./_language.ts";

/** Words of `SubtreeHeapData`. */
const PADDING = 1;
const SIZE = 4;
const CHILDREN = 9;
const SYMBOL = 10;
const BITS = 11;
const DESCENDANTS = 14;
const PRODUCTION = 16;

/** Bits of both: in the first byte of an inline subtree they stand one further up. */
const VISIBLE = 1;
const NAMED = 2;
const EXTRA = 4;
const INLINE_MISSING = 1 << 5;
const HEAP_MISSING = 1 << 9;

/** `ts_builtin_sym_error`, lib/src/subtree.h */
const ERROR = 0xffff;

/** The parent of the root. */
const NONE = -1;

/** A subtree takes two words; of a large one the first is its address, and its children stand before that. */
const SUBTREE_WORDS = 2;

/** Words of a frame of the stack. */
const FRAME = 9;

/** The tables, kept from text to text. */
export interface Tables {
  kinds: Uint16Array;
  fields: Uint16Array;
  flags: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
  parents: Int32Array;
  nexts: Uint32Array;
  stack: Int32Array;
}

/** Empty tables, large enough for most files; they grow. */
export function createTables(): Tables {
  return { ...tablesOf(4096), stack: new Int32Array(FRAME * 256) };
}

function tablesOf(length: number): Omit<Tables, "stack"> {
  return {
    kinds: new Uint16Array(length),
    fields: new Uint16Array(length),
    flags: new Uint8Array(length),
    starts: new Uint32Array(length),
    ends: new Uint32Array(length),
    parents: new Int32Array(length),
    nexts: new Uint32Array(length),
  };
}

/** How many nodes tables keep room for when a larger text is done with: memory stays bounded by the text, not the day. */
const KEPT = 1 << 17;

/** Nodes between two looks at whether to end it: some milliseconds. */
const PAUSE = 1 << 16;

/**
 * Lays out the tree at the address, in the memory whose words these are; null where `isOver` ended it. `isNarrow`: as the
 * text was parsed. One loop without functions in it: what such a function changes would be kept in memory, and asked for
 * there with each node.
 */
export function layOut(
  words: Uint32Array,
  tree: number,
  text: string,
  isNarrow: boolean,
  { grammar, publicKinds, named, aliases, longest, slices, entries }: Language,
  tables: Tables,
  isOver: () => boolean,
): SyntaxTree | null {
  const errorKind = grammar.kinds.length - 1;
  const half = isNarrow ? 0 : 1; // the tree counts bytes: of a narrow text one for each unit, else two
  // The first member of `TSTree` is its root.
  const root = words[tree >>> 2] as number;
  const total = (root & 1) === 1 ? 1 : (words[(root >>> 2) + DESCENDANTS] as number) + 1;
  if (total > tables.kinds.length || (tables.kinds.length > KEPT && total < KEPT)) {
    // Room to spare: else each text that is a little longer leaves tables to be collected.
    Object.assign(tables, tablesOf(Math.max(Math.ceil(1.5 * total), 4096)));
  }
  const { kinds, fields, flags, starts, ends, parents, nexts } = tables;
  let { stack } = tables;

  let count = 0;
  let errors = 0;
  let asks = PAUSE;
  // What stands at the top of the stack, in variables; at first, what has the root for its only child.
  let children = tree >>> 2; // index of the words of the next child
  let left = 1; // children to come
  let first = 0; // 1 before the first, which begins where its parent does
  let production = 0;
  let structural = 0; // index of the next child among those that are no extras
  let at = 0; // where the last child ended, in bytes
  let node = NONE; // the visible node that the children belong to
  let inherited = 0; // field of children without one of their own
  let owns = 0; // 1 where that node ends with them
  let depth = 0;

  for (;;) {
    if (left === 0) {
      if (owns === 1) nexts[node] = count;
      if (depth === 0) break;
      const frame = --depth * FRAME;
      children = stack[frame] as number;
      left = stack[frame + 1] as number;
      first = stack[frame + 2] as number;
      production = stack[frame + 3] as number;
      structural = stack[frame + 4] as number;
      at = stack[frame + 5] as number;
      node = stack[frame + 6] as number;
      inherited = stack[frame + 7] as number;
      owns = stack[frame + 8] as number;
      continue;
    }
    left--;
    const head = words[children] as number;
    let symbol: number, bits: number, padding: number, size: number, inner: number;
    if ((head & 1) === 1) {
      const second = words[children + 1] as number;
      symbol = (head >>> 8) & 0xff;
      bits = (head >>> 1) & (VISIBLE | NAMED | EXTRA);
      if ((head & INLINE_MISSING) !== 0) bits |= HEAP_MISSING;
      padding = (second >>> 16) & 0xff;
      size = second >>> 24;
      inner = 0;
    } else {
      const word = head >>> 2;
      symbol = (words[word + SYMBOL] as number) & 0xffff;
      bits = words[word + BITS] as number;
      padding = words[word + PADDING] as number;
      size = words[word + SIZE] as number;
      inner = words[word + CHILDREN] as number;
    }
    children += SUBTREE_WORDS;
    const start = first === 1 ? at : at + padding;
    first = 0;
    at = start + size;

    let alias = 0;
    let field = 0;
    if ((bits & EXTRA) === 0) {
      if (production !== 0 && longest !== 0) {
        alias = aliases[production * longest + structural] as number;
      }
      const slice = 2 * production;
      const end = 2 * ((slices[slice] as number) + (slices[slice + 1] as number));
      for (let entry = 2 * (slices[slice] as number); entry < end; entry += 2) {
        if (entries[entry + 1] !== structural) continue;
        field = entries[entry] as number;
        break;
      }
      if (field === 0) field = inherited;
      structural++;
    }

    let owner = node;
    const isShown = alias !== 0 || (bits & VISIBLE) !== 0 || node === NONE;
    if (isShown) {
      if (count >= asks) {
        if (isOver()) return null;
        asks = count + PAUSE;
      }
      const isNamed = alias === 0 ? (bits & NAMED) !== 0 : named[alias] === 1;
      const own = alias === 0 ? symbol : alias;
      const isError = own === ERROR;
      const missing = (bits & HEAP_MISSING) !== 0;
      if (isError || missing) errors++;
      owner = count++;
      kinds[owner] = isError ? errorKind : publicKinds[own] as number;
      fields[owner] = field;
      flags[owner] = (isNamed ? NODE.named : 0) | ((bits & EXTRA) !== 0 ? NODE.extra : 0) |
        (missing ? NODE.missing : 0);
      starts[owner] = start >>> half;
      ends[owner] = (start + size) >>> half;
      parents[owner] = node;
      nexts[owner] = count;
      field = 0;
    }
    if (inner === 0) continue;
    if ((depth + 1) * FRAME > stack.length) {
      const larger = new Int32Array(stack.length * 2);
      larger.set(stack);
      stack = larger;
    }
    const frame = depth++ * FRAME;
    stack[frame] = children;
    stack[frame + 1] = left;
    stack[frame + 2] = first;
    stack[frame + 3] = production;
    stack[frame + 4] = structural;
    stack[frame + 5] = at;
    stack[frame + 6] = node;
    stack[frame + 7] = inherited;
    stack[frame + 8] = owns;
    const word = head >>> 2;
    left = inner;
    children = word - SUBTREE_WORDS * inner;
    first = 1;
    production = (words[word + PRODUCTION] as number) >>> 16;
    structural = 0;
    at = start;
    node = owner;
    inherited = field;
    owns = isShown ? 1 : 0;
  }
  tables.stack = stack.length > KEPT ? new Int32Array(FRAME * 256) : stack;
  return { grammar, text, count, kinds, fields, flags, starts, ends, parents, nexts, errors };
}
