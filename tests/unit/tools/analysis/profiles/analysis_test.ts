import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { analyse, type Wanted } from "../../../../../src/tools/analysis/profiles/analyse.ts";
import { apportion } from "../../../../../src/tools/analysis/profiles/apportion.ts";
import { totalsOf } from "../../../../../src/tools/analysis/profiles/call_tree.ts";
import { weigh } from "../../../../../src/tools/analysis/profiles/weigh.ts";
import { Random } from "../../../../random.ts";
import { read } from "./_read.ts";
import { collapsed, pstats } from "./_written.ts";

const WANTED: Wanted = {
  baseline: null,
  focus: null,
  flameGraphTitle: null,
  most: 20,
  display: (path) => `shown:${path}`,
};
const outputOf = (data: string | Uint8Array, wanted: Partial<Wanted> = {}) =>
  analyse(read(data), { ...WANTED, ...wanted }).output;

const STACKS = "main;parse;read 60\nmain;parse 10\nmain;render;parse 5\nother;main 25\n";

Deno.test("hot functions and paths, with their parts of the whole", () => {
  const { hot, paths, total, functions } = outputOf(STACKS, { most: 3 });
  assertEquals([total, functions], [100, 5]);
  assertEquals(hot, [
    { function: "read", self: 60, self_percent: 60, total: 60, total_percent: 60 },
    { function: "main", self: 25, self_percent: 25, total: 100, total_percent: 100 },
    { function: "parse", self: 15, self_percent: 15, total: 75, total_percent: 75 },
  ]);
  assertEquals(paths, [
    { frames: ["main", "parse", "read"], self: 60, self_percent: 60 },
    { frames: ["other", "main"], self: 25, self_percent: 25 },
    { frames: ["main", "parse"], self: 10, self_percent: 10 },
  ]);
});

Deno.test("long paths are cut in the middle, long names at their end, and nothing is shown as it should not be", () => {
  const frames = Array.from({ length: 100 }, (_, depth) => `f${depth}`);
  const long = `${"x".repeat(299)}😀${"y".repeat(9000)}`;
  const { paths: [first, second], hot } = outputOf(
    `${frames.join(";")} 9\n${long} (/srv/app/a.py:3) 4\n`,
  );
  assertEquals(first?.frames.length, 40);
  assertEquals(first?.frames.slice(9, 12), ["f9", "… 61 frames …", "f71"]);
  assertEquals(second?.frames[0]?.length, 300);
  assert(second?.frames[0]?.isWellFormed());
  assertEquals(outputOf("main;fib;fib;fib;add;fib 1\n").paths[0]?.frames, [
    "main",
    "fib (×3)",
    "add",
    "fib",
  ]);
  assertEquals(hot[1]?.file, undefined);
  assertEquals(outputOf("f (/srv/app/a.py:3) 1\n").hot[0]?.file, "shown:/srv/app/a.py");
});

interface Focus {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly focus: string;
  readonly matched: number;
  readonly callers: Readonly<Record<string, number>>;
  readonly callees: Readonly<Record<string, number>>;
}

const FOCUSES: readonly Focus[] = [
  {
    name: "callers and callees",
    data: STACKS,
    focus: "parse",
    matched: 1,
    callers: { main: 70, render: 5 },
    callees: { read: 60 },
  },
  {
    name: "recursion is one call of itself, counted once a path",
    data: "main;fib;fib;fib;add 4\nmain;fib 1\n",
    focus: "fib",
    matched: 1,
    callers: { main: 5, fib: 4 },
    callees: { fib: 4, add: 4 },
  },
  {
    name: "two functions that call each other",
    data: "main;even;odd;even;odd 6\n",
    focus: "even",
    matched: 1,
    callers: { main: 6, odd: 6 },
    callees: { odd: 6 },
  },
  {
    name: "a part of several names",
    data: "main;parseJson;read 3\nmain;parseYaml;read 4\n",
    focus: "parse",
    matched: 2,
    callers: { main: 7 },
    callees: { read: 7 },
  },
  {
    name: "a name with its place",
    data: "main;f (a.py:1);x 3\nmain;f (b.py:2);y 4\n",
    focus: "f (b.py:2)",
    matched: 1,
    callers: { main: 4 },
    callees: { y: 4 },
  },
  {
    name: "the outermost function has no callers",
    data: STACKS,
    focus: "other",
    matched: 1,
    callers: {},
    callees: { main: 25 },
  },
  {
    name: "of cProfile",
    data: pstats({
      main: [1, 4],
      work: [1, 3, { main: 3 }],
      read: [2, 2, { work: 1.5, main: 0.5 }],
    }),
    focus: "work",
    matched: 1,
    callers: { main: 3000 },
    callees: { read: 1500 },
  },
];

