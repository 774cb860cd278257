/** Whether others may use a symbol: what a module exports, what a type shows. */

import type { SyntaxTree } from "../../core/syntax_tree.ts";
import { childBy, childOf, kindOf, type Numbered, textOf } from "./kinds.ts";
import type { SymbolKind } from "./languages/language.ts";

/** What encloses a declaration: a symbol, an unnamed function, or what only says whose its members are. */
export interface Enclosing {
  /** The first node behind it. */
  readonly end: number;
  /** With dots; empty where neither it nor what it lies in has one. */
  readonly name: string;
  readonly kind: SymbolKind | null;
  readonly isFunction: boolean;
  readonly isType: boolean;
  /** Its members are as visible as it is: of an interface, of what is done for a trait. */
  readonly isPromise: boolean;
  readonly exported: boolean;
  /** The label that its last members stand behind (C++): `private`. */
  access: string;
}

interface Asked {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly within: Enclosing | undefined;
  /** What {@linkcode exportedNames} found. */
  readonly named: ReadonlySet<string>;
}

/** Whether what a node declares can be used from elsewhere, as its language has it. */
export function isExported(
  tree: SyntaxTree,
  numbers: Numbered,
  node: number,
  { name, kind, within, named }: Asked,
): boolean {
  const { exports } = numbers.language;
  // What a function declares is its own.
  if (within?.isFunction === true) return false;
  const around = within === undefined || within.exported;
  const isMember = within?.isType === true || (within !== undefined && kind === "method");
  switch (exports.by) {
    case "statement": {
      if (isMember || kind === "member") {
        return around && !exports.hidden.some((word) => hides(tree, numbers, node, name, word));
      }
      return isInExport(tree, numbers, node) || (within === undefined && named.has(name));
    }
    case "capital":
      return /^\p{Lu}/u.test(name);
    case "underscore": {
      const isOpen = !name.startsWith("_") || /^__\w+__$/.test(name);
      return within === undefined && named.size > 0 ? named.has(name) : around && isOpen;
    }
    case "modifier": {
      if (exports.kinds.includes(kind)) return around;
      if (within?.isPromise === true) return within.kind === null || around;
      return hasModifier(tree, numbers, node, exports.words);
    }
    case "default": {
      if (within?.isType === true) return around && !exports.hidden.includes(within.access);
      return around && !exports.hidden.some((word) => hasWord(tree, numbers, node, word));
    }
  }
}

/** `#x`, or a modifier of its own. */
function hides(
  tree: SyntaxTree,
  numbers: Numbered,
  node: number,
  name: string,
  word: string,
): boolean {
  if (word === "#") return name.startsWith("#");
  const modifier = childOf(tree, node, numbers.set(["accessibility_modifier"]));
  return modifier >= 0 && textOf(tree, modifier) === word;
}

function isInExport(tree: SyntaxTree, { wrappers, grammar }: Numbered, node: number): boolean {
  for (let at = tree.parents[node] as number; at > 0; at = tree.parents[at] as number) {
    const kind = tree.kinds[at] as number;
    if (wrappers[kind] !== 1) return false;
    if (grammar.kinds[kind] === "export_statement") return true;
  }
  return false;
}

/** In the modifiers of a declaration, or of the statement it stands in: whole, so that `pub(crate)` is not `pub`. */
function hasModifier(
  tree: SyntaxTree,
  numbers: Numbered,
  node: number,
  words: readonly string[],
): boolean {
  const modifiers = numbers.set(["visibility_modifier", "modifiers"]);
  const parent = tree.parents[node] as number;
  const around = parent >= 0 && numbers.wrappers[tree.kinds[parent] as number] === 1
    ? [parent]
    : [];
  return [node, ...around].some((at) => {
    const found = childOf(tree, at, modifiers);
    return found >= 0 && words.some((word) => textOf(tree, found).split(/\s+/).includes(word));
  });
}

/** Among the words of storage in a declaration of C. */
function hasWord(tree: SyntaxTree, numbers: Numbered, node: number, word: string): boolean {
  const found = childOf(tree, node, numbers.set(["storage_class_specifier"]));
  return found >= 0 && textOf(tree, found) === word;
}

/** Names that a module exports apart from their declarations: `export { a }`, `module.exports = { a }`, `__all__ = ["a"]`. */
export function exportedNames(tree: SyntaxTree, numbers: Numbered): ReadonlySet<string> {
  const { exports } = numbers.language;
  if (exports.by === "statement") return namedInExports(tree, numbers);
  return exports.by === "underscore" ? namedInList(tree, numbers, exports.list) : new Set();
}

function namedInExports(tree: SyntaxTree, numbers: Numbered): ReadonlySet<string> {
  const found = new Set<string>();
  const { field, names } = numbers;
  const specifiers = numbers.set(["export_specifier"]);
  for (let node = 1; node < tree.count; node = tree.nexts[node] as number) {
    const kind = kindOf(tree, node);
    const end = tree.nexts[node] as number;
    if (kind === "export_statement" && childBy(tree, node, field("source")) < 0) {
      for (let child = node + 1; child < end; child++) {
        const isSpecifier = specifiers[tree.kinds[child] as number] === 1;
        const name = isSpecifier ? childBy(tree, child, field("name")) : -1;
        if (name >= 0) found.add(textOf(tree, name));
        const isOwn = tree.parents[child] === node && names[tree.kinds[child] as number] === 1;
        if (isOwn) found.add(textOf(tree, child));
      }
    } else if (kind === "expression_statement") addCommonJs(tree, numbers, node, found);
  }
  return found;
}

/** `module.exports = a`, `module.exports = { a, b: c }`, `exports.a = …` */
function addCommonJs(
  tree: SyntaxTree,
  { field, names, set }: Numbered,
  statement: number,
  found: Set<string>,
): void {
  const assignment = statement + 1;
  if (assignment >= tree.count || kindOf(tree, assignment) !== "assignment_expression") return;
  const left = childBy(tree, assignment, field("left"));
  const right = childBy(tree, assignment, field("right"));
  if (left < 0 || right < 0) return;
  const target = /^(?:module\.)?exports(?:\.([\w$]+))?$/.exec(textOf(tree, left));
  if (target === null) return;
  if (target[1] !== undefined) found.add(target[1]);
  if (names[tree.kinds[right] as number] === 1) found.add(textOf(tree, right));
  if (kindOf(tree, right) !== "object") return;
  const shorthand = set(["shorthand_property_identifier"]);
  const end = tree.nexts[right] as number;
  for (let child = right + 1; child < end; child = tree.nexts[child] as number) {
    if (shorthand[tree.kinds[child] as number] === 1) found.add(textOf(tree, child));
    const value = childBy(tree, child, field("value"));
    if (value >= 0 && names[tree.kinds[value] as number] === 1) found.add(textOf(tree, value));
  }
}

function namedInList(
  tree: SyntaxTree,
  { field, set }: Numbered,
  list: string,
): ReadonlySet<string> {
  const found = new Set<string>();
  const strings = set(["string_content"]);
  for (let node = 1; node < tree.count; node = tree.nexts[node] as number) {
    const assignment = node + 1;
    if (kindOf(tree, node) !== "expression_statement" || assignment >= tree.count) continue;
    const left = childBy(tree, assignment, field("left"));
    if (left < 0 || textOf(tree, left) !== list) continue;
    for (let child = left; child < (tree.nexts[node] as number); child++) {
      if (strings[tree.kinds[child] as number] === 1) found.add(textOf(tree, child));
    }
  }
  return found;
}
