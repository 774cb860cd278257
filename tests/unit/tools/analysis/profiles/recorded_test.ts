import { assertAlmostEquals, assertEquals } from "@std/assert";
import { matching, neighboursOf } from "../../../../../src/tools/analysis/profiles/focus.ts";
import { weigh } from "../../../../../src/tools/analysis/profiles/weigh.ts";
import { byName, read, recorded, recordedText } from "./_read.ts";

interface Row {
  readonly function: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly calls: number;
  readonly self: number;
  readonly total: number;
  readonly callers: Readonly<Record<string, number>>;
}

Deno.test("cProfile: every function, and every caller of it, as Python's own pstats has them", () => {
  const { total_tt, total_calls, functions } = JSON.parse(recordedText("demo.pstats.json")) as {
    readonly total_tt: number;
    readonly total_calls: number;
    readonly functions: readonly Row[];
  };
  const profile = read(recorded("demo.pstats"));
  const { own, total, sum } = weigh(profile);
  assertAlmostEquals(sum, total_tt * 1e3, 1e-9);
  assertEquals(profile.samples, total_calls);
  assertEquals(profile.frames.length, functions.length);
  for (const row of functions) {
    const index = profile.frames.findIndex(({ name, line }) =>
      name === row.function && line === row.line
    );
    assertEquals(profile.frames[index]?.file, row.file, row.function);
    assertAlmostEquals(own[index] ?? NaN, row.self * 1e3, 1e-9);
    assertAlmostEquals(total[index] ?? NaN, row.total * 1e3, 1e-9);
    const { callers } = neighboursOf(profile, new Set([index]));
    const found = callers.map(({ frame, total }) => [profile.frames[frame]?.name, total / 1e3]);
    assertEquals(new Set(found.map(([name]) => name)), new Set(Object.keys(row.callers)));
    for (const [name, time] of found) {
      assertAlmostEquals(Number(time), row.callers[String(name)] ?? NaN, 1e-12);
    }
  }
});

Deno.test("pprof: every function as `go tool pprof -top` has it", () => {
  const rows = recordedText("demo.pprof.top.txt").split("\n").flatMap((line) => {
    const found = /^\s*(\d+)(?:ms)?\s+\S+%\s+\S+%\s+(\d+)(?:ms)?\s+\S+%\s+(\S+)/.exec(line);
    return found === null ? [] : [[found[3], [Number(found[1]), Number(found[2])]] as const];
  });
  assertEquals(rows.length, 11);
  const profile = read(recorded("demo.pprof"));
  assertEquals([profile.format, profile.unit], ["pprof", "ms"]);
  assertEquals(byName(profile), Object.fromEntries(rows));
  const { callers, callees } = neighboursOf(profile, matching(profile.frames, "main.work"));
  const named = (list: typeof callers) =>
    list.map(({ frame, total }) => [profile.frames[frame]?.name, total]);
  // As `go tool pprof -peek 'main.work$'` had them.
  assertEquals(named(callers), [["main.main", 70]]);
  assertEquals(named(callees), [["sort.Strings", 60]]);
});

Deno.test("V8: the samples of node --cpu-prof, added by hand", () => {
  const profile = read(recorded("demo.cpuprofile"));
  const found = byName(profile);
  // endTime less startTime and the first delta.
  assertAlmostEquals(weigh(profile).sum, (2_081_134_352 - 2_081_032_452 - 3125) / 1e3, 1e-9);
  const { samples, timeDeltas, endTime, startTime } = JSON.parse(recordedText("demo.cpuprofile"));
  const end = endTime - startTime - timeDeltas.reduce((a: number, b: number) => a + b, 0);
  const lengths = [...timeDeltas.slice(1), end];
  const sumOf = (id: number) =>
    samples.reduce(
      (sum: number, one: number, at: number) => sum + (one === id ? lengths[at] : 0),
      0,
    ) / 1e3;
  assertAlmostEquals(found["work"]?.[0] ?? NaN, sumOf(30), 1e-9);
  assertAlmostEquals(found["(garbage collector)"]?.[0] ?? NaN, sumOf(31), 1e-9);
  assertAlmostEquals(found["fib"]?.[1] ?? NaN, sumOf(29), 1e-9);
  const place = profile.frames.find(({ name }) => name === "work");
  assertEquals(place, { name: "work", file: "/srv/demo/demo.js", line: 4, column: 14 });
});

Deno.test("perf script: every symbol as perf report has it", () => {
  const profile = read(recorded("demo.perf"));
  const { own, sum } = weigh(profile);
  assertEquals([profile.format, profile.unit, profile.samples], ["perf_script", "ms", 16]);
  assertAlmostEquals(sum, 16 * 3.333333, 1e-6);
  const found = new Map(profile.frames.map(({ name }, index) => [name, own[index]]));
  // `perf report --no-children -F period,symbol`
  const expected = {
    unicodekeys_lookup_unicode: 9_999_999,
    gc_collect_main: 6_666_666,
    "intel_check_word.constprop.0": 6_666_666,
    _PyEval_EvalFrameDefault: 3_333_333,
    mas_topiary_replace: 3_333_333,
  };
  for (const [name, period] of Object.entries(expected)) {
    assertAlmostEquals(found.get(name) ?? NaN, period / 1e6, 1e-9, name);
  }
});
