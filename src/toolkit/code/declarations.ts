/** What a node that declares symbols says of them: their names, what they are, their first line. */

import { NODE, type SyntaxTree } from "../../core/syntax_tree.ts";
import { childBy, isLeaf, kindOf, type Kinds, type Numbered, textOf } from "./kinds.ts";
import type { SymbolKind, SymbolRule } from "./languages/language.ts";

/** A name that is declared. */
export interface Declared {
  readonly name: string;
  /** Its declarator is that of a function. */
  readonly isFunction: boolean;
  /** Whose it is, where its name says so, or its receiver. */
  readonly owner: string | null;
}

/** Words of types of C (C17 6.7.2), which name nothing else. */
const TYPE_WORDS: ReadonlySet<string> = new Set(
  "void char short int long float double signed unsigned _Bool _Complex".split(" "),
);

/** Words that begin statements of C (C17 6.8), of which a grammar makes the name of a function behind what it does not take. */
const STATEMENTS: ReadonlySet<string> = new Set("if for while do switch return".split(" "));

/** Longest first line that is shown, in UTF-16 code units. */
const LONGEST = 200;

/** Fields in which a pattern has what is no name to bind. */
const NOT_BOUND = ["key", "right", "value"];

/** Kinds of declarators that hold the name itself. */
const NAMED_BY = ["qualified_identifier", "destructor_name", "operator_name", "operator_cast"];

/** Reads the declarations of one tree. */
export class Declarations {
  readonly #tree: SyntaxTree;
  readonly #numbers: Numbered;
  readonly #notBound: readonly number[];
  readonly #nameHolders: Kinds;
  readonly #parenthesized: Kinds;
  readonly #functionDeclarator: Kinds;
  readonly #modifiers: Kinds;

  constructor(tree: SyntaxTree, numbers: Numbered) {
    this.#tree = tree;
    this.#numbers = numbers;
    this.#notBound = NOT_BOUND.map((name) => numbers.field(name));
    this.#nameHolders = numbers.set(NAMED_BY);
    this.#parenthesized = numbers.set(["parenthesized_declarator"]);
    this.#functionDeclarator = numbers.set(["function_declarator"]);
    this.#modifiers = numbers.set(["modifiers"]);
  }

