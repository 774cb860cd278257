/** A language's table, by the numbers that its grammar has for the kinds that the table names. */

import type { Grammar, SyntaxTree } from "../../core/syntax_tree.ts";
import type { ImportRule, Language, SymbolKind, SymbolRule } from "./languages/language.ts";

/** For each kind of a grammar, 1 where it is in a set. */
export type Kinds = Uint8Array;

/** What complexity is counted from. */
export interface Flow {
  readonly functions: Kinds;
  readonly noParameters: Kinds;
  readonly ifs: Kinds;
  readonly elses: Kinds;
  readonly elseIfs: Kinds;
  readonly loops: Kinds;
  readonly switches: Kinds;
  readonly cases: Kinds;
  readonly handlers: Kinds;
  readonly conditionals: Kinds;
  readonly logical: Kinds;
  readonly noLogical: Kinds;
  readonly jumps: Kinds;
  readonly labels: Kinds;
  readonly otherBranches: Kinds;
  readonly lambdas: Kinds;
  /** What a decorator holds, and what it ends with; null where the language has none. */
  readonly decorators: { readonly holds: Kinds; readonly returns: Kinds } | null;
  /** By kind, the field that names the function that is called. */
  readonly calls: ReadonlyMap<number, string>;
  readonly alternatives: ReadonlyMap<number, string>;
  /** All that counts, and what of it nests. */
  readonly counts: Kinds;
  readonly nests: Kinds;
}

/** Kinds of literals, in all grammars. */
const LITERALS =
  /string|number|literal|integer|float|char|regex|content|fragment|escape|^true$|^false$/;

const TYPES: readonly (SymbolKind | null)[] = [
  "class",
  "interface",
  "struct",
  "union",
  "enum",
  "trait",
  null,
];

/** A language with the names of its nodes as the numbers that its grammar has for them. */
export interface Numbered {
  readonly language: Language;
  readonly grammar: Grammar;
  readonly symbols: readonly (SymbolRule | null)[];
  readonly imports: readonly (ImportRule | null)[];
  readonly comments: Kinds;
  readonly functions: Kinds;
  readonly closed: Kinds;
  readonly wrappers: Kinds;
  readonly attributes: Kinds;
  readonly bodies: Kinds;
  readonly names: Kinds;
  readonly patterns: Kinds;
  /** Leaves that are literals, or parts of one. */
  readonly literals: Kinds;
  /** All that an outline is made from. */
  readonly notable: Kinds;
  /** Types, and what holds the members of one. */
  readonly types: Kinds;
  readonly flow: Flow;
  /** The number of a field; -1 of one that the grammar has not. */
  readonly field: (name: string) => number;
  /** Remembers each set. */
  readonly set: (names: readonly string[]) => Kinds;
}

/** Looks the names up once for all trees of the grammar. */
export function numbered(language: Language, grammar: Grammar): Numbered {
  const sets = new Map<string, Kinds>();
  const set = (names: readonly string[]): Kinds => {
    const key = names.join(" ");
    const known = sets.get(key);
    if (known !== undefined) return known;
    const wanted = new Set(names);
    const kinds = Uint8Array.from(grammar.kinds, (kind) => wanted.has(kind) ? 1 : 0);
    sets.set(key, kinds);
    return kinds;
  };
  const rules = <R>(table: Readonly<Record<string, R>>): readonly (R | null)[] =>
    grammar.kinds.map((kind, at) =>
      grammar.named[at] === true && Object.hasOwn(table, kind) ? table[kind] ?? null : null
    );
  return {
    language,
    grammar,
    symbols: rules(language.symbols),
    imports: rules(language.imports),
    comments: set(language.comments),
    functions: set(language.functions),
    closed: set(language.closed ?? []),
    wrappers: set(language.wrappers),
    attributes: set(language.attributes ?? []),
    bodies: set(language.bodies),
    names: set(language.names),
    patterns: set(language.patterns ?? []),
    literals: Uint8Array.from(grammar.kinds, (kind) => LITERALS.test(kind) ? 1 : 0),
    notable: set([
      ...Object.keys(language.symbols),
      ...language.comments,
      ...language.attributes ?? [],
      ...language.functions,
      ...language.closed ?? [],
      "access_specifier",
    ]),
    types: set(
      Object.entries(language.symbols).flatMap(([kind, rule]) =>
        TYPES.includes(rule.kind) ? [kind] : []
      ),
    ),
    flow: flowOf(language, grammar, set),
    field: (name) => grammar.fields.indexOf(name),
    set,
  };
}

function flowOf(
  { flow }: Language,
  grammar: Grammar,
  set: (names: readonly string[]) => Kinds,
): Flow {
  const byKind = (table: Readonly<Record<string, string>> = {}) =>
    new Map(
      grammar.kinds.flatMap((kind, at) =>
        Object.hasOwn(table, kind) && grammar.named[at] === true
          ? [[at, table[kind] as string] as const]
          : []
      ),
    );
  const { otherBranches = [], lambdas = [], noParameters = [], calls, alternatives = {} } = flow;
  const { decorators } = flow;
  const nests = [
    ...flow.ifs,
    ...flow.loops,
    ...flow.switches,
    ...flow.handlers,
    ...flow.conditionals,
  ];
  return {
    functions: set(flow.functions),
    noParameters: set(noParameters),
    ifs: set(flow.ifs),
    elses: set(flow.elses),
    elseIfs: set(flow.elseIfs),
    loops: set(flow.loops),
    switches: set(flow.switches),
    cases: set(flow.cases),
    handlers: set(flow.handlers),
    conditionals: set(flow.conditionals),
    logical: set(flow.logical),
    noLogical: set(flow.noLogical ?? []),
    jumps: set(flow.jumps),
    labels: set(flow.labels),
    otherBranches: set(otherBranches),
    lambdas: set(lambdas),
    decorators: decorators === undefined
      ? null
      : { holds: set(decorators.holds), returns: set(decorators.returns) },
    calls: byKind(calls),
    alternatives: byKind(alternatives),
    counts: set([
      ...flow.functions,
      ...nests,
      ...flow.elses,
      ...flow.elseIfs,
      ...flow.cases,
      ...flow.logical,
      ...flow.jumps,
      ...otherBranches,
      ...lambdas,
      ...Object.keys(calls),
      ...Object.keys(alternatives),
    ]),
    nests: set(nests),
  };
}

/** The first child that has the field; -1 for none. */
export function childBy(tree: SyntaxTree, node: number, field: number): number {
  if (field < 0) return -1;
  const end = tree.nexts[node] as number;
  for (let child = node + 1; child < end; child = tree.nexts[child] as number) {
    if (tree.fields[child] === field) return child;
  }
  return -1;
}

/** The first child of a kind in the set; -1 for none. */
export function childOf(tree: SyntaxTree, node: number, kinds: Kinds): number {
  const end = tree.nexts[node] as number;
  for (let child = node + 1; child < end; child = tree.nexts[child] as number) {
    if (kinds[tree.kinds[child] as number] === 1) return child;
  }
  return -1;
}

/** Whether nothing lies below a node. */
export function isLeaf(tree: SyntaxTree, node: number): boolean {
  return tree.nexts[node] === node + 1;
}

/** The text of a node. */
export function textOf(tree: SyntaxTree, node: number): string {
  return tree.text.slice(tree.starts[node], tree.ends[node]);
}

/** The name of a node's kind, as the grammar has it. */
export function kindOf(tree: SyntaxTree, node: number): string {
  return tree.grammar.kinds[tree.kinds[node] as number] as string;
}
