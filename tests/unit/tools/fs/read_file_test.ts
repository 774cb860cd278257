import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { sha256 } from "../../../../src/core/sha256.ts";
import readFile from "../../../../src/tools/fs/read_file.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";
import { Random } from "../../../random.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from(text, (c) => c.charCodeAt(0)).buffer);

const FILES = {
  "a.txt": "one\ntwo\nthree\n",
  "open.txt": "one\ntwo",
  "empty.txt": "",
  "crlf.txt": "a\r\nb\r\n",
  "dir/größe.txt": "größe 🦕\n",
  "latin1.txt": bytes(0x67, 0x72, 0xf6, 0x0a, 0x62),
  "bad.txt": bytes(0x61, 0x0a, 0x62, 0xe2, 0x82, 0x0a),
  "bom.txt": bytes(0xef, 0xbb, 0xbf, 0x61, 0x0a, 0x62),
  "utf16.txt": bytes(0xff, 0xfe, ...utf16("hé\nx")),
  "binary": bytes(0x7f, 0x45, 0x00, 0x46),
  "late.bin": new Uint8Array(8193).fill(0x61, 0, 8192),
  "large.txt": "x".repeat(5000),
  "link": { target: "a.txt" },
} as const;

Deno.test("read_file gives content, lines and size", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, number, number, boolean])[] = [
    [{ path: "a.txt" }, "one\ntwo\nthree\n", 3, 3, false],
    [{ path: "open.txt" }, "one\ntwo", 2, 2, false],
    [{ path: "empty.txt" }, "", 0, 0, false],
    [{ path: "crlf.txt" }, "a\r\nb\r\n", 2, 2, false],
    [{ path: "dir/größe.txt" }, "größe 🦕\n", 1, 1, false],
    [{ path: "a.txt", start_line: 2 }, "two\nthree\n", 2, 3, true],
    [{ path: "a.txt", end_line: 1 }, "one\n", 1, 3, true],
    [{ path: "a.txt", start_line: 2, end_line: 2 }, "two\n", 1, 3, true],
    [{ path: "a.txt", start_line: 1, end_line: 99 }, "one\ntwo\nthree\n", 3, 3, false],
    [{ path: "a.txt", start_line: 3, end_line: 3 }, "three\n", 1, 3, true],
    [{ path: "a.txt", start_line: 4 }, "", 0, 3, true],
    [{ path: "a.txt", start_line: 4, end_line: 9 }, "", 0, 3, true],
    [{ path: "open.txt", start_line: 2, end_line: 2 }, "two", 1, 2, true],
    [{ path: "empty.txt", start_line: 1, end_line: 5 }, "", 0, 0, false],
    [{ path: "latin1.txt", encoding: "latin1" }, "grö\nb", 2, 2, false],
    [{ path: "latin1.txt", encoding: "ISO-8859-1", start_line: 2 }, "b", 1, 2, true],
    [{ path: "bom.txt" }, "a\nb", 2, 2, false],
    [{ path: "bom.txt", start_line: 2 }, "b", 1, 2, true],
    [{ path: "utf16.txt", encoding: "utf-16le" }, "hé\nx", 2, 2, false],
    [{ path: "utf16.txt", encoding: "utf-16le", end_line: 1 }, "hé\n", 1, 2, true],
    [{ path: "bad.txt", end_line: 1 }, "a\n", 1, 2, true],
    [{ path: "a.txt", encoding: "UTF8" }, "one\ntwo\nthree\n", 3, 3, false],
  ];
  for (const [args, content, lines, total_lines, truncated] of cases) {
    const memory = createMemory({ files: FILES, limits: { read: 10_000 } });
    const output = await call(readFile, args, memory);
    const { bytes: size, sha256: digest, bom: _, ...rest } = output;
    assertEquals(
      rest,
      { content, lines, total_lines, truncated, path: args.path },
      JSON.stringify(args),
    );
    const raw = memory.context.files.read(String(args.path), 10_000).bytes;
    assertEquals([size, digest], [raw.length, sha256(raw)]);
    assertEquals(memory.usage, { bytes_read: raw.length });
  }
});

Deno.test("read_file says where it left out a byte order mark", async () => {
  for (
    const [path, encoding, bom] of [
      ["bom.txt", "utf-8", true],
      ["utf16.txt", "utf-16le", true],
      ["a.txt", "utf-8", undefined],
      ["bom.txt", "latin1", undefined],
    ] as const
  ) {
    const output = await call(readFile, { path, encoding }, createMemory({ files: FILES }));
    assertEquals(output.bom, bom, path);
  }
});

