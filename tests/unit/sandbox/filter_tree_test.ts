import { assert, assertEquals } from "@std/assert";
import { FilterNodes, type Instruction } from "../../../src/sandbox/_filter_nodes.ts";
import { type CallRule, searchTree } from "../../../src/sandbox/_filter_tree.ts";

const answer = (value: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, value });

function searched(rules: readonly CallRule[]): readonly Instruction[] {
  const nodes = new FilterNodes();
  return nodes.written(searchTree(nodes, rules, nodes.of([answer(0)])));
}

/** What classic BPF answers for a number, and how many instructions that takes. */
function search(program: readonly Instruction[], number: number): readonly [number, number] {
  for (let at = 0, steps = 1; at < program.length; at++, steps++) {
    const { code, ifTrue, ifFalse, value } = program[at] as Instruction;
    if (code === 0x06) return [value, steps];
    if (code === 0x05) at += value;
    else if (code === 0x15) at += number === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += number >= value ? ifTrue : ifFalse;
    else throw new Error(`unknown operation ${code}`);
    assert(ifTrue < 256 && ifFalse < 256);
  }
  throw new Error("ran over the end");
}

/** A linear congruential generator (Numerical Recipes), so that a failure comes again. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
}

Deno.test("a search answers as its rules do, one by one", () => {
  for (let seed = 0; seed < 200; seed++) {
    const next = numbersOf(seed);
    const rules = new Map<number, readonly Instruction[]>();
    for (let count = next() % 300; count > 0; count--) {
      const number = next() % 8 === 0 ? next() : next() % 500;
      // A body of several instructions ends in the answer; those before it jump nowhere.
      const length = next() % 3 === 0 ? 1 + next() % 8 : 1;
      const idle = { code: 0x05, ifTrue: 0, ifFalse: 0, value: 0 };
      rules.set(number, [...Array<Instruction>(length - 1).fill(idle), answer(1 + next() % 3)]);
    }
    const list: readonly CallRule[] = [...rules];
    const program = searched(list);
    const tried = [...rules.keys()].flatMap((number) => [number - 1, number, number + 1]);
    for (const number of [...tried, 0, 0xffffffff].filter((one) => one >= 0)) {
      const [found] = search(program, number);
      assertEquals(found, rules.get(number)?.at(-1)?.value ?? 0, `seed ${seed}, ${number}`);
    }
  }
});

Deno.test("a search of hundreds of numbers takes a few steps, and no more room than their list", () => {
  const rules = Array.from({ length: 256 }, (_, index): CallRule => [index * 2, [answer(5)]]);
  const program = searched(rules);
  const steps = Array.from({ length: 512 }, (_, number) => search(program, number)[1]);
  assert(Math.max(...steps) <= 20, String(Math.max(...steps)));
  assert(program.length <= 1.5 * rules.length, String(program.length));
});

Deno.test("numbers in a row that are answered alike are told by where they begin and end", () => {
  const rules = Array.from({ length: 300 }, (_, index): CallRule => [index + 7, [answer(5)]]);
  const program = searched(rules);
  assertEquals([6, 7, 306, 307].map((number) => search(program, number)[0]), [0, 5, 5, 0]);
  assertEquals(program.length, 4);
});
