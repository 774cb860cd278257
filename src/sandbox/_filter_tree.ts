/**
 * A system call filter as a search by the number of the call. The kernel goes through a filter once for each number that
 * there is when a program puts it on (seccomp_cache_prepare, kernel/seccomp.c): one comparison behind the other took
 * it 240 µs, a third of a start.
 */

import type { FilterNodes, Instruction, Node } from "./_filter_nodes.ts";

/** What is done for the call of a number, which always answers. */
export type CallRule = readonly [number: number, body: readonly Instruction[]];

/** Numbers from this on to that of the next run are answered alike. */
interface Run {
  readonly from: number;
  readonly answer: Node;
}

/** BPF_JMP | BPF_JEQ | BPF_K, BPF_JMP | BPF_JGE | BPF_K (include/uapi/linux/bpf_common.h) */
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
/** Numbers that are compared one after the other. */
const MOST_AT_LEAF = 4;

/** The search, with the number of the call loaded; `otherwise` answers for all numbers that no rule has. */
export function searchTree(
  nodes: FilterNodes,
  rules: readonly CallRule[],
  otherwise: Node,
): Node {
  const runs: Run[] = [{ from: 0, answer: otherwise }];
  const begin = (from: number, answer: Node): void => {
    if (runs.at(-1)?.from === from) runs.pop();
    if (runs.at(-1)?.answer !== answer) runs.push({ from, answer });
  };
  for (const [number, body] of rules.toSorted(([a], [b]) => a - b)) {
    begin(number, nodes.of(body));
    begin(number + 1, otherwise);
  }
  return branch(nodes, runs);
}

function branch(nodes: FilterNodes, runs: readonly Run[]): Node {
  const leaf = leafOf(nodes, runs);
  if (leaf !== null) return leaf;
  const middle = runs.length >> 1;
  const [lower, upper] = [runs.slice(0, middle), runs.slice(middle)];
  const { from } = upper[0] as Run;
  return nodes.condition(JUMP_IF_AT_LEAST, from, branch(nodes, upper), branch(nodes, lower));
}

/** A few single numbers among others that are all answered alike; null where it is not so. */
function leafOf(nodes: FilterNodes, runs: readonly Run[]): Node | null {
  for (const { answer: usual } of runs.slice(0, 2)) {
    const single: Run[] = [];
    const isLeaf = runs.every((run, at) => {
      if (run.answer === usual) return true;
      single.push(run);
      return runs[at + 1]?.from === run.from + 1;
    });
    if (!isLeaf || single.length > MOST_AT_LEAF) continue;
    return single.reduceRight(
      (rest, { from, answer }) => nodes.condition(JUMP_IF_EQUAL, from, answer, rest),
      usual,
    );
  }
  return null;
}
