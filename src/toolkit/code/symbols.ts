/** The symbols that a tree declares: what an outline of a file is made of. */

import { NODE, type SyntaxTree } from "../../core/syntax_tree.ts";
import { Declarations } from "./declarations.ts";
import { type Enclosing, exportedNames, isExported } from "./_exported.ts";
import { type CodeFile, PAUSE } from "./code_file.ts";
import { childBy, kindOf, type Kinds, type Numbered, textOf } from "./kinds.ts";
import type { SymbolKind, SymbolRule } from "./languages/language.ts";
import type { LineIndex } from "./lines.ts";
import { Remarks } from "./_remarks.ts";

/** A symbol, as results show it. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly line: number;
  readonly end_line: number;
  /** Its declaration up to its body, in one line. */
  readonly signature: string;
  readonly exported: boolean;
  /** The symbol that it lies in, or belongs to: names with dots. */
  readonly parent?: string;
  /** The comment before it, or the docstring in it, without its marks. */
  readonly doc?: string;
}

const TYPES: ReadonlySet<SymbolKind> = new Set([
  "class",
  "interface",
  "struct",
  "union",
  "enum",
  "trait",
]);

/** Names of what a symbol lies in that its `parent` has at most: deeper ones are no work of people. */
const DEEPEST = 32;

/** Which symbols are wanted: the first `most` whose parent is taken. What others are like is not looked at, which takes long. */
export interface Wanted {
  readonly most: number;
  /** By the `parent` that the symbol has. */
  readonly takes: (parent: string | undefined) => boolean;
}

/** What is declared: the symbols that are wanted, in the order in which they begin. */
export interface Outlined {
  readonly symbols: readonly CodeSymbol[];
  /** All there are, and how many of them have a parent that is taken. */
  readonly total: number;
  readonly taken: number;
}

const ALL: Wanted = { most: Infinity, takes: () => true };

const NO_NAMES: ReadonlySet<string> = new Set();

/** In the order in which they begin. */
export function symbolsOf(file: CodeFile): readonly CodeSymbol[] {
  return outlineOf(file, ALL).symbols;
}

/** The symbols of a file as far as they are wanted, and how many there are. */
export function outlineOf({ tree, numbers, lines, pause }: CodeFile, wanted: Wanted): Outlined {
  return new Outline(tree, numbers, lines, wanted).read(pause);
}

class Outline {
  readonly #tree: SyntaxTree;
  readonly #numbers: Numbered;
  readonly #lines: LineIndex;
  readonly #declarations: Declarations;
  readonly #remarks: Remarks;
  readonly #named: ReadonlySet<string>;
  readonly #access: Kinds;
  readonly #heads: Kinds;
  readonly #enclosing: Enclosing[] = [];
  readonly #wanted: Wanted;
  readonly #found: CodeSymbol[] = [];
  #total = 0;
  #taken = 0;
  /** Of the symbol that was come to last. Whether it is exported is known while some are wanted still. */
  #last: { readonly kind: SymbolKind; readonly exported: boolean } | undefined;
  /** How many of what encloses the node come to are functions. */
  #functions = 0;

  constructor(tree: SyntaxTree, numbers: Numbered, lines: LineIndex, wanted: Wanted) {
    this.#tree = tree;
    this.#wanted = wanted;
    this.#numbers = numbers;
    this.#lines = lines;
    this.#declarations = new Declarations(tree, numbers);
    this.#remarks = new Remarks(tree, numbers);
    this.#named = wanted.most === 0 ? NO_NAMES : exportedNames(tree, numbers);
    this.#access = numbers.set(["access_specifier"]);
    this.#heads = numbers.set(["function_declarator"]);
  }

