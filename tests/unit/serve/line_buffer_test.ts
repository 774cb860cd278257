import { assertEquals } from "@std/assert";
import { LineBuffer } from "../../../src/serve/line_buffer.ts";

const encoder = new TextEncoder();

function textOf(lines: LineBuffer): string {
  return new TextDecoder().decode(lines.bytes);
}

Deno.test("a line is its texts and the bytes between them, and ends", () => {
  const lines = new LineBuffer();
  lines.write("a€");
  lines.write('{"x":', encoder.encode('"ü"'), "}");
  lines.write("only", encoder.encode(" bytes"));
  lines.add("begun");
  assertEquals(textOf(lines), 'a€\n{"x":"ü"}\nonly bytes\nbegun');
  assertEquals(lines.length, lines.bytes.length);
});

Deno.test("what has gone out is dropped, and the rest stays in order however long it is", () => {
  const lines = new LineBuffer();
  const long = "€".repeat(300_000);
  lines.write("first");
  lines.write(long, encoder.encode(long), long);
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
