/** What functions are called, and whose they are. */

import type { SyntaxTree } from "../../core/syntax_tree.ts";
import { Declarations } from "../../toolkit/code/declarations.ts";
import { childBy, kindOf, type Numbered, textOf } from "../../toolkit/code/kinds.ts";

/** Of a function that is given no name. */
const ANONYMOUS = "(anonymous)";

/** Fields by which what a function is assigned to is named: `name = () => …`, `key: function …`. */
const GIVEN_BY = ["name", "left", "key", "property", "pattern"];

/** Longest name that is shown, in UTF-16 code units. */
const LONGEST = 100;

/** How a function is known. */
export interface FunctionName {
  /** `Type.name`, or as it is known where it has no name of its own. */
  readonly name: string;
  /** Null where it has none. */
  readonly bare: string | null;
  /** It belongs to a type or an object: in most languages its bare name alone does not mean it. */
  readonly isMember: boolean;
}

/** Names the functions of one tree. To be asked of them in the order of the nodes. */
export class FunctionNames {
  readonly #tree: SyntaxTree;
  readonly #numbers: Numbered;
  readonly declarations: Declarations;
  /** Types that enclose the node come to, by the first node behind each. */
  readonly #types: { readonly from: number; readonly end: number; readonly name: string }[] = [];

  constructor(tree: SyntaxTree, numbers: Numbered) {
    this.#tree = tree;
    this.#numbers = numbers;
    this.declarations = new Declarations(tree, numbers);
  }

  /** A node was come to: to be called for those that `numbers.types` has, in their order. */
  enterType(node: number): void {
    const rule = this.#numbers.symbols[this.#tree.kinds[node] as number];
    const name = childBy(this.#tree, node, this.#numbers.field(rule?.name?.[0] ?? "name"));
    if (name < 0) return;
    this.#leaveUntil(node);
    const text = textOf(this.#tree, name).replace(/<[^]*$/, "");
    this.#types.push({ from: node, end: this.#tree.nexts[node] as number, name: text });
  }

  /** How a function is known. `around`: the function that it lies in, or -1. */
  of(node: number, around: number): FunctionName {
    this.#leaveUntil(node);
    const { name, owner } = this.#own(node);
    const within = this.#types.at(-1);
    const type = owner ?? within?.name ?? null;
    return {
      name: shortened(type === null ? name : `${type}.${name}`),
      bare: name === ANONYMOUS ? null : name,
      isMember: owner !== null || (within?.from ?? -1) > around || this.#isValueOfKey(node),
    };
  }

  /** `{ name() {} }`, `{ name: () => {} }` */
  #isValueOfKey(node: number): boolean {
    const rule = this.#numbers.symbols[this.#tree.kinds[node] as number];
    const parent = this.#tree.parents[node] as number;
    return rule?.kind === "method" ||
      (parent >= 0 && childBy(this.#tree, parent, this.#numbers.field("key")) >= 0);
  }

  #leaveUntil(node: number): void {
    while ((this.#types.at(-1)?.end ?? Infinity) <= node) this.#types.pop();
  }

  #own(node: number): { readonly name: string; readonly owner: string | null } {
    const rule = this.#numbers.symbols[this.#tree.kinds[node] as number] ?? null;
    if (rule !== null && rule.kind !== null) {
      const [first] = this.declarations.names(rule, node);
      if (first !== undefined) return first;
    }
    return { name: this.#given(node), owner: null };
  }

  #given(node: number): string {
    const own = childBy(this.#tree, node, this.#numbers.field("name"));
    if (own >= 0) return textOf(this.#tree, own);
    const parent = this.#tree.parents[node] as number;
    if (parent < 0 || kindOf(this.#tree, parent).includes("call")) return ANONYMOUS;
    for (const field of GIVEN_BY) {
      const name = childBy(this.#tree, parent, this.#numbers.field(field));
      if (name >= 0 && name !== node) return textOf(this.#tree, name);
    }
    return ANONYMOUS;
  }
}

function shortened(name: string): string {
  if (name.length <= LONGEST && !name.includes("\n")) return name;
  return `${name.slice(0, LONGEST).replace(/\s+/g, " ")}…`;
}