Deno.test("read_file gives any bytes as base64", async () => {
  const output = await call(
    readFile,
    { path: "binary", encoding: "base64" },
    createMemory({ files: FILES }),
  );
  assertEquals(output, {
    content: "f0UARg==",
    lines: 0,
    total_lines: 0,
    bytes: 4,
    path: "binary",
    truncated: false,
    sha256: sha256(FILES.binary),
  });
});

Deno.test("lines of adjacent ranges put together are the file", async () => {
  for (const path of ["a.txt", "open.txt", "crlf.txt", "bad.txt"] as const) {
    const memory = createMemory({ files: { ...FILES, "bad.txt": "x\n\n\ny" } });
    let whole = "";
    for (let line = 1; line <= 4; line++) {
      whole += (await call(readFile, { path, start_line: line, end_line: line }, memory)).content;
    }
    assertEquals(whole, (await call(readFile, { path }, memory)).content);
  }
});

Deno.test("read_file refuses with code, place and remedy", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{ path: "gone.txt" }, "FILE_NOT_FOUND", "gone.txt"],
    [{ path: "dir" }, "NOT_A_FILE", "dir"],
    [{ path: "large.txt" }, "FILE_TOO_LARGE", "5000 bytes"],
    [{ path: "large.txt" }, "FILE_TOO_LARGE", "4096"],
    [{ path: "large.txt" }, "FILE_TOO_LARGE", "search_files"],
    [{ path: "large.txt", start_line: 1, end_line: 1 }, "FILE_TOO_LARGE", "5000 bytes"],
    [{ path: "binary" }, "BINARY_FILE", "4 bytes"],
    [{ path: "binary" }, "BINARY_FILE", 'encoding: "base64"'],
    [{ path: "binary", encoding: "latin1" }, "BINARY_FILE", "4 bytes"],
    [{ path: "utf16.txt" }, "BINARY_FILE", 'encoding: "utf-16le"'],
    [{ path: "bad.txt" }, "INVALID_ENCODING", "offset 3"],
    [{ path: "bad.txt", start_line: 2 }, "INVALID_ENCODING", "offset 3"],
    [{ path: "latin1.txt" }, "INVALID_ENCODING", "latin1"],
    [{ path: "latin1.txt", encoding: "euc-jp" }, "INVALID_ENCODING", "no valid euc-jp"],
    [{ path: "a.txt", encoding: "utf-9" }, "INVALID_ARGUMENTS", '"utf-9" is no known encoding'],
    [{ path: "a.txt", start_line: 3, end_line: 2 }, "INVALID_ARGUMENTS", "3 is behind end_line, 2"],
    [{ path: "a.txt", start_line: 0 }, "INVALID_ARGUMENTS", "at least 1"],
    [
      { path: "a.txt", encoding: "base64", end_line: 2 },
      "INVALID_ARGUMENTS",
      "base64 has no lines",
    ],
    [{ path: "" }, "INVALID_ARGUMENTS", "must not be empty"],
    [{}, "INVALID_ARGUMENTS", "missing"],
    [{ path: "a.txt", line: 1 }, "INVALID_ARGUMENTS", "unknown argument"],
  ];
  for (const [args, code, part] of cases) {
    const error = await failure(() => call(readFile, args, createMemory({ files: FILES })));
    assertEquals(error.code, code, JSON.stringify(args));
    assertStringIncludes(error.message, part);
  }
});

Deno.test("read_file looks for a NUL in the first 8 KiB only", async () => {
  const memory = createMemory({ files: FILES, limits: { read: 10_000 } });
  const output = await call(readFile, { path: "late.bin" }, memory);
  assertEquals(output.bytes, 8193);
});

Deno.test("read_file needs to read exactly the file it was asked for", async () => {
  const needs = await readFile.capabilities({ path: "../x", encoding: "utf-8" }, { cwd: "." });
  assertEquals(needs, [{ kind: "fs.read", path: "../x", tree: false }]);
  assertEquals(readFile.describe({ path: "a\x1b[2J", encoding: "utf-8" }), "Read file: a\\x1b[2J");
});

Deno.test("the offset of a bad byte is where a fatal decoder stops", async () => {
  const { firstInvalidByte } = await import("../../../../src/core/utf8.ts");
  const random = new Random(11);
  const pool = [
    0x00,
    0x41,
    0x7f,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc1,
    0xc2,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
  ];
  const fatal = new TextDecoder("utf-8", { fatal: true });
  let bad = 0;
  for (let round = 0; round < 20_000; round++) {
    const sample = Uint8Array.from({ length: random.below(7) }, () => random.pick(pool));
    const at = firstInvalidByte(sample);
    fatal.decode(sample.subarray(0, at));
    if (at === sample.length) continue;
    bad++;
    let refused = false;
    try {
      fatal.decode(sample.subarray(at, at + 4));
    } catch {
      refused = true;
    }
    assert(refused, sample.join(" "));
  }
  assert(bad > 10_000);
});
