/**
 * A system call filter as what follows upon what, before it is written one instruction behind the other: what is alike is
 * there once, however many lead to it. The kernel translates a filter for each program that puts it on, which takes
 * it 0.15 µs an instruction, and the filter is most of what a start adds there.
 */

/** BPF_JMP | BPF_JA, BPF_RET | BPF_K, and BPF_JMP in the bits of the class (include/uapi/linux/bpf_common.h). */
const JUMP = 0x05;
const RETURN = 0x06;
const CLASS_BITS = 0x07;
/** A jump with a condition goes past so many instructions at most, less one that is put in between for its other side. */
const FARTHEST = 254;

/** struct sock_filter */
export interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

/** One instruction and what comes after it; its number among the nodes. */
export type Node = number;

interface Parts {
  readonly code: number;
  readonly value: number;
  /** After it; of a condition where it holds. */
  readonly next: Node;
  /** Of a condition where it does not hold; else as `next`. */
  readonly other: Node;
}

/** Behind an answer comes nothing. */
const NOTHING = -1;

/** The nodes of one filter. */
export class FilterNodes {
  readonly #parts: Parts[] = [];
  readonly #known = new Map<string, Node>();

  /** A condition, and what follows where it holds and where not. */
  condition(code: number, value: number, holds: Node, fails: Node): Node {
    return holds === fails ? holds : this.#node({ code, value, next: holds, other: fails });
  }

  /** What leaves everything to what follows: it loads a word, or changes it. */
  after({ code, value }: Instruction, next: Node): Node {
    return this.#node({ code, value, next, other: next });
  }

  /** What is written so, of which each way ends in an answer. */
  of(instructions: readonly Instruction[]): Node {
    const nodes: Node[] = [];
    // Jumps lead forward alone: what comes behind is known first.
    for (let at = instructions.length - 1; at >= 0; at--) {
      const { code, ifTrue, ifFalse, value } = instructions[at] as Instruction;
      const behind = (skipped: number): Node => nodes[at + 1 + skipped] ?? NOTHING;
      if (code === JUMP) nodes[at] = behind(value);
      else if ((code & CLASS_BITS) === JUMP) {
        nodes[at] = this.condition(code, value, behind(ifTrue), behind(ifFalse));
      } else {
        const next = code === RETURN ? NOTHING : behind(0);
        nodes[at] = this.#node({ code, value, next, other: next });
      }
    }
    return nodes[0] ?? NOTHING;
  }

  #node(parts: Parts): Node {
    const { code, value, next, other } = parts;
    const key = `${code} ${value} ${next} ${other}`;
    let node = this.#known.get(key);
    if (node === undefined) {
      node = this.#parts.push(parts) - 1;
      this.#known.set(key, node);
    }
    return node;
  }

  /** The filter that begins with this node, each node behind all that lead to it. */
  written(first: Node): readonly Instruction[] {
    const backwards: Instruction[] = [];
    const places = new Map<Node, number>();
    const between = (node: Node): number => backwards.length - (places.get(node) as number) - 1;
    /** Puts it, or a jump to it, where it can be reached past so many instructions. */
    const bringNear = (node: Node, most: number): void => {
      if (between(node) <= most) return;
      const { code, value } = this.#parts[node] as Parts;
      const answers = code === RETURN;
      const stand = answers ? { code, value } : { code: JUMP, value: between(node) };
      places.set(node, backwards.push({ ...stand, ifTrue: 0, ifFalse: 0 }) - 1);
    };
    const write = (node: Node): void => {
      if (node === NOTHING || places.has(node)) return;
      const { code, value, next, other } = this.#parts[node] as Parts;
      write(next);
      write(other);
      const isCondition = (code & CLASS_BITS) === JUMP;
      if (isCondition) {
        bringNear(next, FARTHEST);
        bringNear(other, FARTHEST);
      } else if (next !== NOTHING) bringNear(next, 0);
      const [ifTrue, ifFalse] = isCondition ? [between(next), between(other)] : [0, 0];
      places.set(node, backwards.push({ code, ifTrue, ifFalse, value }) - 1);
    };
    write(first);
    return backwards.reverse();
  }
}
