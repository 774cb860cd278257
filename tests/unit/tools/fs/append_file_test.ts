import { assertEquals, assertStringIncludes } from "@std/assert";
import appendFile from "../../../../src/tools/fs/append_file.ts";
import { failure } from "../_failure.ts";
import { inWorkspace } from "../_real_workspace.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) =>
  Uint8Array.from(
    text.split("").flatMap((unit) => [
      unit.charCodeAt(0) & 0xff,
      unit.charCodeAt(0) >> 8,
    ]),
  );

/** What is there (null: nothing), what is sent, and what is added. */
const CASES: readonly (readonly [Uint8Array | null, Record<string, unknown>, Uint8Array])[] = [
  [null, { content: "a\n" }, utf8("a\n")],
  [null, { content: "é", encoding: "latin1" }, Uint8Array.of(0xe9)],
  [utf8("a"), { content: "b" }, utf8("b")],
  [utf8("a\n"), { content: "é\n" }, utf8("é\n")],
  [utf8("a\n"), { content: "" }, utf8("")],
  [utf8("a\r\n"), { content: "b\nc" }, utf8("b\r\nc")],
  [utf8("a\r\n"), { content: "b\r\n" }, utf8("b\r\n")],
  [utf8("a\r\nb\n"), { content: "c\n" }, utf8("c\n")],
  [utf8("\ufeffa"), { content: "b" }, utf8("b")],
  [utf16("\ufeffa\r\n"), { content: "é\n" }, utf16("é\r\n")],
  [utf16("a"), { content: "é", encoding: "utf-16le" }, utf16("é")],
  [Uint8Array.of(0xff, 0x61), { content: "b" }, utf8("b")],
  [Uint8Array.of(0xe9), { content: "é", encoding: "latin1" }, Uint8Array.of(0xe9)],
];

Deno.test("append_file adds to what is there, in its encoding and with its line ends", () =>
  inWorkspace(async ({ root, call }) => {
    for (const [at, [before, args, added]] of CASES.entries()) {
      const path = `d${at}/file.txt`;
      if (before !== null) {
        Deno.mkdirSync(`${root}/d${at}`);
        Deno.writeFileSync(`${root}/${path}`, before, { mode: 0o640 });
        Deno.chmodSync(`${root}/${path}`, 0o640);
      }
      const shown = await call("append_file", { path, ...args }, true);
      assertEquals([shown.path, shown.exists, shown.bytes], [path, before !== null, added.length]);
      const change = before === null ? "added" : added.length === 0 ? "unchanged" : "modified";
      assertEquals(shown.change, change);
      const output = await call("append_file", { path, ...args });
      assertEquals(output, { path, bytes_written: added.length, created: before === null });
      const expected = Uint8Array.from([...before ?? [], ...added]);
      assertEquals(Deno.readFileSync(`${root}/${path}`), expected, `case ${at}`);
      if (before === null) continue;
      assertEquals((Deno.statSync(`${root}/${path}`).mode ?? 0) & 0o777, 0o640);
    }
  }));

Deno.test("append_file's preview shows the lines that would be new", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "1\n2\n3\n4\n5");
    assertEquals(await call("append_file", { path: "a.txt", content: "0\n6\n" }, true), {
      path: "a.txt",
      change: "modified",
      exists: true,
      bytes: 4,
      added_lines: 2,
      removed_lines: 1,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -2,4 +2,5 @@\n 2\n 3\n 4\n-5\n" +
        "\\ No newline at end of file\n+50\n+6\n",
    });
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "1\n2\n3\n4\n5");
  }));

Deno.test("who may append need not be allowed to read, and is shown nothing", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeFileSync(`${root}/secret.txt`, utf16("\ufeffhush\r\n"));
    const args = { path: "secret.txt", content: "b\n" };
    assertEquals(await call("append_file", args, true), {
      path: "secret.txt",
      change: null,
      exists: null,
      bytes: 2,
      added_lines: null,
      removed_lines: null,
      diff: null,
    });
    // Not knowing what it is in, the text is added as it is.
    await call("append_file", args);
    const expected = Uint8Array.from([...utf16("\ufeffhush\r\n"), ...utf8("b\n")]);
    assertEquals(Deno.readFileSync(`${root}/secret.txt`), expected);
  }));

Deno.test("append_file refuses with code and reason, in a preview too", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeFileSync(`${root}/binary`, Uint8Array.of(1, 0));
    Deno.writeFileSync(`${root}/marked`, utf8("\ufeffa"));
    Deno.mkdirSync(`${root}/directory`);
    const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
      [{ path: "binary", content: "x" }, "BINARY_FILE", "2 bytes"],
      [{ path: "directory", content: "x" }, "NOT_A_FILE", "directory"],
      [{ path: "marked", content: "x", encoding: "latin1" }, "INVALID_ENCODING", "mark of utf-8"],
      [{ path: "a", content: "\udc00" }, "INVALID_ENCODING", "half a surrogate pair"],
      [{ path: "a", content: "x".repeat(20_000_000) }, "FILE_TOO_LARGE", "20000000 bytes"],
      [{ path: "a", content: "x", encoding: "base64" }, "INVALID_ARGUMENTS", "base64"],
      [{ path: "../a", content: "x" }, "PATH_OUTSIDE_WORKSPACE", "a"],
    ];
    for (const [args, code, part] of cases) {
      for (const preview of [false, true]) {
        const error = await failure(() => call("append_file", args, preview));
        assertEquals(error.code, code, `${JSON.stringify(args).slice(0, 100)}: ${error.message}`);
        assertStringIncludes(error.message, part);
      }
    }
    assertEquals(Deno.readFileSync(`${root}/binary`), Uint8Array.of(1, 0));
  }));

Deno.test("of many who append at once, each has its line", () =>
  inWorkspace(async ({ root, call }) => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n`);
    await Promise.all(lines.map((content) => call("append_file", { path: "log/a.txt", content })));
    const written = Deno.readTextFileSync(`${root}/log/a.txt`);
    assertEquals(
      written.split("\n").toSorted(),
      ["", ...lines.map((line) => line.trim())].toSorted(),
    );
  }));

Deno.test("append_file needs to write; reading tells it the encoding", async () => {
  const input = { path: "a", content: "" };
  assertEquals(await appendFile.capabilities(input, { cwd: "." }), [
    { kind: "fs.write", path: "a", tree: false },
    { kind: "fs.read", path: "a", tree: false, optional: true },
  ]);
  assertEquals(appendFile.describe(input), "Append to file: a");
});
