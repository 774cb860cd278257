import { assertEquals, assertStringIncludes } from "@std/assert";
import { sha256 } from "../../../../src/core/sha256.ts";
import writeFile from "../../../../src/tools/fs/write_file.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";

const FILES: Readonly<Record<string, Node>> = {
  "a.txt": "one\ntwo\n",
  "src/b.ts": "x",
  "binary": Uint8Array.of(0, 1, 2),
  "secret.txt": "<denied>",
  "marked.txt": "\ufeffx",
};
const text = (value: string) => new TextEncoder().encode(value);

Deno.test("write_file writes what it was given and says what it did", async () => {
  const cases: readonly (readonly [Record<string, unknown>, Uint8Array, boolean])[] = [
    [{ path: "new.txt", content: "größe 🦕\n" }, text("größe 🦕\n"), true],
    [{ path: "a.txt", content: "" }, text(""), false],
    [{ path: "deep/er/new.txt", content: "x" }, text("x"), true],
    [{ path: "src/c.ts", content: "x", create_dirs: false }, text("x"), true],
    [
      { path: "a.txt", content: "AAEC/w==", encoding: "base64" },
      Uint8Array.of(0, 1, 2, 255),
      false,
    ],
    [{ path: "a.txt", content: "hé", encoding: "latin1" }, Uint8Array.of(0x68, 0xe9), false],
    [{ path: "a.txt", content: "€", encoding: "windows-1252" }, Uint8Array.of(0x80), false],
    [{ path: "a.txt", content: "дa", encoding: "koi8-r" }, Uint8Array.of(0xc4, 0x61), false],
    [
      { path: "a.txt", content: "é🦕", encoding: "utf-16le" },
      Uint8Array.of(0xe9, 0, 0x3e, 0xd8, 0x95, 0xdd),
      false,
    ],
    [{ path: "a.txt", content: "é", encoding: "utf-16be" }, Uint8Array.of(0, 0xe9), false],
    [{ path: "a.txt", content: "\ufeffx", encoding: "UTF8" }, text("\ufeffx"), false],
    [{ path: "a.txt", content: "a\0b" }, text("a\0b"), false],
    [{ path: "a.json", content: '{"a": 1}' }, text('{"a": 1}'), true],
    [{ path: "a.json", content: "{", validate_syntax: false }, text("{"), true],
    [{ path: "a.json", content: "ew==", encoding: "base64" }, text("{"), true],
    [
      { path: "a.txt", content: "x", expected_sha256: sha256(text("one\ntwo\n")) },
      text("x"),
      false,
    ],
    [
      { path: "a.txt", content: "x", expected_sha256: sha256(text("one\ntwo\n")).toUpperCase() },
      text("x"),
      false,
    ],
  ];
  for (const [args, bytes, created] of cases) {
    const memory = createMemory({ files: FILES });
    const output = await call(writeFile, args, memory);
    assertEquals(output, { path: args.path, bytes_written: bytes.length, created });
    assertEquals(memory.nodes.get(String(args.path)), bytes, JSON.stringify(args));
    assertEquals(memory.usage, { bytes_written: bytes.length });
  }
});

const REFUSED: readonly (readonly [Record<string, unknown>, string, string])[] = [
  [{ path: "a.txt" }, "INVALID_ARGUMENTS", "missing"],
  [{ path: "a.txt", content: "x", encoding: "utf-9" }, "INVALID_ARGUMENTS", "no known encoding"],
  [
    { path: "a.txt", content: "x", encoding: "shift_jis" },
    "INVALID_ARGUMENTS",
    "can be read but not written",
  ],
  [
    { path: "a.txt", content: "x", expected_sha256: "z".repeat(64) },
    "INVALID_ARGUMENTS",
    "64 hexadecimal",
  ],
  [{ path: "a.txt", content: "x", expected_sha256: "abc" }, "INVALID_ARGUMENTS", "64 characters"],
  [{ path: "a.txt", content: "a\ud800b" }, "INVALID_ENCODING", "index 1"],
  [{ path: "a.txt", content: "\udc00", encoding: "utf-16le" }, "INVALID_ENCODING", "index 0"],
  [
    { path: "a.txt", content: "a日", encoding: "latin1" },
    "INVALID_ENCODING",
    '"日" at index 1 has no place in windows-1252',
  ],
  [{ path: "a.txt", content: "AA", encoding: "base64" }, "INVALID_ENCODING", "base64"],
  [{ path: "a.txt", content: "A*==", encoding: "base64" }, "INVALID_ENCODING", "base64"],
  [
    { path: "a.txt", content: "x".repeat(5000) },
    "FILE_TOO_LARGE",
    "5000 bytes; the policy lets 4096",
  ],
  [{ path: "a.json", content: "{\n  'a': 1\n}" }, "SYNTAX_INVALID", "a.json:2:3: unexpected '"],
  [{ path: "src", content: "x" }, "NOT_A_FILE", "src"],
  [{ path: "no/where.txt", content: "x", create_dirs: false }, "FILE_NOT_FOUND", "no/where.txt"],
  [{ path: "a.txt", content: "x", expected_sha256: "0".repeat(64) }, "STALE_FILE", "a.txt"],
  [{ path: "gone.txt", content: "x", expected_sha256: "0".repeat(64) }, "STALE_FILE", "gone.txt"],
];