  /** Whether as many were found as are wanted. */
  get #isFull(): boolean {
    return this.#found.length >= this.#wanted.most;
  }

  read(pause: () => void): Outlined {
    const { count, kinds, flags, nexts } = this.#tree;
    const { symbols, comments, attributes, functions, closed, notable } = this.#numbers;
    for (let node = 0, next = 1, seen = 0; node < count; node = next, seen++) {
      if (seen % PAUSE === 0) pause();
      next = node + 1;
      const kind = kinds[node] as number;
      // Nearly all nodes say nothing here.
      if (notable[kind] !== 1 || ((flags[node] as number) & NODE.named) === 0) continue;
      if (closed[kind] === 1) next = nexts[node] as number;
      while (this.#enclosing.length > 0 && (this.#enclosing.at(-1)?.end ?? 0) <= node) {
        if (this.#enclosing.pop()?.isFunction === true) this.#functions--;
      }
      if (comments[kind] === 1) {
        if (!this.#isFull) this.#remarks.add(node);
      } else if (attributes[kind] === 1) this.#remarks.pass(node);
      else if (this.#access[kind] === 1) {
        const within = this.#enclosing.at(-1);
        // Not that of a base class.
        const isLabel = kindOf(this.#tree, this.#tree.parents[node] ?? 0) ===
          "field_declaration_list";
        if (isLabel && within?.isType === true) within.access = textOf(this.#tree, node);
      }
      const rule = symbols[kind] ?? null;
      if (rule !== null && this.#applies(rule, node)) this.#declare(rule, node);
      else if (functions[kind] === 1) this.#enter(node, nexts[node] as number, null, true, false);
    }
    return { symbols: this.#found, total: this.#total, taken: this.#taken };
  }

  #applies(rule: SymbolRule, node: number): boolean {
    const tree = this.#tree;
    if (rule.in !== undefined) {
      const parent = tree.parents[node] as number;
      if (!rule.in.includes(parent < 0 ? "" : kindOf(tree, parent))) return false;
    }
    if (rule.needs !== undefined && childBy(tree, node, this.#numbers.field(rule.needs)) < 0) {
      return false;
    }
    if (rule.outer === true && this.#functions > 0) return false;
    return rule.headOf === undefined || !this.#isInHead(rule.headOf, node);
  }

  /** Whether nothing but others like it stands between a declaration that is no function and a body, or it is in that. */
  #isInHead(body: string, node: number): boolean {
    const { parents, kinds, nexts } = this.#tree;
    if (kindOf(this.#tree, parents[node] as number) === body) return true;
    const end = nexts[parents[node] as number] ?? 0;
    for (let at = node; at < end; at = nexts[at] as number) {
      if (this.#numbers.comments[kinds[at] as number] === 1) continue;
      if (kinds[at] !== kinds[node]) return kindOf(this.#tree, at) === body;
      for (let child = at; child < (nexts[at] as number); child++) {
        if (this.#heads[kinds[child] as number] === 1) return false;
      }
    }
    return false;
  }

  #declare(rule: SymbolRule, node: number): void {
    const within = this.#enclosing.at(-1);
    const end = this.#tree.nexts[node] as number;
    const names = this.#declarations.names(rule, node);
    if (rule.kind === null) {
      const [named] = names;
      const name = named?.name.replace(/<[^]*$/, "").trim() ?? "";
      this.#enter(node, end, name === "" ? null : { name, kind: null }, false, true);
      return;
    }
    for (const { name, isFunction, owner } of names) {
      if (isFunction && owner === null && this.#isMacro(rule, node, name)) return;
      const kind = this.#declarations.kind(rule, node, {
        isFunction,
        isMember: within?.isType === true,
      });
      this.#add(node, { name, kind, owner });
    }
    const [first] = names;
    const isFunction = this.#numbers.functions[this.#tree.kinds[node] as number] === 1;
    if (first === undefined || names.length > 1) {
      this.#enter(node, end, null, isFunction, false);
      return;
    }
    const kind = this.#last?.kind ?? rule.kind;
    const { name, owner } = first;
    const isType = TYPES.has(kind);
    const path = isType && owner !== null ? `${owner}.${name}` : name;
    this.#enter(node, end, { name: path, kind }, isFunction, isType);
  }

  /**
   * A declaration without a type that is not called as the type that it is in: `MOCK_METHOD(int, name, ());`; or one within
   * a function, with a body: `CATCH(...) {}`.
   */
  #isMacro({ typed }: SymbolRule, node: number, name: string): boolean {
    if (typed === undefined || !/^\w/.test(name)) return false;
    if (childBy(this.#tree, node, this.#numbers.field(typed)) >= 0) return false;
    const within = this.#enclosing.at(-1);
    if (this.#numbers.functions[this.#tree.kinds[node] as number] === 1) {
      return within?.isFunction === true;
    }
    const own = within?.name.split(".").at(-1)?.replace(/<[^]*$/, "") ?? "";
    return within?.isType === true && own !== name && !name.startsWith("operator");
  }

  #add(
    node: number,
    { name, kind, owner }: {
      readonly name: string;
      readonly kind: SymbolKind;
      readonly owner: string | null;
    },
  ): void {
    const tree = this.#tree;
    const within = this.#enclosing.at(-1);
    const parent = owner ?? within?.name ?? "";
    const isTaken = this.#wanted.takes(parent === "" ? undefined : parent);
    this.#total++;
    if (isTaken) this.#taken++;
    if (this.#isFull) {
      this.#last = { kind, exported: false };
      return;
    }
    const exported = isExported(tree, this.#numbers, node, {
      name,
      kind,
      within,
      named: this.#named,
    });
    this.#last = { kind, exported };
    if (!isTaken) return;
    const doc = this.#remarks.of(node);
    this.#found.push({
      name,
      kind,
      line: this.#lines.line(this.#declarations.start(node)),
      end_line: this.#lines.lastLine(tree, node),
      signature: this.#declarations.signature(node),
      exported,
      ...(parent === "" ? {} : { parent }),
      ...(doc === "" ? {} : { doc }),
    });
  }

  #enter(
    node: number,
    end: number,
    named: { readonly name: string; readonly kind: SymbolKind | null } | null,
    isFunction: boolean,
    isType: boolean,
  ): void {
    const within = this.#enclosing.at(-1);
    const above = within?.name ?? "";
    const own = named?.name.replaceAll("::", ".") ?? "";
    const isDeep = this.#enclosing.length >= DEEPEST;
    const name = own === "" || (isDeep && above !== "")
      ? above
      : above === ""
      ? own
      : `${above}.${own}`;
    const symbol = named === null || named.kind === null ? undefined : this.#last;
    const isPromise = named?.kind === "trait" || named?.kind === "interface" ||
      childBy(this.#tree, node, this.#numbers.field("trait")) >= 0;
    const grammar = this.#numbers.grammar.kinds[this.#tree.kinds[node] as number];
    if (isFunction) this.#functions++;
    this.#enclosing.push({
      end,
      name,
      kind: named?.kind ?? null,
      isFunction,
      isType,
      isPromise,
      exported: symbol?.exported ?? within?.exported ?? false,
      access: grammar === "class_specifier" ? "private" : "",
    });
  }
}
