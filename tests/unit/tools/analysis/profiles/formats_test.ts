import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { Random } from "../../../../random.ts";
import { byName, read } from "./_read.ts";
import * as write from "./_written.ts";
import type { Stack } from "./_written.ts";

const TEXT = new TextEncoder();

/** Every format that holds call paths, as its writer writes it. */
const WRITERS: Readonly<Record<string, (stacks: readonly Stack[]) => string | Uint8Array>> = {
  "collapsed": write.collapsed,
  "cpuprofile": write.cpuProfile,
  "speedscope, sampled": (stacks) => write.speedscope(stacks, "sampled"),
  "speedscope, evented": (stacks) => write.speedscope(stacks, "evented"),
  "pprof, packed": (stacks) => write.pprof(stacks),
  "pprof, not packed": (stacks) => write.pprof(stacks, false),
  "perf script": write.perfScript,
};

/** Own and total time as one would do it by hand: every stack on its own, every name in it once. */
function byHand(stacks: readonly Stack[]): Record<string, [number, number]> {
  const found: Record<string, [number, number]> = {};
  const row = (name: string) => found[name] ??= [0, 0];
  for (const { frames, weight } of stacks) {
    for (const name of new Set(frames)) row(name)[1] += weight;
    const last = frames.at(-1);
    if (last !== undefined) row(last)[0] += weight;
  }
  return found;
}

function randomStacks(random: Random): readonly Stack[] {
  const names = [
    "main",
    "fib",
    "work",
    "a",
    "b",
    "operator<",
    "[native code]",
    "été",
    "f(int, char)",
  ];
  return Array.from({ length: 1 + random.below(40) }, () => ({
    frames: Array.from({ length: 1 + random.below(12) }, () => random.pick(names)),
    weight: 1 + random.below(1000),
  }));
}

function requireSame(
  found: Readonly<Record<string, readonly [number, number]>>,
  expected: Readonly<Record<string, readonly [number, number]>>,
): void {
  assertEquals(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const [name, [own, total]] of Object.entries(expected)) {
    assertAlmostEquals(found[name]?.[0] ?? NaN, own, 1e-6, name);
    assertAlmostEquals(found[name]?.[1] ?? NaN, total, 1e-6, name);
  }
}

for (const [name, writer] of Object.entries(WRITERS)) {
  Deno.test(`${name}: whatever the stacks, own and total time are what counting by hand gives`, () => {
    const random = new Random(19);
    for (let round = 0; round < 100; round++) {
      const stacks = randomStacks(random);
      const found = byName(read(writer(stacks)));
      const { app, ...others } = found;
      const all = stacks.reduce((sum, { weight }) => sum + weight, 0);
      assertEquals(app, name === "perf script" ? [0, all] : undefined);
      requireSame(others, byHand(stacks));
    }
  });

  Deno.test(`${name}: a stack of 100,000 frames`, () => {
    const frames = Array.from({ length: 100_000 }, (_, depth) => `f${depth % 3}`);
    const found = byName(read(writer([{ frames, weight: 5 }, { frames: ["f0"], weight: 1 }])));
    assertEquals([found["f0"], found["f1"], found["f2"]], [[6, 6], [0, 5], [0, 5]]);
  });

  Deno.test(`${name}: packed by gzip`, () => {
    const data = writer([{ frames: ["main", "work"], weight: 3 }]);
    const bytes = new Uint8Array(gzipSync(typeof data === "string" ? TEXT.encode(data) : data));
    assertEquals(byName(read(bytes))["work"], [3, 3]);
  });
}

interface Case {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly format: string;
  readonly unit?: string;
  readonly samples?: number;
  readonly rows: Readonly<Record<string, readonly [number, number]>>;
  readonly skipped?: Readonly<Record<string, number>>;
  /** Parts of the notes. */
  readonly notes?: readonly string[];
}

