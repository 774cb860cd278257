import { assertEquals, assertStringIncludes } from "@std/assert";
import { stringify } from "@std/yaml";
import { layOut } from "../../../src/config/layout.ts";
import { keyIn } from "../../../src/config/key_position.ts";

Deno.test("lineOf() finds keys and entries, however they are written", async (t) => {
  const cases: readonly [name: string, yaml: string, lines: Record<string, number>][] = [
    ["nested keys", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n", { "a.b.c": 3, "a.d": 4, e: 5 }],
    ["entries indented", "a:\n  - x\n  - y\nb: 1\n", { "a[0]": 2, "a[1]": 3, b: 4 }],
    ["entries in the column of their key", "a:\n- x\n- y\nb: 1\n", { "a[1]": 3, b: 4 }],
    ["keys behind a dash", "a:\n  - b: 1\n    c: 2\n  - b: 3\n", {
      "a[0].b": 2,
      "a[0].c": 3,
      "a[1].b": 4,
    }],
    ["lists in lists", "a:\n  - - x\n    - y\n  - - z\n", { "a[0][1]": 3, "a[1][0]": 4 }],
    ["what lies in brackets is where they start", "a:\n  - { b: [1,\n      2], c: 3 }\n  - d\n", {
      "a[0].c": 2,
      "a[0].b[1]": 2,
      "a[1]": 4,
    }],
    ["quoted keys", "\"a b\":\n  '*': 1\n  x-y: 2\n", { '["a b"]["*"]': 2, '["a b"].x-y': 3 }],
    ["comments and blank lines", "# a: 1\n\na: # b: 2\n  # c: 3\n\n  d: 4\n", { a: 3, "a.d": 6 }],
    ["block scalars", "a: |\n  b: 1\n\n  c: 2\nd:\n  - >-\n    e: 3\n  - f\n", {
      a: 1,
      d: 5,
      "d[0]": 6,
      "d[1]": 8,
    }],
    ["quoted texts over lines", "a: 'x\n  b: it''s\n  y'\nc: \"d: \\\"\n  e: 1\"\nf: 1\n", {
      a: 1,
      c: 4,
      f: 6,
    }],
    ["quotes inside words", "a: it's\nb: [it's, 'x: {']\nc: 1\n", { b: 2, c: 3 }],
    ["brackets inside words and comments", "a: x[{\nb: [1, # ]\n  2]\nc: 1\n", { b: 2, c: 4 }],
    ["anchors and tags", "a: &x !!map\n  b: &y 1\n&z c: 2\n", { "a.b": 2, c: 3 }],
    ["colons inside words", "a:b: 1\nc: d:e\n", { '["a:b"]': 1, c: 2 }],
    ["CRLF and a byte order mark", "\uFEFFa: 1\r\nb: 2\r\n", { a: 1, b: 2 }],
    ["what is below an unknown key", "a:\n  b: 1\n", { "a.zz[3].y": 1, "a.b.c": 2 }],
  ];
  for (const [name, yaml, lines] of cases) {
    await t.step(name, () => {
      const layout = layOut(yaml);
      assertEquals(
        Object.fromEntries(Object.keys(lines).map((key) => [key, layout.lineOf(key)])),
        lines,
      );
    });
  }
  assertEquals(layOut("a: 1\n").lineOf("b"), undefined);
});

Deno.test("keyOf() answers the key that a line belongs to", () => {
  const layout = layOut("# x\na:\n  b: 1\n\n  c: [1,\n   2]\n");
  assertEquals([1, 2, 3, 4, 5, 6, 9].map(layout.keyOf), [
    "",
    "a",
    "a.b",
    "a.b",
    "a.c",
    "a.c",
    "a.c",
  ]);
});

Deno.test("tabs: those that indent, and no others", async (t) => {
  const cases: readonly [yaml: string, tabs: number[]][] = [
    ["\ta: 1", [1]],
    ["a:\n \tb: 1\n\tc: 2", [2, 3]],
    ["a:\n  - \tb", []],
    ["a:\n  -\tb: 1", [2]],
    ["a:\n  -\t- b", [2]],
    ["a:\tb\t# c", []],
    ["\t\n\t# a\n  \t", []],
    ["a: |\n  \tx\n \t\n  y\n\tb: 1", [5]],
    ["a:\n  b: >\n   x\n   \ty\n\t- c", [5]],
    ["a: 'x\n\ty'\nb: \"\n\t\"", []],
    ['a: [x,\n\ty,\n  "\n\tz"]', [2]],
    ["a: 'it''s\n\tb'\n\tc: 1", [3]],
  ];
  for (const [yaml, tabs] of cases) {
    await t.step(JSON.stringify(yaml), () => assertEquals(layOut(yaml).tabs, tabs));
  }
});

Deno.test("lineOf() agrees with what a YAML writer writes", () => {
  const value = {
    version: 1,
    paths: [
      { allow: ["read-1", "write-2"], match: ["glob-3", "it's: # 4"] },
      { deny: ["read-5"], match: ["[glob]-6"], reason: "a longer reason\nwith: lines\n- 7\n" },
    ],
    agents: { "*": { permissions: ["none-8"] }, "child-*": { tokens: 9009 } },
    environment: { set: { A: "' \" 10", B: "{11" } },
    nested: [[["x-12"], ["y-13"]], "z-14"],
  };
  const yaml = stringify(value, { lineWidth: -1 });
  const lines = yaml.split("\n");
  const layout = layOut(yaml);
  const check = (key: string, entry: unknown): void => {
    if (Array.isArray(entry)) return entry.forEach((each, at) => check(`${key}[${at}]`, each));
    if (typeof entry === "object" && entry !== null) {
      return Object.entries(entry).forEach(([name, each]) => check(keyIn(key, name), each));
    }
    const line = lines[(layout.lineOf(key) ?? 0) - 1] ?? "";
    const mark = /[0-9]+(?=\n?$)/.exec(String(entry))?.[0] ?? "?";
    // A text of several lines starts behind its key and goes on below.
    assertStringIncludes(String(entry).includes("\n") ? `${line}${mark}` : line, mark, key);
  };
  check("", value);
  assertEquals(layout.lineOf("paths[1].reason"), lines.findIndex((l) => l.includes("reason:")) + 1);
});

Deno.test("layOut() takes a line of a hundred thousand texts", () => {
  const { lineOf } = layOut(`a: [${'"x", '.repeat(100_000)}]\nb: 1\n`);
  assertEquals(lineOf("b"), 2);
});
