import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { sha256 } from "../../../../src/core/sha256.ts";
import editFile from "../../../../src/tools/fs/edit_file.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) =>
  Uint8Array.from(
    text.split("").flatMap((unit) => {
      const code = unit.charCodeAt(0);
      return [code & 0xff, code >> 8];
    }),
  );
/** One edit. */
const one = (old: string, now: string, all = false) => ({
  edits: [{ old, new: now, replace_all: all }],
});

function edit(file: Node, args: Record<string, unknown>, path = "a.txt") {
  const memory = createMemory({ files: { [path]: file } });
  const all = { path, create_backup: false, ...args };
  return {
    memory,
    run: () => call(editFile, all, memory),
    preview: () => call(editFile, all, memory, { preview: true }),
  };
}

const CHANGES: readonly (readonly [string, Node, Record<string, unknown>, string | Uint8Array])[] =
  [
    ["one place", "a\nb\nc\n", one("b", "B"), "a\nB\nc\n"],
    ["at the beginning", "abc", one("a", ""), "bc"],
    ["at the end, without a line end", "abc", one("c", "d"), "abd"],
    ["all of it", "abc", one("abc", ""), ""],
    ["all places", "a.a.a", one("a", "aa", true), "aa.aa.aa"],
    ["no overlap", "aaaaa", one("aa", "b", true), "bba"],
    ["no pattern", "a.c abc", one("a.c", "$& $1"), "$& $1 abc"],
    ["in order", "a", {
      edits: [{ old: "a", new: "bb" }, { old: "bb", new: "c" }, { old: "c", new: "a1" }],
    }, "a1"],
    ["a place that an edit before it made the only one", "x x", {
      edits: [{ old: "x x", new: "y x" }, { old: "x", new: "z" }],
    }, "y z"],
    ["whole content", "old\n", { content: "new" }, "new"],
    ["whole content, none", "old\n", { content: "" }, ""],

    ["\\n finds \\r\\n", "a\r\nb\r\nc\r\n", one("a\nb\n", "A\nB\n"), "A\r\nB\r\nc\r\n"],
    ["new lines end as those around", "a\r\nb\r\n", one("b", "x\ny"), "a\r\nx\r\ny\r\n"],
    ["… behind the last line end", "a\r\nb", one("b", "x\ny"), "a\r\nx\r\ny"],
    [
      "… in a file that has both, as at that place",
      "a\nb\r\nc\n",
      one("b", "x\ny"),
      "a\nx\r\ny\r\nc\n",
    ],
    [
      "untouched lines keep theirs",
      "a\r\nb\nc\r\n",
      one("a\nb\nc\n", "a\nB\nc\n"),
      "a\r\nB\nc\r\n",
    ],
    ["a line taken out", "a\r\nb\nc\r\n", one("a\nb\nc\n", "a\nc\n"), "a\r\nc\r\n"],
    ["\\r\\n finds \\n", "a\nb\n", one("a\r\nb", "A\r\nB"), "A\nB\n"],
    ["\\r\\n as it is", "a\r\nb\nc", one("\r\n", "\n"), "a\nb\nc"],
    ["from \\r\\n to \\n", "a\r\nb\r\n", one("\r\n", "\n", true), "a\nb\n"],
    ["from \\n to \\r\\n", "a\nb\n", one("\n", "\r\n", true), "a\r\nb\r\n"],
    ["a lone \\r is a character", "a\rb\r\nc", one("\r", "x", true), "axbx\nc"],
    ["\\r in new is meant", "a\r\nb", one("b", "x\ry\n"), "a\r\nx\ry\n"],
    ["an empty line", "a\r\n\r\nb\r\n", one("a\n\n", "a\n"), "a\r\nb\r\n"],
    ["content in a file of \\r\\n", "a\r\nb\r\n", { content: "x\ny\nz\n" }, "x\r\ny\r\nz\r\n"],
    ["content in a file of both", "a\r\nb\nc\r\n", { content: "a\nb\nnew\n" }, "a\r\nb\nnew\r\n"],
    ["content that says \\r\\n", "a\nb\n", { content: "x\r\ny\n" }, "x\r\ny\n"],

    ["a byte order mark stays", "\ufeffabc", one("a", "x"), "\ufeffxbc"],
    ["… with whole content", "\ufeffabc", { content: "x" }, "\ufeffx"],
    ["… once", "\ufeffabc", { content: "\ufeffx" }, "\ufeffx"],
    ["UTF-16", utf16("\ufeffa\r\né\r\n"), one("a\né", "ü\n🦕"), utf16("\ufeffü\r\n🦕\r\n")],
    ["UTF-16, whole", utf16("\ufeffab"), { content: "é" }, utf16("\ufeffé")],
    ["UTF-16 without a mark", utf16("ab"), { ...one("b", "é"), encoding: "utf-16le" }, utf16("aé")],
    [
      "half a surrogate pair elsewhere",
      Uint8Array.from([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00]),
      one("a", "b"),
      Uint8Array.from([0xff, 0xfe, 0x00, 0xd8, 0x62, 0x00]),
    ],
    [
      "latin1",
      Uint8Array.from([0xe9, 0x61]),
      { ...one("éa", "àb"), encoding: "latin1" },
      Uint8Array.from([0xe0, 0x62]),
    ],
    [
      "bytes that are no text elsewhere",
      Uint8Array.from([0xff, 0x61, 0xe9, 0x0a, 0xc3]),
      one("a", "é"),
      Uint8Array.from([0xff, 0xc3, 0xa9, 0xe9, 0x0a, 0xc3]),
    ],
    ["characters of several bytes", "größe 🦕 größe", one("🦕 g", "🦖 G"), "größe 🦖 Größe"],
  ];

