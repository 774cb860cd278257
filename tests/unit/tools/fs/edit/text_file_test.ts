import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import {
  codecOf,
  openText,
  requireValid,
  withBody,
} from "../../../../../src/tools/fs/edit/text_file.ts";
import { Random } from "../../../../random.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

Deno.test("a byte order mark says what a file is in, then the caller, then UTF-8", () => {
  const cases: readonly (readonly [Uint8Array, string | undefined, string, number, string])[] = [
    [bytes(0x61), undefined, "utf-8", 0, "a"],
    [bytes(0xef, 0xbb, 0xbf, 0x61), undefined, "utf-8", 3, "a"],
    [bytes(0xef, 0xbb, 0xbf, 0x61), "utf8", "utf-8", 3, "a"],
    [bytes(0xff, 0xfe, 0x61, 0), undefined, "utf-16le", 2, "a"],
    [bytes(0xfe, 0xff, 0, 0x61), undefined, "utf-16be", 2, "a"],
    [bytes(0x61, 0), "utf-16le", "utf-16le", 0, "a"],
    [bytes(0xe9), "latin1", "windows-1252", 0, "é"],
    [bytes(0xe9), undefined, "utf-8", 0, "\ufffd"],
    [bytes(), undefined, "utf-8", 0, ""],
    [bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf), undefined, "utf-8", 3, "\ufeff"],
  ];
  for (const [content, label, encoding, mark, text] of cases) {
    const file = openText("a", content, label);
    assertEquals([file.codec.encoding, file.mark.length], [encoding, mark]);
    assertEquals(file.codec.decode(file.body), text);
    assertEquals(withBody(file, file.body), content);
  }
});

Deno.test("what is no text to edit is refused with its reason", () => {
  const cases: readonly (readonly [() => unknown, string, string])[] = [
    [() => openText("a", bytes(1, 0, 2)), "BINARY_FILE", "3 bytes"],
    [() => openText("a", bytes(0xff, 0xfe, 0, 0, 1, 0)), "BINARY_FILE", "a is a binary file"],
    [() => openText("a", bytes(0xff, 0xfe, 1)), "INVALID_ENCODING", "offset 2"],
    [
      () => openText("a", bytes(0xef, 0xbb, 0xbf, 0x61), "latin1"),
      "INVALID_ENCODING",
      "byte order mark of utf-8",
    ],
    [() => codecOf("base64"), "INVALID_ARGUMENTS", "write_file"],
    [() => codecOf("shift_jis"), "INVALID_ARGUMENTS", "not written"],
    [() => codecOf("utf-9"), "INVALID_ARGUMENTS", "no known encoding"],
    [
      () => requireValid("a", openText("a", bytes(0xef, 0xbb, 0xbf, 0x61, 0xff))),
      "INVALID_ENCODING",
      "offset 4",
    ],
  ];
  for (const [act, code, part] of cases) {
    const error = assertThrows(act, ToolError);
    assertEquals(error.code, code);
    assertStringIncludes(error.message, part);
  }
  // As read_file, which looks no further for what makes a file binary.
  openText("a", new Uint8Array(9000).fill(0x61).with(8999, 0));
});

Deno.test("units tell all bytes apart, and line ends are themselves", () => {
  const random = new Random(6);
  for (const label of ["utf-8", "latin1", "koi8-r", "utf-16le", "utf-16be"]) {
    const codec = codecOf(label);
    const seen = new Map<string, number>();
    for (let value = 0; value < (codec.width === 1 ? 0x100 : 0x10000); value++) {
      const unit = codec.units(
        codec.width === 1
          ? bytes(value)
          : label === "utf-16le"
          ? bytes(value & 0xff, value >> 8)
          : bytes(value >> 8, value & 0xff),
      );
      assertEquals(unit.length, 1);
      assertEquals(seen.get(unit), undefined, `${label} ${value}`);
      seen.set(unit, value);
    }
    for (let round = 0; round < 200; round++) {
      const text = random.text(20, ["a", "é", "\n", "\r\n", "\r"]).replaceAll(
        "é",
        label === "koi8-r" ? "д" : "é",
      );
      const encoded = codec.encode(text);
      assertEquals(codec.decode(encoded), text);
      assertEquals(
        codec.units(encoded).match(/\r?\n/g) ?? [],
        [...(text.match(/\r?\n/g) ?? [])],
      );
    }
  }
});
