import { assertEquals, assertThrows } from "@std/assert";
import { JsonBytes } from "../../../src/core/json_bytes.ts";
import { LineBuffer } from "../../../src/serve/line_buffer.ts";

const bytesOf = (text: string) => new JsonBytes(new TextEncoder().encode(text));

function textOf(lines: LineBuffer): string {
  return new TextDecoder().decode(lines.bytes);
}

Deno.test("a line is its texts and the bytes between them, and ends", () => {
  const lines = new LineBuffer();
  lines.write("a€");
  lines.write('{"x":', bytesOf('"ü"'), "}");
  lines.write("only", bytesOf(" bytes"));
  lines.add("begun");
  assertEquals(textOf(lines), 'a€\n{"x":"ü"}\nonly bytes\nbegun');
  assertEquals(lines.length, lines.bytes.length);
});

Deno.test("what was put in is given back: it lies in the line", () => {
  const lines = new LineBuffer();
  const lent = new TextEncoder().encode("value");
  const value = new JsonBytes(lent, (bytes) => bytes.fill(0));
  lines.write("<", value, ">");
  assertEquals([textOf(lines), lent[0]], ["<value>\n", 0]);
  assertThrows(() => value.bytes, Error);
});

Deno.test("what has gone out is dropped, and the rest stays in order however long it is", () => {
  const lines = new LineBuffer();
  const long = "€".repeat(300_000);
  lines.write("first");
  lines.write(long, bytesOf(long), long);
  lines.drop(6);
  assertEquals(textOf(lines), `${long}${long}${long}\n`);
  lines.drop(9 * 300_000);
  lines.write("next");
  assertEquals(textOf(lines), "\nnext\n");
  lines.drop(lines.length);
  assertEquals([lines.length, textOf(lines)], [0, ""]);
  // Not more is kept than answers usually take.
  assertEquals(lines.bytes.buffer.byteLength <= 1 << 19, true);
});