const node = (id: number, functionName: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  callFrame: { functionName, scriptId: "1", url: "", lineNumber: -1, columnNumber: -1 },
  ...more,
});
const v8 = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ startTime: 0, endTime: 0, ...more });
const scope = (
  profiles: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({ shared: { frames: [{ name: "a" }, { name: "b" }] }, profiles, ...more });
const event = (type: string, frame: number, at: number) => ({ type, frame, at });
const PERF = "a\tb 1 1.5: 2000000 cpu-clock:u: \n\t12 f+0x1 (/x)\n\t13 [unknown] (/lib/y.so)\n\n";

const CASES: readonly Case[] = [
  {
    name: "collapsed: comments, blank lines, CR LF, decimals, frames with blanks, empty frames",
    data: "# made by hand\r\n\r\nmain;read file 2.5\r\n;;main;;work;\t 1\r\nmain 1\r\n",
    format: "collapsed",
    rows: { main: [1, 4.5], "read file": [2.5, 2.5], work: [1, 1] },
  },
  {
    name: "collapsed: what has no count is passed over and counted",
    data: "main 1\n".repeat(25) + "main;cut\nmain 99999999999999999999999999\nmain -5\n",
    format: "collapsed",
    rows: { main: [25, 25] },
    skipped: { "lines without a count": 3 },
  },
  {
    name: "collapsed: names that objects have by themselves are names like others",
    data: "__proto__;constructor 3\ntoString;hasOwnProperty 1\n",
    format: "collapsed",
    rows: Object.fromEntries<readonly [number, number]>([
      ["__proto__", [0, 3]],
      ["constructor", [3, 3]],
      ["toString", [0, 1]],
      ["hasOwnProperty", [1, 1]],
    ]),
  },
  {
    name:
      "cpuprofile: samples out of order are put in order, the last sample ends with the profile",
    data: v8({
      nodes: [
        node(1, "(root)", { children: [2, 3, 4] }),
        node(2, "a"),
        node(3, "(idle)"),
        node(4, "b"),
      ],
      startTime: 100,
      endTime: 12_100,
      samples: [2, 4, 3, 2],
      timeDeltas: [0, 4000, -1000, 6000],
    }),
    format: "cpuprofile",
    unit: "ms",
    samples: 4,
    rows: { a: [6, 6], b: [5, 5] },
    notes: ["1.0 ms of idle time"],
  },
  {
    name: "cpuprofile: idle time is said",
    data: v8({
      nodes: [node(1, "(root)", { children: [2, 3] }), node(2, "a"), node(3, "(idle)")],
      endTime: 3000,
      samples: [2, 3],
      timeDeltas: [0, 1000],
    }),
    format: "cpuprofile",
    rows: { a: [1, 1] },
    notes: ["2.0 ms of idle time"],
  },
  {
    name: "cpuprofile: without samples, hits count; parents in the place of children",
    data: v8({
      nodes: [
        node(9, "(root)"),
        node(3, "a", { parent: 9, hitCount: 2 }),
        node(4, "b", { parent: 3, hitCount: 5 }),
      ],
    }),
    format: "cpuprofile",
    unit: "samples",
    samples: 7,
    rows: { a: [2, 7], b: [5, 5] },
  },
  {
    name: "cpuprofile: samples of nodes that are not there, and without times",
    data: v8({
      nodes: [node(1, "a")],
      samples: [1, 7, "1", null],
      timeDeltas: [0, 2000],
      endTime: 9000,
    }),
    format: "cpuprofile",
    rows: { a: [2, 2] },
    skipped: { "samples of nodes that are not there": 3, "samples without a time": 2 },
  },
  {
    name: "speedscope: the profiles of the active one's unit are added",
    data: scope([
      { type: "sampled", unit: "seconds", samples: [[0, 1]], weights: [2] },
      { type: "sampled", unit: "bytes", samples: [[0]], weights: [7] },
      { type: "sampled", unit: "seconds", samples: [[0]], weights: [0.5] },
    ], { activeProfileIndex: 2 }),
    format: "speedscope",
    unit: "ms",
    samples: 2,
    rows: { a: [500, 2500], b: [2000, 2000] },
    notes: ["the sum of 2 profiles", "1 profiles with another unit"],
  },
  {
    name: "speedscope: closed out of turn, never closed, never opened",
    data: scope([{
      type: "evented",
      unit: "milliseconds",
      startValue: 0,
      endValue: 10,
      events: [
        event("O", 0, 0),
        event("O", 1, 2),
        event("C", 0, 5),
        event("C", 1, 6),
        event("O", 1, 7),
      ],
    }]),
    format: "speedscope",
    unit: "ms",
    rows: { a: [2, 5], b: [6, 6] },
    skipped: { "frames closed out of turn": 2 },
  },
  {
    name: "speedscope: what is no frame, weight or event",
    data: scope([
      {
        type: "sampled",
        unit: "none",
        samples: [[0, 5, "a"], [0], [1], 7],
        weights: [1, -1, "2", 1],
      },
      { type: "evented", unit: "none", events: [event("X", 0, 1), event("O", 9, 1), null] },
    ]),
    format: "speedscope",
    unit: "samples",
    rows: { a: [1, 1] },
    skipped: {
      "frames that are not there": 2,
      "samples without a weight": 2,
      "events that are none": 3,
    },
  },
  {
    name:
      "perf script: the event with most samples, times where it is a clock, libraries for unknown symbols",
    data: PERF + PERF + "a\tb 1 1.5: 77 cycles: \n\t12 g (/x)\n\n",
    format: "perf_script",
    unit: "ms",
    samples: 2,
    rows: { "a\tb": [0, 4], "[y.so]": [0, 4], f: [4, 4] },
    notes: ["of the event cpu-clock:u; it holds cycles"],
  },
  {
    name: "perf script: without stacks a frame stands on the line; without periods each counts one",
    data: "# comment\nsh  5 [000]  1.5: cycles:  ffff main (inlined)+0x5 (/bin/sh)\n" +
      "sh  5 [000]  1.6: cycles:  ffff operator()(int) const+0x5 (/bin/sh)\n",
    format: "perf_script",
    unit: "cycles",
    samples: 2,
    rows: { sh: [0, 2], "main (inlined)": [1, 1], "operator()(int) const": [1, 1] },
  },
  {
    name: "perf script: lines that are no frames",
    data: PERF + "nonsense\n" + PERF + "  zz f (/x)\n",
    format: "perf_script",
    rows: { "a\tb": [0, 4], "[y.so]": [0, 4], f: [4, 4] },
    skipped: { "lines that are no frame of a sample": 2 },
  },
  {
    name: "pprof: the default type counts; inlined calls; places without a function; differences",
    data: Uint8Array.from([
      ...["", "cpu", "nanoseconds", "heap", "bytes", "outer", "inner"].flatMap((text) =>
        write.field(6, text)
      ),
      ...write.field(1, [...write.field(1, 1), ...write.field(2, 2)]),
      ...write.field(1, [...write.field(1, 3), ...write.field(2, 4)]),
      ...write.field(14, 1),
      ...write.field(4, [
        ...write.field(1, 1),
        ...write.field(4, write.field(1, 2)),
        ...write.field(4, write.field(1, 1)),
      ]),
      ...write.field(4, [...write.field(1, 2), ...write.field(3, 0xbeef)]),
      ...write.field(5, [...write.field(1, 1), ...write.field(2, 5)]),
      ...write.field(5, [...write.field(1, 2), ...write.field(2, 6)]),
      ...write.field(2, [...write.field(1, [1]), ...write.field(2, [...write.varint(3e6), 9])]),
      ...write.field(2, [...write.field(1, [2, 1]), ...write.field(2, [...write.varint(-1e6), 9])]),
      ...write.field(2, [...write.field(1, [7]), ...write.field(2, [...write.varint(1e6), 9])]),
      ...write.field(2, write.field(1, [1])),
    ]),
    format: "pprof",
    unit: "ms",
    samples: 4,
    rows: { outer: [0, 2], inner: [3, 2], "0xbeef": [-1, -1] },
    skipped: { "places that are not there": 1, "samples without a value": 1 },
    notes: ["of cpu; it holds heap", "below zero"],
  },
  {
    name: "pstats: own and cumulative seconds, recursion as Python counts it",
    data: write.pstats({ main: [0.25, 1.5], fib: [1.25, 1.25, { main: 1.25, fib: 1.125 }] }),
    format: "pstats",
    unit: "ms",
    samples: 2,
    rows: { main: [250, 1500], fib: [1250, 1250] },
    notes: ["cProfile keeps no call paths"],
  },
];

for (const { name, data, format, unit, samples, rows, skipped = {}, notes } of CASES) {
  Deno.test(name, () => {
    const profile = read(data);
    requireSame(byName(profile), rows);
    assertEquals(profile.format, format);
    if (unit !== undefined) assertEquals(profile.unit, unit);
    if (samples !== undefined) assertEquals(profile.samples, samples);
    const list = profile.skipped.map(({ reason, count }) => [reason, count]);
    assertEquals(Object.fromEntries(list), skipped);
    if (notes === undefined) return;
    notes.forEach((note, place) =>
      assert(profile.notes[place]?.includes(note), profile.notes[place])
    );
  });
}

Deno.test("places: from 1, files without their scheme, the same function once", () => {
  const call = (url: string, lineNumber: number) => ({
    functionName: "f",
    url,
    lineNumber,
    columnNumber: 4,
  });
  const urls = ["file:///srv/a%20b.js", "file:///srv/%zz.js", "node:fs", ""];
  const profile = read(v8({
    nodes: [
      node(1, "(root)", { children: urls.map((_, place) => place + 2) }),
      ...urls.map((url, place) => ({
        id: place + 2,
        callFrame: call(url, place - 1),
        hitCount: 1,
      })),
    ],
  }));
  const expected = [["/srv/a b.js", null], ["file:///srv/%zz.js", 1], ["node:fs", 2], [null, 3]];
  const found = profile.frames.filter(({ name }) => name === "f");
  assertEquals(found.map(({ file, line }) => [file, line]), expected);
  assertEquals(found.map(({ column }) => column), [5, 5, 5, 5]);
  const spied = read("main (app.py:3);work (lib/b.py:12) 4\n");
  assertEquals(spied.frames, [
    { name: "main", file: "app.py", line: 3, column: null },
    { name: "work", file: "lib/b.py", line: 12, column: null },
  ]);
});