  names(rule: SymbolRule, node: number): readonly Declared[] {
    const { name: fields = ["name"] } = rule;
    if (fields.length === 0) return [plain(textOf(this.#tree, node))];
    if (rule.assigned === true) return this.#assigned(rule, node);
    if (rule.pointed === true) return this.#pointed(node);
    const owner = this.#receiver(rule, node);
    for (const field of fields) {
      const found = this.#children(node, this.#numbers.field(field));
      if (found.length === 0) continue;
      if (rule.declarators === true) return found.flatMap((child) => this.#declared(child) ?? []);
      return found.flatMap((child) => this.#bound(rule, child))
        .map((name) => rule.needs === "body" ? qualified(name) : { ...plain(name), owner });
    }
    return [];
  }

  kind(
    rule: SymbolRule,
    node: number,
    { isFunction, isMember }: { readonly isFunction: boolean; readonly isMember: boolean },
  ): SymbolKind {
    const tree = this.#tree;
    const base = rule.kind ?? "variable";
    if (base === "type" && rule.declarators === true) return base;
    const value = rule.value === undefined
      ? -1
      : childBy(tree, node, this.#numbers.field(rule.value));
    if (isFunction || (value >= 0 && this.#numbers.functions[tree.kinds[value] as number] === 1)) {
      return isMember ? "method" : "function";
    }
    if (rule.declarators === true && isMember) return base === "function" ? "method" : "property";
    if (rule.kindBelow !== undefined) {
      const below = childBy(tree, node, this.#numbers.field("type"));
      const kind = below < 0 ? undefined : rule.kindBelow[kindOf(tree, below)];
      if (kind !== undefined) return kind;
    }
    if (rule.kindByWord !== undefined) {
      const own = this.#tree.text.slice(this.start(node), this.#tree.ends[node]).slice(0, LONGEST);
      const words = (this.#lead(node) + (own.split(/[=({]/)[0] ?? "")).split(/\W+/);
      for (const [word, kind] of Object.entries(rule.kindByWord)) {
        if (words.includes(word)) return kind;
      }
    }
    return isMember ? rule.member ?? base : base;
  }

  /** Where it begins: behind decorators and annotations. */
  start(node: number): number {
    const { kinds, nexts, starts, ends } = this.#tree;
    const { attributes, comments } = this.#numbers;
    const behind = (first: number, end: number): number => {
      let child = first;
      while (
        child < end && (attributes[kinds[child] as number] === 1 ||
          (child > first && comments[kinds[child] as number] === 1))
      ) {
        child = nexts[child] as number;
      }
      return child;
    };
    const end = nexts[node] as number;
    const first = behind(node + 1, end);
    if (first >= end || this.#modifiers[kinds[first] as number] !== 1) {
      return first > node + 1 && first < end ? starts[first] as number : starts[node] as number;
    }
    const inner = behind(first + 1, nexts[first] as number);
    if (inner < (nexts[first] as number)) return starts[inner] as number;
    const word = this.#tree.text.slice(ends[first]).search(/\S/);
    return (ends[first] as number) + Math.max(0, word);
  }

  /** Its declaration up to its body, in one line. */
  signature(node: number): string {
    const start = this.start(node);
    const end = this.#bodyStart(node);
    const own = this.#tree.text.slice(start, Math.min(end, start + 4 * LONGEST));
    return shortened(oneLine(this.#lead(node) + own).replace(/\s*(?:[{=;]|(?<!:):)$/, ""));
  }

  /** What stands before it in the statement that it is the first of: `const`, `static int`. */
  #lead(node: number): string {
    const { parents, kinds, nexts, starts, text } = this.#tree;
    const parent = parents[node] as number;
    if (parent < 0 || this.#numbers.wrappers[kinds[parent] as number] !== 1) {
      return "";
    }
    if (kindOf(this.#tree, parent) === "export_statement") return "";
    let first = parent + 1;
    while (first < node && kinds[first] !== kinds[node]) first = nexts[first] as number;
    const lead = text.slice(this.start(parent), starts[first]);
    // A group has its word once, a decorated declaration what is said elsewhere.
    return lead.includes("\n") || lead.length > LONGEST || lead.startsWith("@")
      ? /^\w+ ?/.exec(lead)?.[0] ?? ""
      : lead.replace(/[({]\s*$/, "");
  }

  #bodyStart(node: number): number {
    const { kinds, nexts, starts, ends } = this.#tree;
    const { bodies, functions, field } = this.#numbers;
    const end = nexts[node] as number;
    const assigned = childBy(this.#tree, node, field("right"));
    const isAssigned = assigned >= 0 && functions[kinds[assigned] as number] === 1;
    const value = isAssigned ? assigned : childBy(this.#tree, node, field("value"));
    if (value >= 0) {
      if (functions[kinds[value] as number] === 1) {
        const body = childBy(this.#tree, value, field("body"));
        return starts[body < 0 ? value : body] as number;
      }
      const text = this.#tree.text.slice(starts[node], ends[node]);
      return text.length <= LONGEST / 2 && !text.includes("\n")
        ? ends[node] as number
        : starts[value] as number;
    }
    const body = childBy(this.#tree, node, field("body"));
    if (body >= 0 && bodies[kinds[body] as number] === 1) return starts[body] as number;
    const right = childBy(this.#tree, node, field("right"));
    if (right >= 0 && (ends[right] as number) - (starts[node] as number) > LONGEST / 2) {
      return starts[right] as number;
    }
    // Bodies that are no field of it: of the type it gives a name to.
    for (let child = node + 1; child < end; child++) {
      if (bodies[kinds[child] as number] === 1) return starts[child] as number;
    }
    return ends[node] as number;
  }

  #children(node: number, field: number): readonly number[] {
    const found: number[] = [];
    const end = this.#tree.nexts[node] as number;
    for (let child = node + 1; child < end; child = this.#tree.nexts[child] as number) {
      const isNamed = ((this.#tree.flags[child] as number) & NODE.named) !== 0;
      if (this.#tree.fields[child] === field && field > 0 && isNamed) found.push(child);
    }
    return found;
  }

  /** The names that a node binds: its own text, or those in a pattern. */
  #bound(rule: SymbolRule, node: number): readonly string[] {
    const { kinds, nexts, fields } = this.#tree;
    const { names, patterns } = this.#numbers;
    if (isLeaf(this.#tree, node)) return [textOf(this.#tree, node)].filter(isName);
    if (patterns[kinds[node] as number] !== 1) {
      return rule.kind === "variable" || rule.kind === "constant"
        ? []
        : [textOf(this.#tree, node)].map(unquoted).filter(isName);
    }
    const found: string[] = [];
    const end = nexts[node] as number;
    for (let child = node + 1; child < end;) {
      const kind = kinds[child] as number;
      // A key is none, and what stands for a value where there is none may be any expression.
      const isBound = !this.#notBound.includes(fields[child] as number) ||
        (kindOf(this.#tree, this.#tree.parents[child] as number) === "pair_pattern" &&
          fields[child] === this.#numbers.field("value"));
      if (isBound && names[kind] === 1) found.push(textOf(this.#tree, child));
      child = isBound && patterns[kind] === 1 ? child + 1 : nexts[child] as number;
    }
    return found;
  }

  /** The name in a declarator of C; null for one without. */
  #declared(declarator: number): Declared | null {
    const tree = this.#tree;
    const field = this.#numbers.field("declarator");
    let node = declarator;
    let isFunction = false;
    while (!isLeaf(tree, node) && this.#nameHolders[tree.kinds[node] as number] !== 1) {
      const inner = childBy(tree, node, field);
      const next = inner >= 0 ? inner : this.#unnamedDeclarator(node);
      if (next < 0) return null;
      if (this.#functionDeclarator[tree.kinds[node] as number] === 1) {
        // `int (name)(…)` is a function, `int (*name)(…)` points to one.
        isFunction = this.#parenthesized[tree.kinds[next] as number] !== 1 ||
          !textOf(tree, next).includes("*");
      }
      node = next;
    }
    const text = oneLine(textOf(tree, node)).replace(/^(operator [^(]+)\([^]*$/, "$1");
    const { name, owner } = qualified(text);
    if (!isName(name) || STATEMENTS.has(name)) return null;
    if (TYPE_WORDS.has(name)) return this.#behindMacro(node);
    return { name, isFunction: isFunction || kindOf(tree, node) === "operator_cast", owner };
  }

  /**
   * The name of `EXPORTED int (name)(…)` and `EXPORTED void (*name)(…)`: the grammar takes a macro before the type for the
   * type, the type for the name, and what follows for parameters.
   */
  #behindMacro(node: number): Declared | null {
    const tree = this.#tree;
    const parent = tree.parents[node] as number;
    const list = parent < 0 ? -1 : childBy(tree, parent, this.#numbers.field("parameters"));
    for (let child = list + 1; list >= 0 && child < (tree.nexts[list] as number); child++) {
      if (this.#numbers.names[tree.kinds[child] as number] !== 1) continue;
      const isPointer = tree.text.slice(tree.starts[list], tree.starts[child]).includes("*");
      return { ...plain(textOf(tree, child)), isFunction: !isPointer };
    }
    return null;
  }

  /** What a function is assigned to: a property of something, which it belongs to then. */
  #assigned(rule: SymbolRule, node: number): readonly Declared[] {
    const tree = this.#tree;
    const { field, functions } = this.#numbers;
    const value = childBy(tree, node, field(rule.value ?? ""));
    const left = childBy(tree, node, field("left"));
    if (value < 0 || left < 0 || functions[tree.kinds[value] as number] !== 1) return [];
    // A variable has been declared elsewhere.
    if (isLeaf(tree, left)) return [];
    const property = childBy(tree, left, field("property"));
    const object = childBy(tree, left, field("object"));
    if (property < 0 || object < 0) return [];
    const owner = textOf(tree, object).replace(/\.prototype$/, "");
    const isOwn = /^(this|exports|module\.exports|module)$/.test(owner) || !/^[\w$.]+$/.test(owner);
    return [{ ...plain(textOf(tree, property)), owner: isOwn ? null : owner }];
  }

  /** The name in `T (*name)(void) = 0` and `T (*name)[3]`, of which a grammar makes a call of `T`. */
  #pointed(node: number): readonly Declared[] {
    const tree = this.#tree;
    const { field } = this.#numbers;
    const inner = (at: number, name: string) => at < 0 ? at : childBy(tree, at, field(name));
    const assigned = inner(node + 1, "left");
    const outer = assigned >= 0 ? assigned : node + 1;
    const called = inner(outer, "function");
    const call = called >= 0 ? called : inner(outer, "argument");
    const list = inner(call, "arguments");
    const pointer = list + 2;
    if (list < 0 || inner(call, "function") < 0 || pointer >= (tree.nexts[list] as number)) {
      return [];
    }
    const isAlone = tree.nexts[pointer] === (tree.nexts[list] as number) - 1;
    const name = isAlone && kindOf(tree, pointer) === "pointer_expression"
      ? inner(pointer, "argument")
      : -1;
    return name < 0 || !isLeaf(tree, name) ? [] : [plain(textOf(tree, name))];
  }

  #unnamedDeclarator(node: number): number {
    const { nexts, kinds, grammar } = this.#tree;
    const end = nexts[node] as number;
    for (let child = node + 1; child < end; child = nexts[child] as number) {
      const kind = grammar.kinds[kinds[child] as number] as string;
      if (kind.endsWith("declarator") || kind.endsWith("identifier") || kind.endsWith("_name")) {
        return child;
      }
    }
    return -1;
  }

  #receiver(rule: SymbolRule, node: number): string | null {
    if (rule.receiver === undefined) return null;
    const receiver = childBy(this.#tree, node, this.#numbers.field(rule.receiver));
    if (receiver < 0) return null;
    const types = this.#numbers.set(["type_identifier"]);
    for (let child = receiver; child < (this.#tree.nexts[receiver] as number); child++) {
      if (types[this.#tree.kinds[child] as number] === 1) return textOf(this.#tree, child);
    }
    return null;
  }
}

function plain(name: string): Declared {
  return { name, isFunction: false, owner: null };
}

/** `a::B<c::d>::name`: what stands before the last `::` that is not in an argument, or in an operator's name, owns it. */
function qualified(text: string): Declared {
  let [at, depth] = [-1, 0];
  for (const { 0: sign, index } of text.matchAll(/::|[<>]|\boperator\b/g)) {
    if (sign === "operator") break;
    if (sign === "::") at = depth === 0 ? index : at;
    else depth += sign === "<" ? 1 : -1;
  }
  if (at < 0) return plain(text);
  const owner = text.slice(0, at).replace(/<[^]*$/, "").replaceAll("::", ".");
  return { ...plain(text.slice(at + 2)), owner };
}

function isName(name: string): boolean {
  return name !== "" && name !== "_";
}

function unquoted(text: string): string {
  return text.replace(/^(["'`])(.*)\1$/, "$2");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function shortened(text: string): string {
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
}
