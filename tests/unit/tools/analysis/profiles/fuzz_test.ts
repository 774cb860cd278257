import { assert } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { analyse } from "../../../../../src/tools/analysis/profiles/analyse.ts";
import { givenAs } from "../../../../../src/tools/analysis/profiles/given.ts";
import { gunzipSync } from "node:zlib";
import { Random } from "../../../../random.ts";
import { read, recorded } from "./_read.ts";
import * as write from "./_written.ts";

const TEXT = new TextEncoder();
const STACKS = [
  { frames: ["main", "parse", "read"], weight: 60 },
  { frames: ["main", "render"], weight: 30 },
  { frames: ["main", "fib", "fib", "fib"], weight: 10 },
];

/** A real one, or one that was written, of each format. */
const SEEDS: Readonly<Record<string, Uint8Array>> = {
  "cpuprofile": recorded("demo.cpuprofile"),
  "pstats": recorded("demo.pstats"),
  "pprof in gzip": recorded("demo.pprof"),
  "pprof": new Uint8Array(gunzipSync(recorded("demo.pprof"))),
  "pprof, not packed": write.pprof(STACKS, false),
  "perf script": recorded("demo.perf"),
  "collapsed": TEXT.encode(write.collapsed(STACKS)),
  "speedscope, sampled": TEXT.encode(write.speedscope(STACKS, "sampled")),
  "speedscope, evented": TEXT.encode(write.speedscope(STACKS, "evented")),
};

/** What breaks readers: ends of ranges, signs of the formats, values that JSON has. */
const PIECES = [
  ...'{}[]();:"\\,\n\r\t -+.0\0\x7f\x80\xff',
  "null",
  "true",
  "1e999",
  "-1",
  "9007199254740993",
  "18446744073709551616",
  '{"id":1,"children":[1]}',
  "__proto__",
  "\ud800",
].map((piece) => TEXT.encode(piece));

/** Changes a few places: one bit, one byte, a piece put in or repeated, a part taken out, numbers of four bytes. */
function mutate(random: Random, seed: Uint8Array): Uint8Array {
  let bytes = seed;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(bytes.length + 1);
    const before = bytes.subarray(0, at);
    const after = bytes.subarray(at);
    const join = (...parts: readonly Uint8Array[]) =>
      Uint8Array.from(parts.flatMap((part) => [...part]));
    switch (random.below(7)) {
      case 0:
        bytes = join(
          before,
          after.subarray(0, 1).map((byte) => byte ^ (1 << random.below(8))),
          after.subarray(1),
        );
        break;
      case 1:
        bytes = join(before, Uint8Array.of(random.below(256)), after.subarray(1));
        break;
      case 2:
        bytes = join(before, random.pick(PIECES), after);
        break;
      case 3:
        bytes = join(before, after.subarray(random.below(30)));
        break;
      case 4:
        bytes = join(before, after.subarray(0, random.below(60)), after);
        break;
      case 5:
        bytes = join(
          before,
          Uint8Array.of(0xff, 0xff, 0xff, random.pick([0x7f, 0xff])),
          after.subarray(4),
        );
        break;
      default:
        bytes = before;
    }
  }
  return bytes;
}

/** Every number in it is one that JSON has. */
function requireFinite(value: unknown): void {
  if (typeof value === "number") assert(Number.isFinite(value));
  else if (typeof value === "object" && value !== null) Object.values(value).forEach(requireFinite);
}

/** How often it was read, and how often refused. */
function outcomes(
  inputs: Iterable<Uint8Array>,
): { readonly read: number; readonly refused: number } {
  let [done, refused] = [0, 0];
  for (const bytes of inputs) {
    try {
      const { output, flameGraph } = analyse(read(bytes), {
        baseline: null,
        focus: null,
        flameGraphTitle: "x",
        most: 50,
        display: (path) => path,
      });
      requireFinite(output);
      assert(flameGraph !== null && !/NaN|Infinity|="-/.test(flameGraph.svg));
      done++;
    } catch (error) {
      assert(error instanceof ToolError, error instanceof Error ? error.stack : String(error));
      assert(error.code === "UNKNOWN_PROFILE" || error.code === "RESOURCE_LIMIT", error.message);
      assert(!/\p{Cc}/u.test(error.message), error.message);
      refused++;
    }
  }
  return { read: done, refused };
}

for (const [name, seed] of Object.entries(SEEDS)) {
  Deno.test(`${name}: changed anywhere, it is read or refused`, () => {
    const random = new Random(31);
    const { read, refused } = outcomes(function* () {
      for (let round = 0; round < 600; round++) yield mutate(random, seed);
    }());
    // Both happen, or the changes prove nothing. (Of gzip, little but a date has no checksum.)
    assert(refused > 20, `refused ${refused}`);
    assert(name === "pprof in gzip" || read > 20, `read ${read}`);
  });

  Deno.test(`${name}: cut off anywhere, it is read or refused`, () => {
    const step = Math.max(1, Math.floor(seed.length / 400));
    outcomes(function* () {
      for (let length = 0; length < seed.length; length += step) yield seed.subarray(0, length);
    }());
  });
}

Deno.test("random bytes behind the start of each format are read or refused", () => {
  const random = new Random(37);
  outcomes(function* () {
    for (let round = 0; round < 1200; round++) {
      const seed = random.pick(Object.values(SEEDS));
      const start = seed.subarray(0, 1 + random.below(40));
      yield Uint8Array.from([
        ...start,
        ...Array.from({ length: random.below(300) }, () => random.below(256)),
      ]);
    }
  }());
});

Deno.test("JSON of any shape in the place of each part is read or refused", () => {
  const random = new Random(41);
  const value = (depth: number): unknown => {
    const pick = random.below(depth > 3 ? 7 : 10);
    if (pick < 7) return [null, true, -1, 0, 1.5, 2 ** 60, "f"][pick];
    const list = Array.from({ length: random.below(4) }, () => value(depth + 1));
    if (pick === 7) return list;
    const keys = [
      "id",
      "children",
      "callFrame",
      "hitCount",
      "name",
      "unit",
      "type",
      "frame",
      "at",
      "samples",
    ];
    return Object.fromEntries(list.map((one) => [random.pick(keys), one]));
  };
  outcomes(function* () {
    for (let round = 0; round < 1200; round++) {
      const whole = random.once(2)
        ? {
          nodes: [value(0), value(0)],
          samples: value(0),
          timeDeltas: value(0),
          startTime: value(3),
          endTime: value(3),
        }
        : {
          shared: { frames: [value(0), { name: value(2) }] },
          profiles: [value(0), { type: "evented", events: [value(0)] }],
        };
      yield TEXT.encode(JSON.stringify(whole));
    }
  }());
});

Deno.test("what was given is a path or bytes, or refused, whatever it is", () => {
  const random = new Random(43);
  const pieces = [
    "/",
    ".",
    "a",
    "=",
    "H4sI",
    "{",
    "\n",
    ";",
    " 1",
    "é",
    "\0",
    "data:",
    ";base64,",
    "+",
    "A".repeat(50),
  ];
  for (let round = 0; round < 2000; round++) {
    const text = random.text(9, pieces) || "x";
    try {
      const given = givenAs("profiling_data", text);
      assert(given.kind === "path" ? given.path === text : given.bytes instanceof Uint8Array);
    } catch (error) {
      assert(error instanceof ToolError && error.code === "INVALID_ARGUMENTS");
    }
  }
});