Deno.test("edit_file changes what it was told and nothing else", async () => {
  for (const [name, file, args, expected] of CHANGES) {
    const { memory, run, preview } = edit(file, args);
    const shown = await preview();
    assertEquals(memory.nodes.get("a.txt"), file, name);
    const output = await run();
    const written = memory.nodes.get("a.txt");
    const bytes = typeof expected === "string" ? utf8(expected) : expected;
    assertEquals(written, bytes, name);
    assertEquals(output.sha256, sha256(bytes), name);
    assertEquals(output.bytes_written, bytes.length, name);
    assertEquals(output.backup_path, null);
    assertEquals(memory.usage, { bytes_written: bytes.length });
    assertEquals(shown, {
      path: "a.txt",
      change: "modified",
      exists: true,
      bytes: bytes.length,
      added_lines: output.added_lines,
      removed_lines: output.removed_lines,
      diff: output.diff,
      replacements: output.replacements,
    }, name);
  }
});

Deno.test("edit_file says what it did", async () => {
  const { run } = edit("one\ntwo\nthree\n", {
    edits: [{ old: "two", new: "2" }, { old: "e", new: "E", replace_all: true }],
  });
  assertEquals(await run(), {
    path: "a.txt",
    bytes_written: 12,
    backup_path: null,
    diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n-two\n-three\n+onE\n+2\n+thrEE\n",
    added_lines: 3,
    removed_lines: 3,
    replacements: 4,
    sha256: sha256(utf8("onE\n2\nthrEE\n")),
  });
});

Deno.test("where nothing would change, nothing is written", async () => {
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    ["a\nb\n", { content: "a\nb\n" }],
    ["a\r\nb\r\n", { content: "a\nb\n" }],
    ["a\r\nb\n", { content: "a\nb\n" }],
    ["\ufeffa", { content: "a" }],
    ["a b", { edits: [{ old: "a", new: "c" }, { old: "c", new: "a" }] }],
    ["a\r\n", { edits: [{ old: "a\n", new: "a\r\n" }] }],
  ];
  for (const [file, args] of cases) {
    // Memory cannot make backups: none may be asked for.
    const { memory, run, preview } = edit(file, { ...args, create_backup: true });
    const output = await run();
    assertEquals([output.diff, output.bytes_written, output.backup_path], ["", 0, null]);
    assertEquals(output.sha256, sha256(utf8(file)));
    assertEquals((await preview()).change, "unchanged");
    assertEquals([memory.nodes.get("a.txt"), memory.usage], [file, {}]);
  }
});

