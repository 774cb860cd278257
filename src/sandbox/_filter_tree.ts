/**
 * A system call filter as a search by the number of the call. The kernel goes through a filter once for each number that
 * there is when a program puts it on (seccomp_cache_prepare, kernel/seccomp.c): one comparison behind the other took
 * it 240 µs, a third of a start.
 */

/** struct sock_filter */
export interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

/** What is done for the call of a number, which always answers. */
export type CallRule = readonly [number: number, body: readonly Instruction[]];

/** BPF_JMP | BPF_JA, BPF_JMP | BPF_JEQ | BPF_K, BPF_JMP | BPF_JGE | BPF_K (include/uapi/linux/bpf_common.h) */
const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
/** Numbers that are compared one after the other. */
const MOST_AT_LEAF = 6;

/** The search, with the number of the call loaded; `otherwise` answers for all numbers that no rule has. */
export function searchTree(
  rules: readonly CallRule[],
  otherwise: Instruction,
): readonly Instruction[] {
  const sorted = rules.toSorted(([a], [b]) => a - b);
  return branch(sorted, otherwise);
}

function branch(rules: readonly CallRule[], otherwise: Instruction): readonly Instruction[] {
  const middle = Math.ceil(rules.length / 2);
  const [first] = rules[middle] ?? [];
  if (rules.length <= MOST_AT_LEAF || first === undefined) return leaf(rules, otherwise);
  const lower = branch(rules.slice(0, middle), otherwise);
  const upper = branch(rules.slice(middle), otherwise);
  return [
    { code: JUMP_IF_AT_LEAST, ifTrue: 0, ifFalse: 1, value: first },
    // Only this jump is long enough for all that there may be (a number of 32 bits).
    { code: JUMP, ifTrue: 0, ifFalse: 0, value: lower.length },
    ...lower,
    ...upper,
  ];
}

/** Numbers with the same single answer share it. */
function leaf(rules: readonly CallRule[], otherwise: Instruction): readonly Instruction[] {
  const groups = new Map<string, { readonly numbers: number[]; readonly body: CallRule[1] }>();
  for (const [number, body] of rules) {
    const key = body.length === 1 ? `answer ${body[0]?.value}` : `call ${number}`;
    const group = groups.get(key) ?? { numbers: [], body };
    group.numbers.push(number);
    groups.set(key, group);
  }
  return [
    ...[...groups.values()].flatMap(({ numbers, body }) => [
      ...numbers.map((value, index): Instruction => {
        const left = numbers.length - 1 - index;
        return { code: JUMP_IF_EQUAL, ifTrue: left, ifFalse: left === 0 ? body.length : 0, value };
      }),
      ...body,
    ]),
    otherwise,
  ];
}
