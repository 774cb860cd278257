import { assertEquals, assertStringIncludes } from "@std/assert";
import { sha256 } from "../../../../src/core/sha256.ts";
import replaceText from "../../../../src/tools/fs/replace_text.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const FILES = {
  "a.txt": "one two\r\ntwo\tone\r\nthree\r\n",
  "a.json": '{"a": 1}',
  "binary": Uint8Array.of(0, 1),
};

Deno.test("replace_text replaces every occurrence and says how many", async () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ["one", "1", 2, "1 two\r\ntwo\t1\r\nthree\r\n"],
    ["one", "", 2, " two\r\ntwo\t\r\nthree\r\n"],
    ["two\n", "2\n", 1, "one 2\r\ntwo\tone\r\nthree\r\n"],
    ["\n", "\n\n", 3, "one two\r\n\r\ntwo\tone\r\n\r\nthree\r\n\r\n"],
    ["\r\n", "\n", 3, "one two\ntwo\tone\nthree\n"],
    ["\n", "", 3, "one twotwo\tonethree"],
    ["e", "$&", 4, "on$& two\r\ntwo\ton$&\r\nthr$&$&\r\n"],
  ];
  for (const [old, now, replaced, expected] of cases) {
    const memory = createMemory({ files: FILES });
    const output = await call(replaceText, { path: "a.txt", old, new: now }, memory);
    const bytes = utf8(expected);
    assertEquals(output, {
      path: "a.txt",
      replaced,
      bytes_written: bytes.length,
      sha256: sha256(bytes),
    });
    assertEquals(memory.nodes.get("a.txt"), bytes, JSON.stringify([old, now]));
    assertEquals(memory.usage, { bytes_written: bytes.length });
  }
});

Deno.test("replace_text's preview counts, shows the first lines and the change, and makes none", async () => {
  const memory = createMemory({
    files: { "a.txt": "x\n".repeat(3) + "- x x\tx\n" + "x\n".repeat(9) },
  });
  const output = await call(replaceText, { path: "a.txt", old: "x", new: "y" }, memory, {
    preview: true,
  });
  const { diff, ...rest } = output;
  assertEquals(rest, {
    path: "a.txt",
    change: "modified",
    exists: true,
    bytes: 32,
    added_lines: 13,
    removed_lines: 13,
    occurrences: 15,
    sample: "1: x\n2: x\n3: x\n4: - x x\\tx\n5: x",
  });
  assertStringIncludes(String(diff), "-- x x\tx\n");
  assertEquals(memory.usage, {});
  const longer = createMemory({ files: { "a.txt": "x\n" } });
  const shown = await call(replaceText, { path: "a.txt", old: "\n", new: "!" }, longer, {
    preview: true,
  });
  assertEquals([shown.occurrences, shown.sample], [1, "1: x"]);
});

Deno.test("replace_text refuses with code and reason, in a preview too, and writes nothing", async () => {
  const base = { path: "a.txt", old: "one", new: "1" };
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{ old: "" }, "INVALID_ARGUMENTS", "empty"],
    [{ new: "one" }, "INVALID_ARGUMENTS", "new: is the same as old"],
    [{ encoding: "base64" }, "INVALID_ARGUMENTS", "write_file"],
    [{ expected_sha256: "x".repeat(64) }, "INVALID_ARGUMENTS", "64 hexadecimal"],
    [{ expected_sha256: "0".repeat(64) }, "STALE_FILE", "read it again"],
    [
      { old: "two one" },
      "TEXT_NOT_FOUND",
      'at line 2, the first that differs, the file has "two\\tone"',
    ],
    [{ path: "gone" }, "FILE_NOT_FOUND", "create_file"],
    [{ path: "binary" }, "BINARY_FILE", "binary"],
    [{ path: "a.json", old: "1", new: "}" }, "SYNTAX_INVALID", "a.json:1"],
    [{ new: "x".repeat(5000) }, "FILE_TOO_LARGE", "4096"],
  ];
  for (const [args, code, part] of cases) {
    for (const preview of [false, true]) {
      const memory = createMemory({ files: FILES });
      const error = await failure(() =>
        call(replaceText, { ...base, ...args }, memory, { preview })
      );
      assertEquals(error.code, code, `${JSON.stringify(args)}: ${error.message}`);
      assertStringIncludes(error.message, part);
      assertEquals(Object.fromEntries(memory.nodes), FILES);
    }
  }
});

Deno.test("replace_text needs to read and write one file", async () => {
  const input = { path: "a", old: "b\n", new: "c", validate_syntax: true };
  assertEquals(await replaceText.capabilities(input, { cwd: "." }), [
    { kind: "fs.write", path: "a", tree: false },
    { kind: "fs.read", path: "a", tree: false },
  ]);
  assertEquals(replaceText.describe(input), "Replace text: b\\n in a");
  const json = createMemory({ files: FILES });
  await call(replaceText, { ...input, path: "a.json", old: "}", validate_syntax: false }, json);
  assertEquals(json.nodes.get("a.json"), utf8('{"a": 1c'));
});