const REFUSED: readonly (readonly [Node, Record<string, unknown>, string, string])[] = [
  ["a", {}, "INVALID_ARGUMENTS", "edits: missing"],
  ["a", { content: "b", ...one("a", "b") }, "INVALID_ARGUMENTS", "content, edits: take one"],
  ["a", { edits: [] }, "INVALID_ARGUMENTS", "at least 1"],
  ["a", one("", "b"), "INVALID_ARGUMENTS", "empty"],
  ["a", one("a", "a"), "INVALID_ARGUMENTS", "edits[0].new: is the same as old"],
  ["a", { ...one("a", "b"), encoding: "utf-9" }, "INVALID_ARGUMENTS", "no known encoding"],
  ["a", { ...one("a", "b"), encoding: "base64" }, "INVALID_ARGUMENTS", "write_file"],
  ["a", { ...one("a", "b"), expected_sha256: "z".repeat(64) }, "INVALID_ARGUMENTS", "64 hex"],
  ["a", { ...one("a", "b"), expected_sha256: "0".repeat(64) }, "STALE_FILE", "a.txt has changed"],
  ["a", { ...one("a", "b"), path: "gone.txt" }, "FILE_NOT_FOUND", "create_file makes new files"],
  ["a", { ...one("a", "b"), path: "." }, "NOT_A_FILE", "no file"],
  ["<denied>", one("a", "b"), "PATH_DENIED", "a.txt"],
  [Uint8Array.of(97, 0), one("a", "b"), "BINARY_FILE", "2 bytes"],
  [Uint8Array.of(97, 0xff), { content: "b" }, "INVALID_ENCODING", "offset 1"],
  ["\ufeffa", { ...one("a", "b"), encoding: "latin1" }, "INVALID_ENCODING", "byte order mark"],
  ["a", one("a", "\ud800"), "INVALID_ENCODING", "edits[0].new holds half a surrogate pair"],
  ["a", one("\udc00", "b"), "INVALID_ENCODING", "edits[0].old holds half a surrogate pair"],
  ["a", { ...one("a", "日"), encoding: "latin1" }, "INVALID_ENCODING", 'edits[0].new: "日"'],
  ["x".repeat(5000), one("a", "b"), "FILE_TOO_LARGE", "5000 bytes"],
  ["aaaa", one("a", "b".repeat(2000), true), "FILE_TOO_LARGE", "a.txt would have 6000 bytes"],
  ["a", { content: "x".repeat(5000) }, "FILE_TOO_LARGE", "5000 bytes; the policy lets 4096"],
  ["a b a", one("a", "c"), "TEXT_NOT_UNIQUE", "2 times, on lines 1, 1; nothing was written"],
  ["aaa", one("aa", "b"), "TEXT_NOT_UNIQUE", "2 times"],
  ["a", one("b", "c"), "TEXT_NOT_FOUND", "edits[0].old is not in a.txt: nothing in the file"],
  ["a", { edits: [{ old: "a", new: "b" }, { old: "a", new: "c" }] }, "TEXT_NOT_FOUND", "any more"],
];

Deno.test("edit_file refuses with code and reason, in a preview too, and writes nothing", async () => {
  for (const [file, args, code, part] of REFUSED) {
    const { memory, run, preview } = edit(file, args);
    for (const act of [run, preview]) {
      const error = await failure(act);
      assertEquals(error.code, code, `${JSON.stringify(args)}: ${error.message}`);
      assertStringIncludes(error.message, part);
    }
    assertEquals(memory.nodes.get("a.txt"), file);
  }
});

Deno.test("edits are all made or none", async () => {
  const { memory, run } = edit("a b c", {
    edits: [{ old: "a", new: "x" }, { old: "nowhere", new: "y" }],
  });
  const error = await failure(run);
  assertEquals([error.code, error.details?.edit], ["TEXT_NOT_FOUND", 1]);
  assertEquals(memory.nodes.get("a.txt"), "a b c");
});

Deno.test("a text that is there several times is told with its lines", async () => {
  const { run } = edit("x\n".repeat(30), one("x", "y"));
  const error = await failure(run);
  const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  assertEquals(error.details, { edit: 0, lines, count: 30 });
  assertStringIncludes(error.message, "30 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …;");
  assertStringIncludes(error.message, "edits[0].replace_all: true");
});

const SOURCE = "import a;\r\n\r\nfunction one() {\r\n\treturn 1;\r\n}\r\n\r\nfunction two() {\r\n" +
  "\t// two\r\n\treturn 2;\r\n}\r\n";

Deno.test("a text that is not there is told with the closest passage and where it parts", async () => {
  const cases: readonly (readonly [string, number, number, Record<string, unknown>, string])[] = [
    [
      "function one() {\n    return 1;\n}",
      3,
      5,
      { line: 4, file: "\treturn 1;", old: "    return 1;" },
      "indentation: the file has 1 tab, old has 4 spaces",
    ],
    [
      "function two() {\n\treturn 2;\n}",
      7,
      10,
      { line: 8, file: "\t// two", old: "\treturn 2;" },
      "the file has a line there that old has not",
    ],
    [
      "function one() {\n\t// one\n\treturn 1;",
      3,
      4,
      { line: 4, file: "\treturn 1;", old: "\t// one" },
      "old has a line there that the file has not",
    ],
    [
      "Function two",
      7,
      7,
      { line: 7, file: "function two() {", old: "Function two" },
      'the file has "function two() {", old has "Function two"',
    ],
    [
      "\treturn 2;\n}\n\n",
      9,
      10,
      { line: 11, file: null, old: "" },
      "old has an empty line at its end",
    ],
  ];
  for (const [old, line, end_line, differs, how] of cases) {
    const error = await failure(edit(SOURCE, one(old, "zzz")).run);
    assertEquals(error.code, "TEXT_NOT_FOUND");
    const text = SOURCE.replaceAll("\r\n", "\n").split("\n").slice(line - 1, end_line).join("\n");
    assertEquals(
      error.details,
      { edit: 0, closest: { line, end_line, text, differs: { ...differs, how } } },
    );
    assertStringIncludes(error.message, how);
    assertStringIncludes(
      error.message,
      line === end_line ? `is line ${line};` : `lines ${line} to`,
    );
    // What is shown is what to send instead.
    const mended = await edit(SOURCE, one(text, "zzz")).run();
    assertEquals(mended.replacements, 1);
  }
});

