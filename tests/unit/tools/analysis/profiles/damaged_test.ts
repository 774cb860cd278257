import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type ErrorCode, ToolError } from "../../../../../src/core/errors.ts";
import { FrameTable } from "../../../../../src/tools/analysis/profiles/model.ts";
import { CallTree } from "../../../../../src/tools/analysis/profiles/call_tree.ts";
import { MOST_BYTES } from "../../../../../src/tools/analysis/profiles/open_profile.ts";
import { read, recorded } from "./_read.ts";
import { field, marshal, pprof } from "./_written.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part),
  );
const node = (id: unknown, children: readonly unknown[] = []) => ({
  id,
  callFrame: { functionName: `f${id}` },
  children,
});
const v8 = (...nodes: readonly unknown[]) =>
  JSON.stringify({ nodes, samples: [1], timeDeltas: [1] });
const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

interface Case {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly code?: ErrorCode;
  /** What the message must say. */
  readonly says: string;
}

const CASES: readonly Case[] = [
  { name: "nothing", data: "", says: "it is empty" },
  { name: "prose", data: "Dear reader,\nthis is no profile.\n", says: 'begins "Dear reader' },
  { name: "random bytes", data: bytes([0x9d, 0, 1, 2, 3]), says: "it is binary" },
  { name: "perf.data itself", data: bytes("PERFILE2", [0, 1]), says: "perf script -i" },
  { name: "a flight recording", data: bytes("FLR", [0, 0, 2]), says: "Java" },
  { name: "another JSON", data: '{"a": 1}', says: "without the members" },
  { name: "a trace", data: '{"traceEvents": []}', says: "in the place of a trace" },
  { name: "JSON that is cut off", data: '{"nodes": [', says: "is cut off" },
  {
    name: "100,000 brackets in JSON",
    data: `{"nodes":${deep(100_000)},"samples":[]}`,
    says: "has no number",
  },
  {
    name: "a million brackets in JSON",
    data: `{"nodes":${deep(1_000_000)}}`,
    code: "RESOURCE_LIMIT",
    says: "1000000 objects and lists",
  },
  { name: "a node below itself", data: v8(node(1, [1])), says: "below themselves" },
  {
    name: "a circle of nodes",
    data: v8(node(1), node(2, [3]), node(3, [4]), node(4, [2])),
    says: "below themselves",
  },
  {
    name: "a node with two parents",
    data: v8(node(1, [3]), node(2, [3]), node(3)),
    says: "two parents",
  },
  {
    name: "two nodes of one number",
    data: v8(node(1), node(1)),
    says: "two nodes with the number 1",
  },
  { name: "nodes without numbers", data: v8(null), says: "its node 0 has no number" },
  { name: "a child that is not there", data: v8(node(1, [9])), says: "a child that is not there" },
  {
    name: "no samples and no hits",
    data: '{"nodes": [], "samples": []}',
    says: "holds no samples",
  },
  {
    name: "a speedscope file of nothing",
    data: '{"shared": {"frames": []}, "profiles": []}',
    says: "no profile",
  },
  { name: "perf script without a sample", data: "\n\t12 f (/x)\n", says: "begins" },
  { name: "collapsed stacks of semicolons alone", data: ";;; 1\n", says: "no line has a stack" },
  { name: "pprof without samples", data: bytes(field(1, field(1, 1))), says: "holds no samples" },
  {
    name: "pprof that is cut off",
    data: pprof([{ frames: ["a"], weight: 1 }]).subarray(0, 20),
    says: "damaged or cut off",
  },
  {
    name: "pprof that is cut off between two fields",
    data: bytes(field(1, field(1, 1)), field(2, [...field(1, [1]), ...field(2, [1])])),
    says: "has no names",
  },
  {
    name: "pprof of a million names",
    data: bytes(
      field(1, field(1, 1)),
      Array.from({ length: 2_000_006 }, (_, at) => at % 2 === 0 ? 0x32 : 0),
    ),
    code: "RESOURCE_LIMIT",
    says: "names and places",
  },
  { name: "an empty table of cProfile", data: bytes("{0"), says: "holds no function" },
  {
    name: "a table that is cut off",
    data: recorded("demo.pstats").subarray(0, 400),
    says: "cut off",
  },
  {
    name: "a tuple of two thousand million",
    data: bytes("{(", [0xff, 0xff, 0xff, 0x7f]),
    says: "cut off",
  },
  {
    name: "tuples in tuples",
    data: bytes("{", [...Array(200_000)].flatMap(() => [0x29, 1])),
    says: "16 deep",
  },
  {
    name: "code in the table",
    data: bytes("{", marshal(["a.py", 1, "f"]), "c"),
    says: "kind 0x63",
  },
  { name: "an object of Python's in the table", data: bytes("{)", [1], "S"), says: "kind 0x53" },
  {
    name: "a reference to what is not there",
    data: bytes("{)", [1], "r", [9, 0, 0, 0]),
    says: "refers to",
  },
  {
    name: "a tuple that holds itself",
    data: bytes("{", [0x29 | 0x80, 1], "r", [0, 0, 0, 0]),
    says: "refers to",
  },
  {
    name: "two million empty tuples",
    data: bytes("{", Array.from({ length: 4_000_010 }, (_, at) => at % 2 === 0 ? 0x29 : 0)),
    says: "over 2000000 values",
  },
];

for (const { name, data, code = "UNKNOWN_PROFILE", says } of CASES) {
  Deno.test(`${name}: ${code}`, () => {
    const error = assertThrows(() => read(data), ToolError);
    assertEquals(error.code, code, error.message);
    assertStringIncludes(error.message, says);
    assert(error.message.length < 400);
  });
}

Deno.test("a table takes as many functions as it may, and no more", () => {
  const table = new FrameTable(1000);
  for (let line = 1; line <= 1000; line++) table.index("f", "a.ts", line);
  for (let line = 1; line <= 1000; line++) assertEquals(table.index("f", "a.ts", line), line - 1);
  assertEquals(assertThrows(() => table.index("g"), ToolError).code, "RESOURCE_LIMIT");
});

Deno.test("a tree takes as many paths as it may, and no more", () => {
  const tree = new CallTree(1000);
  for (let frame = 0; frame < 1000; frame++) tree.child(0, frame);
  for (let frame = 0; frame < 1000; frame++) assertEquals(tree.child(0, frame), frame + 1);
  assertEquals(assertThrows(() => tree.child(0, 1000), ToolError).code, "RESOURCE_LIMIT");
});

const open = (packed: Uint8Array): ToolError => assertThrows(() => read(packed), ToolError);

Deno.test("gzip that is cut off, damaged, or followed by something", () => {
  const whole = new Uint8Array(gzipSync("main;work 3\n".repeat(50)));
  for (let length = 3; length < whole.length; length++) {
    assertEquals(open(whole.subarray(0, length)).code, "UNKNOWN_PROFILE");
  }
  for (const place of [12, whole.length - 6, whole.length - 1]) {
    const damaged = whole.slice();
    damaged[place] = (damaged[place] ?? 0) ^ 0x55;
    assertEquals(open(damaged).code, "UNKNOWN_PROFILE");
  }
  assertEquals(open(bytes([...whole], "tail")).code, "UNKNOWN_PROFILE");
});

Deno.test("a bomb is never unpacked whole", () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(MOST_BYTES + 1)));
  assert(bomb.length < 50_000);
  assertEquals(open(bomb).code, "RESOURCE_LIMIT");
  // What a bomb unpacks to is not unpacked again.
  assertEquals(open(new Uint8Array(gzipSync(bomb))).code, "UNKNOWN_PROFILE");
});
