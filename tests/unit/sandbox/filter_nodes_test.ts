import { assert, assertEquals } from "@std/assert";
import { FilterNodes, type Instruction, type Node } from "../../../src/sandbox/_filter_nodes.ts";

const [LOAD, AND, JUMP, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x54, 5, 0x15, 0x35, 0x45, 6];
const made = (code: number, value: number, ifTrue = 0, ifFalse = 0): Instruction => ({
  code,
  value,
  ifTrue,
  ifFalse,
});

/** What classic BPF answers for these words; each jump leads forward, and no condition farther than its byte says. */
function run(program: readonly Instruction[], words: readonly number[]): number {
  let accumulator = 0;
  for (let at = 0; at < program.length; at++) {
    const { code, ifTrue, ifFalse, value } = program[at] as Instruction;
    assert(ifTrue >= 0 && ifTrue < 256 && ifFalse >= 0 && ifFalse < 256 && value >= 0);
    const test = (holds: boolean) => at += holds ? ifTrue : ifFalse;
    if (code === LOAD) accumulator = words[value] as number;
    else if (code === AND) accumulator = (accumulator & value) >>> 0;
    else if (code === JUMP) at += value;
    else if (code === EQUAL) test(accumulator === value);
    else if (code === AT_LEAST) test(accumulator >= value);
    else if (code === ANY_BIT) test((accumulator & value) !== 0);
    else return value;
  }
  throw new Error("ran over the end");
}

/** A linear congruential generator (Numerical Recipes), so that a failure comes again. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Any filter: each instruction goes on to one behind it, and the last of all answer. */
function anyFilter(next: (below: number) => number): readonly Instruction[] {
  const length = 20 + next(900);
  return Array.from({ length }, (_, at) => {
    const left = length - 1 - at;
    const jump = () => Math.min(255, next(Math.max(1, left - 8)));
    const kind = next(10);
    if (left < 8 || kind === 0) return made(RETURN, next(5));
    if (kind === 1) return made(LOAD, next(4));
    if (kind === 2) return made(AND, next(16));
    if (kind === 3) return made(JUMP, next(left - 7));
    return made([EQUAL, AT_LEAST, ANY_BIT][next(3)] as number, next(8), jump(), jump());
  });
}

Deno.test("what is written answers as what it was made of, whatever that is and however far it jumps", () => {
  for (let seed = 0; seed < 300; seed++) {
    const next = numbersOf(seed);
    const filter = anyFilter(next);
    const nodes = new FilterNodes();
    const written = nodes.written(nodes.of(filter));
    assert(written.length <= filter.length + 40, `seed ${seed}: ${written.length}`);
    for (let tries = 0; tries < 40; tries++) {
      const words = Array.from({ length: 4 }, () => next(16));
      assertEquals(run(written, words), run(filter, words), `seed ${seed}`);
    }
  }
});

Deno.test("a condition whose sides lie far away comes to them", () => {
  const nodes = new FilterNodes();
  const [yes, no] = [nodes.of([made(RETURN, 1)]), nodes.of([made(RETURN, 2)])];
  // Each of them leads to both answers, and to a load that all have in common.
  const common = nodes.after(made(LOAD, 1), nodes.condition(EQUAL, 7, yes, no));
  let first: Node = common;
  for (let value = 2_000; value > 0; value--) {
    first = nodes.condition(
      EQUAL,
      value,
      value % 3 === 0 ? common : value % 2 === 0 ? yes : no,
      first,
    );
  }
  const written = nodes.written(nodes.after(made(LOAD, 0), first));
  for (const value of [1, 2, 3, 6, 999, 1_000, 1_999, 2_000, 5_000]) {
    for (const second of [7, 8]) {
      const expected = value % 3 === 0 || value > 2_000
        ? (second === 7 ? 1 : 2)
        : value % 2 === 0
        ? 1
        : 2;
      assertEquals(run(written, [value, second]), expected, `${value}, ${second}`);
    }
  }
  assert(written.length < 2_060, String(written.length));
});

Deno.test("what is alike is there once, and a condition that decides nothing not at all", () => {
  const nodes = new FilterNodes();
  const own = [made(LOAD, 1), made(EQUAL, 0, 0, 1), made(RETURN, 1), made(RETURN, 2)];
  const [one, other] = [nodes.of(own), nodes.of([...own])];
  assertEquals(one, other);
  assertEquals(nodes.condition(EQUAL, 5, one, other), one);
  assertEquals(nodes.written(one).length, 4);
});
