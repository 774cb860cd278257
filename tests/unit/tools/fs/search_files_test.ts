import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Capability } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import searchFiles from "../../../../src/tools/fs/search_files.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";

const FILES: Readonly<Record<string, Node>> = {
  "README.md": "Hello world\nsecond hello\n",
  "src/a.ts": "const hello = 1;\r\nexport { hello };\r\n",
  "src/größe.txt": "🦕🦕 hello\n",
  "src/deep/b.ts": "nothing\n",
  ".hidden/c.txt": "hello\n",
  ".env": "hello\n",
  ".git/config": "hello\n",
  "node_modules/x/index.js": "hello\n",
  "src/node_modules/y.js": "hello\n",
  "binary": Uint8Array.of(0x68, 0, 0x65),
  "secret.txt": "<denied>",
  "latin1.txt": Uint8Array.of(0xf6, 0x20, ...new TextEncoder().encode("hello")),
  "link": { target: "README.md" },
};

type Match = { file: string; line: number; column: number; content: string };
const matchesOf = (output: Record<string, unknown>) => output.matches as readonly Match[];
const places = (output: Record<string, unknown>) =>
  matchesOf(output).map(({ file, line, column }) => `${file}:${line}:${column}`);
const run = (args: Record<string, unknown>, files = FILES, limits = {}) =>
  call(searchFiles, args, createMemory({ files, limits }));

Deno.test("search_files finds lines by expression or text", async () => {
  const cases: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ pattern: "hello" }, [
      "README.md:2:8",
      "latin1.txt:1:3",
      "src/a.ts:1:7",
      "src/a.ts:2:10",
      "src/größe.txt:1:4",
    ]],
    [{ pattern: "Hello", case_sensitive: false, path: "README.md" }, [
      "README.md:1:1",
      "README.md:2:8",
    ]],
    [{ pattern: "^h", case_sensitive: false, file_pattern: "*.md" }, ["README.md:1:1"]],
    [{ pattern: "};?$", path: "src" }, ["src/a.ts:2:16"]],
    [{ pattern: "{ hello }", literal: true }, ["src/a.ts:2:8"]],
    [{ pattern: "{ HELLO }", literal: true, case_sensitive: false }, ["src/a.ts:2:8"]],
    [{ pattern: "h.llo", literal: true }, []],
    [{ pattern: "hello", file_pattern: "*.{ts,md}" }, [
      "README.md:2:8",
      "src/a.ts:1:7",
      "src/a.ts:2:10",
    ]],
    [{ pattern: "hello", file_pattern: "src/*.ts" }, ["src/a.ts:1:7", "src/a.ts:2:10"]],
    [{ pattern: "hello", path: "src", file_pattern: "src/*.ts" }, [
      "src/a.ts:1:7",
      "src/a.ts:2:10",
    ]],
    [{ pattern: "nothing", path: "src", file_pattern: "deep/*" }, ["src/deep/b.ts:1:1"]],
    [{ pattern: "hello", path: "./src/a.ts" }, ["src/a.ts:1:7", "src/a.ts:2:10"]],
    [{ pattern: "hello", path: "node_modules" }, ["node_modules/x/index.js:1:1"]],
    [{ pattern: "hello", path: ".hidden" }, [".hidden/c.txt:1:1"]],
    [{ pattern: "hello", hidden: true, file_pattern: ".*" }, [".env:1:1"]],
    [{ pattern: "hello", hidden: true, file_pattern: "c.txt" }, [".hidden/c.txt:1:1"]],
    [{ pattern: "absent" }, []],
  ];
  for (const [args, expected] of cases) {
    assertEquals(places(await run(args)), expected, JSON.stringify(args));
  }
});

Deno.test("search_files counts what it looked at and what it passed over", async () => {
  const output = await run({ pattern: "hello", max_results: 2 });
  assertEquals(places(output), ["README.md:2:8", "latin1.txt:1:3"]);
  assertEquals(
    [output.total_matches, output.files_searched, output.files_skipped, output.truncated],
    [5, 5, 2, true],
  );
  const capped = await run({ pattern: "hello", max_results: 99 }, FILES, { matches: 3 });
  assertEquals([matchesOf(capped).length, capped.truncated], [3, true]);
});

Deno.test("search_files finds files by glob alone", async () => {
  const output = await run({ file_pattern: "*.ts" });
  assertEquals(output.matches, [
    { file: "src/a.ts", line: 0, column: 0, content: "" },
    { file: "src/deep/b.ts", line: 0, column: 0, content: "" },
  ]);
  assertEquals([output.total_matches, output.truncated], [2, false]);
  assertEquals((await run({ file_pattern: "*", max_results: 1 })).truncated, true);
});

Deno.test("search_files shows the lines around a match", async () => {
  const files = { "a.txt": "1\r\n2\r\nx3\r\n4\r\nx5\n" };
  const output = await run({ pattern: "x", context: 2 }, files);
  assertEquals(output.matches, [
    { file: "a.txt", line: 3, column: 1, content: "x3", before: ["1", "2"], after: ["4", "x5"] },
    { file: "a.txt", line: 5, column: 1, content: "x5", before: ["x3", "4"], after: [] },
  ]);
  const edge = await run({ pattern: "1", context: 1 }, { "a.txt": "1\n\n" });
  assertEquals(edge.matches, [
    { file: "a.txt", line: 1, column: 1, content: "1", before: [], after: [""] },
  ]);
});

