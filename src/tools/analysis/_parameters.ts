/** How many parameters a function takes. */

import { NODE, type SyntaxTree } from "../../core/syntax_tree.ts";
import { childBy, childOf, type Numbered, textOf } from "../../toolkit/code/kinds.ts";

/** Declarators between a function of C and its parameters, at most. */
const DEEPEST = 16;

/** The parameters of the function at a node; 0 where it has no list of them. */
export function countParameters(tree: SyntaxTree, numbers: Numbered, node: number): number {
  const list = parametersOf(tree, numbers, node, DEEPEST);
  if (list < 0) return 0;
  if (tree.fields[list] === numbers.field("parameter")) return 1;
  const end = tree.nexts[list] as number;
  const { comments, flow } = numbers;
  let count = 0;
  for (let child = list + 1; child < end; child = tree.nexts[child] as number) {
    const kind = tree.kinds[child] as number;
    const isOne = ((tree.flags[child] as number) & NODE.named) !== 0 && comments[kind] !== 1 &&
      flow.noParameters[kind] !== 1;
    if (isOne) count += Math.max(1, namesIn(tree, numbers, child));
  }
  return count === 1 && textOf(tree, list).replace(/[\s()]/g, "") === "void" ? 0 : count;
}

/** Go declares several of a type at once. */
function namesIn(tree: SyntaxTree, numbers: Numbered, parameter: number): number {
  const field = numbers.field("name");
  const end = tree.nexts[parameter] as number;
  let count = 0;
  for (let child = parameter + 1; child < end; child = tree.nexts[child] as number) {
    const isNamed = ((tree.flags[child] as number) & NODE.named) !== 0;
    if (tree.fields[child] === field && field > 0 && isNamed) count++;
  }
  return count;
}

function parametersOf(
  tree: SyntaxTree,
  numbers: Numbered,
  node: number,
  depth: number,
): number {
  for (const field of numbers.language.flow.parameters) {
    const found = childBy(tree, node, numbers.field(field));
    if (found >= 0) return found;
  }
  const declarator = declaratorOf(tree, numbers, node);
  if (declarator >= 0 && depth > 0) return parametersOf(tree, numbers, declarator, depth - 1);
  return -1;
}

/** That of a function which gives a reference has no field for the one within it. */
function declaratorOf(tree: SyntaxTree, numbers: Numbered, node: number): number {
  const found = childBy(tree, node, numbers.field("declarator"));
  if (found >= 0) return found;
  const holders = numbers.set(["reference_declarator"]);
  return holders[tree.kinds[node] as number] === 1
    ? childOf(tree, node, numbers.set(["function_declarator"]))
    : -1;
}