Deno.test("an edit that was made before is told from one that never fitted", async () => {
  const error = await failure(
    edit("a\nreturn 2 + x;\n", one("return 1 + x;", "return 2 + x;")).run,
  );
  assertStringIncludes(error.message, "new is there already, at line 2");
  const open = await failure(edit("abc\n", one("abc\nx", "abc\ny")).run);
  assertStringIncludes(open.message, "the file ends where old has");
  const unended = await failure(edit("first\nlast", one("last\n", "end\n")).run);
  assertStringIncludes(unended.message, "the last line of the file has no line end");
});

Deno.test("bytes that are no text are said to be what keeps a text from being found", async () => {
  const file = Uint8Array.from([...utf8("let caf"), 0xe9, ...utf8(" = 1;\n")]);
  const error = await failure(edit(file, one("let café = 1;", "x")).run);
  assertStringIncludes(error.message, "bytes there that are not in its encoding");
  const output = await edit(file, { ...one("let café = 1;", "x"), encoding: "latin1" }).run();
  assertEquals(output.replacements, 1);
});

Deno.test("what is shown of long lines and passages is bounded", async () => {
  const limits = { limits: { write: 10_000_000 } };
  const long = `${"word ".repeat(100_000)}here it is${" more".repeat(100_000)}`;
  const many = Array.from({ length: 3000 }, (_, at) => `line number ${at} of many`).join("\n");
  for (const [file, old] of [[long, "here it was"], [many, many.replace("299 of", "299 OF")]]) {
    const memory = createMemory({ files: { "a.txt": file ?? "" }, ...limits });
    const error = await failure(() =>
      call(editFile, { path: "a.txt", ...one(old ?? "", "x") }, memory)
    );
    assertEquals(error.code, "TEXT_NOT_FOUND");
    assert(error.message.length < 2000, String(error.message.length));
    assert(JSON.stringify(error.details).length < 20_000);
  }
});

Deno.test("edit_file writes only what its ending allows", async () => {
  const bad = await failure(edit('{"a": 1}', one("1", "1,"), "a.json").run);
  assertEquals(bad.code, "SYNTAX_INVALID");
  assert(!bad.message.includes("before either"), bad.message);
  const worse = await failure(edit('{"a": 1', one("1", "2"), "a.json").run);
  assertStringIncludes(worse.message, "the file was not valid before either");
  const mended = edit('{"a": 1', one("1", "1}"), "a.json");
  await mended.run();
  assertEquals(mended.memory.nodes.get("a.json"), utf8('{"a": 1}'));
  const unchecked = edit("{}", { ...one("}", ""), validate_syntax: false }, "a.json");
  await unchecked.run();
  assertEquals(unchecked.memory.nodes.get("a.json"), utf8("{"));
  const marked = edit(utf16("\ufeff[1]"), one("1", "2"), "a.json");
  await marked.run();
  assertEquals(marked.memory.nodes.get("a.json"), utf16("\ufeff[2]"));
});

Deno.test("edit_file needs to read and write, and backups only where it makes one", async () => {
  const input = { path: "a", content: "", create_backup: true, validate_syntax: true };
  const read = { kind: "fs.read", path: "a", tree: false } as const;
  const write = { kind: "fs.write", path: "a", tree: false } as const;
  const scope = { cwd: "." };
  assertEquals(await editFile.capabilities(input, scope), [{ ...write, backups: true }, read]);
  assertEquals(await editFile.capabilities({ ...input, create_backup: false }, scope), [
    write,
    read,
  ]);
  assertEquals(editFile.describe({ ...input, path: "src/a.ts" }), "Edit file: src/a.ts");
});

Deno.test("a call that is to end ends between edits", async () => {
  const memory = createMemory({
    files: { "a.txt": "a" },
    checkpoint: () => {
      throw new TypeError("stop");
    },
  });
  const args = { path: "a.txt", create_backup: false, ...one("a", "b") };
  const error = await call(editFile, args, memory).catch((caught: unknown) => caught);
  assert(error instanceof TypeError && error.message === "stop");
});