for (const { name, data, focus, matched, callers, callees } of FOCUSES) {
  Deno.test(`focus: ${name}`, () => {
    const output = outputOf(data, { focus });
    const named = (list: typeof output.callers = []) =>
      list.map((one) => [one.function, one.total] as const);
    assertEquals(output.focus?.matched, matched);
    assertEquals(named(output.callers), Object.entries(callers));
    assertEquals(named(output.callees), Object.entries(callees));
  });
}

Deno.test("focus: what is nowhere is refused with what is near", () => {
  const error = assertThrows(() => outputOf(STACKS, { focus: "prase" }), ToolError);
  assertEquals(error.code, "INVALID_ARGUMENTS");
  assertStringIncludes(error.message, 'Did you mean "parse"?');
});

Deno.test("changes: by name and file though lines moved, what is new and what is gone", () => {
  const before = read("main;work (a.py:3) 40\nmain;old 5\nmain;same 7\n");
  const { changes, baseline } = outputOf("main;work (a.py:9) 55\nmain;new 2\nmain;same 7\n", {
    baseline: before,
  });
  assertEquals(baseline, { format: "collapsed", samples: 52, total: 52 });
  assertEquals(changes, [
    {
      function: "work",
      file: "a.py",
      line: 9,
      self: 55,
      self_before: 40,
      total: 55,
      total_before: 40,
    },
    { function: "old", self: 0, self_before: 5, total: 0, total_before: 5 },
    { function: "new", self: 2, self_before: 0, total: 2, total_before: 0 },
    { function: "main", self: 0, self_before: 0, total: 64, total_before: 52 },
  ]);
});

Deno.test("changes: a profile beside itself has none, one in another unit is refused", () => {
  assertEquals(outputOf(STACKS, { baseline: read(STACKS) }).changes, []);
  const baseline = read(pstats({ main: [1, 1] }));
  const error = assertThrows(() => outputOf(STACKS, { baseline }), ToolError);
  assertEquals(error.code, "INVALID_ARGUMENTS");
  assertStringIncludes(error.message, "it counts ms, profiling_data samples");
});

Deno.test("cProfile: time is shared among callers as it was spent for them", () => {
  const profile = read(pstats({
    main: [1, 10],
    a: [0.5, 6.5, { main: 6.5 }],
    b: [0.5, 2.5, { main: 2.5 }],
    read: [8, 8, { a: 6, b: 2 }],
  }));
  const paths = outputOf(pstats({
    main: [1, 10],
    a: [0.5, 6.5, { main: 6.5 }],
    b: [0.5, 2.5, { main: 2.5 }],
    read: [8, 8, { a: 6, b: 2 }],
  })).paths.map(({ frames, self }) => [frames.join(";"), self]);
  assertEquals(paths, [
    ["main;a;read", 6000],
    ["main;b;read", 2000],
    ["main", 1000],
    ["main;a", 500],
    ["main;b", 500],
  ]);
  assert(profile.kind === "graph");
  assertAlmostEquals(totalsOf(apportion(profile))[0] ?? NaN, 10_000, 1e-6);
});

Deno.test("cProfile: circles of callers end, whatever they are", () => {
  const random = new Random(7);
  const names = ["a", "b", "c", "d", "e", "f"];
  for (let round = 0; round < 300; round++) {
    const profile = read(pstats(Object.fromEntries(names.map((name) => [name, [
      random.below(9) / 2 + 0.25,
      random.below(50) + 0.5,
      Object.fromEntries(
        names.filter(() => random.once(2)).map((caller) => [caller, random.below(99) + 0.5]),
      ),
    ]]))));
    assert(profile.kind === "graph");
    const tree = apportion(profile);
    assert(tree.length > 1 && tree.length < 30_000);
    assert(totalsOf(tree).every((total) => Number.isFinite(total) && total >= 0));
  }
});

Deno.test("whatever the stacks: own times add up, totals are no less than own and no more than the whole", () => {
  const random = new Random(23);
  for (let round = 0; round < 200; round++) {
    const stacks = Array.from({ length: 1 + random.below(30) }, () => ({
      frames: Array.from({ length: 1 + random.below(9) }, () => `f${random.below(5)}`),
      weight: random.below(50),
    }));
    const { own, total, sum } = weigh(read(collapsed(stacks)));
    assertEquals(own.reduce((a, b) => a + b, 0), sum);
    own.forEach((value, index) => {
      assert(value <= (total[index] ?? 0) && (total[index] ?? 0) <= sum);
    });
  }
});
