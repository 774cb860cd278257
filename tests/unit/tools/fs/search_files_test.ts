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

Deno.test("ignore files speak in ripgrep's order, and each for its own directory", async () => {
  const cases: readonly (readonly [string, Readonly<Record<string, Node>>, readonly string[]])[] = [
    [".ignore before .gitignore", { ".gitignore": "!a\nb", ".ignore": "a\n!b", a: "", b: "" }, [
      "b",
    ]],
    [".rgignore before .ignore", { ".ignore": "a", ".rgignore": "!a", a: "" }, ["a"]],
    [
      "outer .ignore before inner .gitignore",
      { ".ignore": "a", "d/.gitignore": "!a", "d/a": "" },
      [],
    ],
    ["the inner before the outer", { ".gitignore": "a", "d/.gitignore": "!a", "d/a": "", a: "" }, [
      "d/a",
    ]],
    ["nothing comes back below", { ".gitignore": "d/\n!d/a", "d/.gitignore": "!a", "d/a": "" }, []],
    ["what Git keeps to one clone", { ".git/info/exclude": "a\n!b", a: "", b: "" }, ["b"]],
    ["a .gitignore before that", { ".git/info/exclude": "a", ".gitignore": "!a", a: "" }, ["a"]],
    ["a repository begins anew", {
      ".gitignore": "a\nb",
      ".ignore": "c",
      "sub/.git/HEAD": "",
      "sub/.git/info/exclude": "b",
      "sub/a": "",
      "sub/b": "",
      "sub/c": "",
    }, ["sub/a"]],
    ["a rule shows what is hidden", { ".ignore": "!.github\n!.env", ".github/a": "", ".env": "" }, [
      ".env",
      ".github/a",
    ]],
    ["but neither .git nor node_modules", {
      ".ignore": "!.git\n!node_modules",
      ".git/a": "",
      "node_modules/b": "",
    }, []],
    ["paths of a rule begin at its file", {
      "d/.gitignore": "/a\ne/b",
      "d/a": "",
      "d/e/b": "",
      "d/f/a": "",
    }, [
      "d/f/a",
    ]],
  ];
  for (const [what, files, expected] of cases) {
    const filled = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, text === "" ? "hit" : text]),
    );
    const found = (output: Record<string, unknown>) => matchesOf(output).map(({ file }) => file);
    assertEquals(found(await run({ pattern: "^hit$" }, filled)), expected, what);
    assertEquals(
      found(await run({ file_pattern: "[a-z.]*" }, filled)).filter((path) => files[path] === ""),
      expected,
      what,
    );
  }
});

Deno.test("the rules above the start hold, in whatever words it is named", async () => {
  const files = {
    ".ignore": "/d/x\n*.log",
    "d/.gitignore": "y",
    "d/e/x": "hit",
    "d/x/a": "hit",
    "d/e/y": "hit",
    "d/e/z.log": "hit",
  };
  for (const path of ["d/e", "./d//e/", "d/./e"]) {
    assertEquals(places(await run({ pattern: "hit", path }, files)), ["d/e/x:1:1"], path);
  }
  assertEquals(places(await run({ pattern: "hit", path: "d/x" }, files)), ["d/x/a:1:1"]);
  // A file that is named is searched.
  assertEquals(places(await run({ pattern: "hit", path: "d/e/z.log" }, files)), ["d/e/z.log:1:1"]);
});

Deno.test("search_files reads UTF-8 and UTF-16, and what is neither as far as it goes", async () => {
  const utf16 = (text: string, little: boolean) => {
    const bytes = [...text].flatMap((character) => {
      const code = character.charCodeAt(0);
      return little ? [code & 255, code >> 8] : [code >> 8, code & 255];
    });
    return Uint8Array.of(...(little ? [0xff, 0xfe] : [0xfe, 0xff]), ...bytes);
  };
  const bytes = (text: string) => new TextEncoder().encode(text);
  const files: Readonly<Record<string, Node>> = {
    "a": bytes("\ufeffgröße x\n"),
    "b": utf16("one\ngröße x\n", true),
    "c": utf16("größe x", false),
    "d": Uint8Array.of(0xff, 0x80, ...bytes("größe x\r\n")),
    "e": bytes(`${"-".repeat(8192)}\ngröße x\n\0größe y\n`),
    "f": bytes(`${"-".repeat(8191)}\0größe x\n`),
    "g": Uint8Array.of(0xff),
  };
  const output = await run({ pattern: "größe\\b.*$" }, files, { read: 1e6 });
  const expected = ["a:1:1", "b:2:1", "c:1:1", "d:1:3", "e:2:1"];
  assertEquals(places(output), expected);
  assertEquals([output.files_searched, output.files_skipped], [6, 1]);
  assertEquals(matchesOf(output)[3]?.content, "\ufffd\ufffdgröße x");
  assertEquals(
    places(await run({ pattern: "GRÖSSE|GRÖßE", case_sensitive: false }, files, { read: 1e6 })),
    expected,
  );
  assertEquals(places(await run({ pattern: "\\ufffd" }, files)), ["d:1:1", "g:1:1"]);
  assertEquals(places(await run({ pattern: "^\\ufeff" }, files)), []);
});

