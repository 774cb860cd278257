/** Code with holes in it, `$X` and `$$$REST`, as a tree that others are compared with. */

import { NODE, type SyntaxTree } from "../../../core/syntax_tree.ts";
import { kindOf, type Numbered, textOf } from "../../../toolkit/code/kinds.ts";

/** What a node has to be like. */
export type Pattern =
  /** Any node; the same each time where it has a name. */
  | { readonly is: "hole"; readonly name: string | null }
  /** Any number of nodes that follow one another. */
  | { readonly is: "rest"; readonly name: string | null }
  | { readonly is: "leaf"; readonly kind: number; readonly text: string }
  | { readonly is: "node"; readonly kind: number; readonly children: readonly Pattern[] };

/** Nodes that follow one another. */
export type PatternRow = readonly [Pattern, ...Pattern[]];

/** A pattern that is nested deeper is no work of people. */
const DEEPEST = 200;

/** Stand for holes in the text that is parsed: names in every language. */
const HOLE = "toolgate_hole_";
const REST = "toolgate_rest_";
const MARK = new RegExp(`^(${HOLE}|${REST})(\\w*?)_?$`);

/** What makes a name more than that: a statement or a member, and a parameter. */
interface Endings {
  readonly statement: string;
  readonly parameter: string;
}

/**
 * A name alone is no statement where statements end with `;`, as in C and Java, no parameter where those have a type
 * before them, and no member of a class of Java, which a constructor is.
 */
const ENDINGS: readonly Endings[] = [
  { statement: "", parameter: "" },
  { statement: ";", parameter: "" },
  { statement: ";", parameter: " _" },
  { statement: "() {}", parameter: "" },
  { statement: "() {}", parameter: " _" },
];

/** `$$$REST`, and whether it stands where a statement does (1) or between brackets. */
const RESTS = /(^\s*|[{};:]\s*)?\$\$\$([A-Z_][A-Z0-9_]*)?(?=(\s*[;.=([])?)(?=(\s*[,)])?)/g;

/** The texts to parse in the place of a pattern, what it says as it stands first. */
export function withNames(pattern: string): readonly string[] {
  const texts = ENDINGS.map(({ statement, parameter }) =>
    pattern
      .replace(RESTS, (_, before, name = "", goesOn, isListed) => {
        const ending = isListed !== undefined ? parameter : statement;
        const isWhole = isListed !== undefined || (before !== undefined && goesOn === undefined);
        return `${before ?? ""}${REST}${name}_${isWhole ? ending : ""}`;
      })
      .replace(/\$([A-Z_][A-Z0-9_]*)/g, (_, name) => `${HOLE}${name}_`)
  );
  return [...new Set(texts)];
}

/** Signs that part what stands in a row: whether they are there is a matter of layout. */
export function isSeparator(tree: SyntaxTree, node: number): boolean {
  if (((tree.flags[node] as number) & NODE.named) !== 0) return false;
  const kind = kindOf(tree, node);
  return kind === "," || kind === ";" || kind === "\n" || kind === "";
}

/** Of the nodes of a tree that lie between two places; null where they are no row of whole nodes. */
export function patternIn(
  tree: SyntaxTree,
  numbers: Numbered,
  from: number,
  to: number,
): PatternRow | null {
  const roots: number[] = [];
  for (let node = 1; node < tree.count;) {
    const isWithin = (tree.starts[node] as number) >= from && (tree.ends[node] as number) <= to &&
      (tree.ends[node] as number) > (tree.starts[node] as number);
    if (isWithin) roots.push(node);
    node = isWithin ? tree.nexts[node] as number : node + 1;
  }
  const wanted = roots.filter((node) =>
    !isSeparator(tree, node) && !isComment(tree, numbers, node)
  );
  const [only] = wanted;
  if (only === undefined) return null;
  const parents = new Set(wanted.map((node) => tree.parents[node]));
  if (parents.size !== 1) return null;
  const text = tree.text.slice(from, to);
  const row = wanted.length === 1 ? [innermost(tree, only, text)] : wanted;
  const patterns = row.map((node) => build(tree, numbers, node, DEEPEST));
  return patterns.includes(null) ? null : patterns as unknown as PatternRow;
}

/** A statement that is but an expression is meant as one, where no `;` says otherwise. */
function innermost(tree: SyntaxTree, node: number, text: string): number {
  const isStatement = kindOf(tree, node) === "expression_statement";
  return isStatement && !text.trimEnd().endsWith(";") ? node + 1 : node;
}

function isComment(tree: SyntaxTree, { comments }: Numbered, node: number): boolean {
  return comments[tree.kinds[node] as number] === 1;
}

function build(tree: SyntaxTree, numbers: Numbered, node: number, depth: number): Pattern | null {
  if (depth === 0) return null;
  const length = (tree.ends[node] as number) - (tree.starts[node] as number);
  if (length < 200) {
    const text = textOf(tree, node);
    const mark = MARK.exec(text) ??
      (text.startsWith(REST) ? MARK.exec(text.replace(/\s*(;|\(\) \{\}| _)$/, "")) : null);
    if (mark !== null) {
      const name = mark[2] === "" || mark[2]?.startsWith("_") ? null : mark[2] ?? null;
      return { is: mark[1] === REST ? "rest" : "hole", name };
    }
  }
  const kind = tree.kinds[node] as number;
  const end = tree.nexts[node] as number;
  if (end === node + 1) return { is: "leaf", kind, text: textOf(tree, node) };
  const children: Pattern[] = [];
  for (let child = node + 1; child < end; child = tree.nexts[child] as number) {
    if (isSeparator(tree, child) || isComment(tree, numbers, child)) continue;
    const built = build(tree, numbers, child, depth - 1);
    if (built === null) return null;
    children.push(built);
  }
  return { is: "node", kind, children };
}