Deno.test("search_files cuts long lines around the match and not through a character", async () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ["x" + "a".repeat(600), 1, "x" + "a".repeat(499) + "…"],
    ["a".repeat(600) + "x", 601, "…" + "a".repeat(499) + "x"],
    [
      "a".repeat(1000) + "x" + "b".repeat(1000),
      1001,
      "…" + "a".repeat(100) + "x" + "b".repeat(399) + "…",
    ],
    ["🦕".repeat(300) + "x", 301, "…" + "🦕".repeat(250) + "x"],
  ];
  for (const [line, column, content] of cases) {
    const [match] = matchesOf(await run({ pattern: "x" }, { "a.txt": line }, { read: 1e6 }));
    assertEquals([match?.column, match?.content], [column, content]);
    assertEquals(match?.content.isWellFormed(), true);
  }
});

Deno.test("search_files passes over what .gitignore names, as git does", async () => {
  const files: Readonly<Record<string, Node>> = {
    ".gitignore": "*.log\n/dist/\n!keep.log\nsub/only.txt\n",
    "a.log": "hit",
    "keep.log": "hit",
    "A.LOG": "hit",
    "dist/out.txt": "hit",
    "src/dist/out.txt": "hit",
    "src/b.log": "hit",
    "src/.gitignore": "!b.log\nlocal.txt\n# comment\n",
    "src/local.txt": "hit",
    "local.txt": "hit",
    "sub/only.txt": "hit",
    "other/sub/only.txt": "hit",
  };
  const found = async (args: Record<string, unknown>) =>
    matchesOf(await run({ pattern: "hit", ...args }, files)).map(({ file }) => file);
  assertEquals(await found({}), [
    "A.LOG",
    "keep.log",
    "local.txt",
    "other/sub/only.txt",
    "src/b.log",
    "src/dist/out.txt",
  ]);
  // The rules of the directories above the start hold, too; an ignored start was meant.
  assertEquals(await found({ path: "sub" }), []);
  assertEquals(await found({ path: "dist" }), ["dist/out.txt"]);
});

Deno.test("a .gitignore that may not be read or is odd names nothing", async () => {
  for (
    const rules of ["<denied>", "<directory>", { target: "x" }, Uint8Array.of(0xff, 0xfe)] as const
  ) {
    const output = await run({ pattern: "hit" }, { ".gitignore": rules, "a.txt": "hit" });
    assertEquals(places(output), ["a.txt:1:1"]);
  }
});

Deno.test("search_files refuses with code and reason", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{ pattern: "(" }, "INVALID_PATTERN", "Unterminated group"],
    [{ pattern: "(" }, "INVALID_PATTERN", "literal: true"],
    [{ pattern: "[z-a]" }, "INVALID_PATTERN", "Range out of order"],
    [{ pattern: "x", file_pattern: "[" }, "INVALID_PATTERN", "file_pattern"],
    [{}, "INVALID_ARGUMENTS", "pattern: missing"],
    [{ pattern: "x", context: 51 }, "INVALID_ARGUMENTS", "from 0 to 50"],
    [{ pattern: "x", path: "gone" }, "FILE_NOT_FOUND", "gone"],
  ];
  for (const [args, code, part] of cases) {
    const error = await failure(() => run(args));
    assertEquals(error.code, code, JSON.stringify(args));
    assertStringIncludes(error.message, part);
  }
});

Deno.test("search_files ends when the call is to end", async () => {
  let left = 5;
  const checkpoint = () => {
    if (left-- === 0) throw new ToolError("CANCELLED", "cancelled");
  };
  const files = { "a.txt": "a\n".repeat(10_000) };
  const memory = createMemory({ files, checkpoint, limits: { read: 1e6 } });
  const error = await failure(() => call(searchFiles, { pattern: "x" }, memory));
  assertEquals(error.code, "CANCELLED");
});

Deno.test("search_files needs the tree; rules above it are welcome but not needed", async () => {
  const input = {
    pattern: "x",
    literal: false,
    case_sensitive: true,
    context: 0,
    hidden: false,
  };
  const tree = (path: string): Capability => ({ kind: "fs.read", path, tree: true });
  const rules = (path: string): Capability => ({
    kind: "fs.read",
    path,
    tree: false,
    optional: true,
  });
  const needs = (path: string) => searchFiles.capabilities({ ...input, path }, { cwd: "." });
  assertEquals(await needs("."), [tree(".")]);
  assertEquals(await needs("./a/b"), [tree("./a/b"), rules(".gitignore"), rules("a/.gitignore")]);
  assertEquals(await needs("../a"), [tree("../a")]);
  assertEquals(await needs("/etc"), [tree("/etc")]);
  assertEquals(searchFiles.describe({ ...input, path: "a" }), "Search files: x in a");
  assertEquals(
    searchFiles.describe({ ...input, pattern: "", file_pattern: "*.ts", path: "a" }),
    "Find files: *.ts in a",
  );
});