Deno.test("search_files says what to look at where it found nothing", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string | null])[] = [
    [{ pattern: "hello" }, null],
    [{ pattern: "absent" }, null],
    [{ pattern: "absent\\|hello" }, "\\| is a plain | here"],
    [{ pattern: "absent\\|hello", literal: true }, null],
    [{ pattern: "hello", file_pattern: "*.nope" }, "no file that file_pattern matches"],
    [{ pattern: "hello", file_pattern: ".env" }, "hidden: true"],
  ];
  for (const [args, note] of cases) {
    const output = await run(args);
    assertStringIncludes(String(output.note ?? "nothing"), note ?? "nothing", JSON.stringify(args));
  }
});

Deno.test("one answer shows so much and no more, and counts all the same", async () => {
  const line = "x".repeat(600);
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`${1000 + index}.txt`, `${line}\n`.repeat(9)]),
  );
  const output = await run({ pattern: "x", context: 4, max_results: 10_000 }, files, {
    read: 1e6,
    matches: 10_000,
  });
  assertEquals([output.total_matches, output.truncated], [3600, true]);
  const { length } = JSON.stringify(output);
  assertEquals(length > 256 * 1024 && length < 300 * 1024, true, String(length));
});

Deno.test("a glob that begins with an exclamation mark takes all others", async () => {
  assertEquals(places(await run({ pattern: "hello", file_pattern: "!*.ts" })), [
    "README.md:2:8",
    "latin1.txt:1:3",
    "src/größe.txt:1:4",
  ]);
  assertEquals(places(await run({ pattern: "hello", file_pattern: "!src/**" })), [
    "README.md:2:8",
    "latin1.txt:1:3",
  ]);
});

Deno.test("search_files refuses with code and reason", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{ pattern: "(" }, "INVALID_PATTERN", "Unterminated group"],
    [{ pattern: "(" }, "INVALID_PATTERN", "literal: true"],
    [{ pattern: "[z-a]" }, "INVALID_PATTERN", "Range out of order"],
    [{ pattern: "(?:(?:(?:a?){500}){500}){50}$" }, "INVALID_PATTERN", "fewer repetitions"],
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
  const many = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`d/${index}.txt`, "a\n"]),
  );
  const cases: readonly (readonly [Record<string, unknown>, Readonly<Record<string, Node>>])[] = [
    // In the lines of one file, between files, between names that are passed over.
    [{ pattern: "\\d" }, { "a.txt": "a\n".repeat(10_000) }],
    [{ pattern: "x" }, many],
    [{ pattern: "x", file_pattern: "*.ts" }, many],
    [{ file_pattern: "*.txt" }, many],
  ];
  for (const [args, files] of cases) {
    let left = 2;
    const checkpoint = () => {
      if (left-- === 0) throw new ToolError("CANCELLED", "cancelled");
    };
    const memory = createMemory({ files, checkpoint });
    const error = await failure(() => call(searchFiles, args, memory));
    assertEquals(error.code, "CANCELLED", JSON.stringify(args));
  }
});

Deno.test("search_files that runs out of time says what it had found", async () => {
  let left = 1;
  const checkpoint = () => {
    if (left-- === 0) throw new ToolError("TIMEOUT", "too long");
  };
  const files = { "a.txt": "needle\n", "b.txt": "a\n".repeat(200_000), "c.txt": "needle\n" };
  const memory = createMemory({ files, checkpoint });
  const error = await failure(() => call(searchFiles, { pattern: "needle|x\\d" }, memory));
  const output = error.output as { readonly matches: readonly { readonly file: string }[] };
  assertEquals(error.code, "TIMEOUT");
  assertEquals(output.matches.map(({ file }) => file), ["a.txt"]);
  assertEquals((error.output as { readonly truncated: boolean }).truncated, true);
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
  const rules = (directory: string): readonly Capability[] =>
    [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"].map((name) => ({
      kind: "fs.read",
      path: `${directory}${name}`,
      tree: false,
      optional: true,
    }));
  const needs = (path: string) => searchFiles.capabilities({ ...input, path }, { cwd: "." });
  assertEquals(await needs("."), [tree(".")]);
  assertEquals(await needs("./a/b"), [tree("./a/b"), ...rules(""), ...rules("a/")]);
  assertEquals(await needs("../a"), [tree("../a")]);
  assertEquals(await needs("/etc/x"), [tree("/etc/x"), ...rules("/"), ...rules("/etc/")]);
  assertEquals(searchFiles.describe({ ...input, path: "a" }), "Search files: x in a");
  assertEquals(
    searchFiles.describe({ ...input, pattern: "", file_pattern: "*.ts", path: "a" }),
    "Find files: *.ts in a",
  );
});