Deno.test("write_file refuses with code and reason, and writes nothing", async () => {
  for (const [args, code, part] of REFUSED) {
    const memory = createMemory({ files: FILES });
    const error = await failure(() => call(writeFile, args, memory));
    assertEquals(error.code, code, JSON.stringify(args));
    assertStringIncludes(error.message, part);
    assertEquals(Object.fromEntries(memory.nodes), FILES);
  }
});

Deno.test("write_file's preview fails where the write would", async () => {
  for (const [args, code] of REFUSED) {
    // Whether parents are there is seen when it is written.
    if (args.create_dirs === false) continue;
    const error = await failure(() =>
      call(writeFile, args, createMemory({ files: FILES }), { preview: true })
    );
    assertEquals(error.code, code, JSON.stringify(args));
  }
});

const UNSEEN = {
  change: "modified",
  exists: true,
  created: false,
  bytes: 1,
  added_lines: null,
  removed_lines: null,
  diff: null,
};

Deno.test("write_file's preview shows the change and makes none", async () => {
  const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
    [{ path: "a.txt", content: "one\n2\n" }, {
      change: "modified",
      exists: true,
      created: false,
      bytes: 6,
      added_lines: 1,
      removed_lines: 1,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    }],
    [{ path: "n/new.txt", content: "x" }, {
      change: "added",
      exists: false,
      created: true,
      bytes: 1,
      added_lines: 1,
      removed_lines: 0,
      diff: "--- /dev/null\n+++ b/n/new.txt\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n",
    }],
    [{ path: "a.txt", content: "one\ntwo\n" }, {
      change: "unchanged",
      exists: true,
      created: false,
      bytes: 8,
      added_lines: 0,
      removed_lines: 0,
      diff: "",
    }],
    [{ path: "binary", content: "x" }, UNSEEN],
    [{ path: "a.txt", content: "AA==", encoding: "base64" }, UNSEEN],
    [{ path: "secret.txt", content: "x" }, UNSEEN],
    // Its byte order mark goes, its text stays.
    [{ path: "marked.txt", content: "x" }, {
      change: "modified",
      exists: true,
      created: false,
      bytes: 1,
      added_lines: 0,
      removed_lines: 0,
      diff: "",
    }],
  ];
  for (const [args, expected] of cases) {
    const memory = createMemory({ files: FILES });
    const output = await call(writeFile, args, memory, { preview: true });
    assertEquals(output, { path: args.path, ...expected });
    assertEquals(Object.fromEntries(memory.nodes), FILES);
  }
});

Deno.test("write_file needs to write; reading is for the preview alone", async () => {
  const input = {
    path: "a",
    content: "",
    encoding: "utf-8",
    create_dirs: true,
    validate_syntax: true,
  };
  assertEquals(await writeFile.capabilities(input, { cwd: "." }), [
    { kind: "fs.write", path: "a", tree: false },
  ]);
  assertEquals(writeFile.previewReads?.(input), [{ path: "a", tree: false }]);
  assertEquals(writeFile.describe({ ...input, path: "a\nb" }), "Write file: a\\nb");
});

Deno.test("every encoding of one byte a character reads back what it wrote", async () => {
  const { encoderOf } = await import("../../../../src/tools/fs/_encode.ts");
  const labels =
    "ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 " +
    "iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh " +
    "windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 " +
    "windows-1256 windows-1257 windows-1258 x-mac-cyrillic";
  for (const label of labels.split(" ")) {
    const decoder = new TextDecoder(label);
    const all = decoder.decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    const characters = [...all].filter((character) => character !== "\ufffd").join("");
    assertEquals(decoder.decode(encoderOf(label)(characters)), characters, label);
  }
});
