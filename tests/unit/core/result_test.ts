import { assertEquals } from "@std/assert";
import { JsonBytes } from "../../../src/core/json_bytes.ts";
import {
  encodeResult,
  type Json,
  refusal,
  type Result,
  resultError,
  toJsonText,
  writeResult,
} from "../../../src/core/result.ts";

const encoder = new TextEncoder();

function resultOf(output: Json): Result {
  return {
    tool: "read_file",
    success: true,
    output,
    error: null,
    risk: "safe",
    latencyMs: 1.25,
    usage: { bytes_read: 3, layers: ["policy"] },
    recovery: [{ strategy: "network" }],
  };
}

/** The line as whoever reads it has it, and in how many parts it was handed on. */
function written(
  ...args: Parameters<typeof writeResult> extends [unknown, ...infer R] ? R : never
) {
  const parts: Uint8Array[] = [];
  writeResult({
    write(before, value, after = "") {
      parts.push(
        encoder.encode(before),
        ...value === undefined ? [] : [value.bytes, encoder.encode(after)],
      );
    },
  }, ...args);
  return { line: parts.map((part) => new TextDecoder().decode(part)).join(""), parts };
}

Deno.test("a line is the same whether its output is text or bytes, and bytes go into it as they are", () => {
  const text = toJsonText({ content: '€ "quoted"\n' });
  const bytes = new JsonBytes(encoder.encode(text));
  for (const op of [null, "explain"]) {
    const expected = encodeResult("7", resultOf(text), op);
    assertEquals(JSON.parse(expected).output, JSON.parse(text));
    assertEquals(encodeResult("7", resultOf(bytes), op), expected);
    assertEquals(written("7", resultOf(text), op).line, expected);
    const { line, parts } = written("7", resultOf(bytes), op);
    assertEquals([line, parts[1] === bytes.bytes], [expected, true]);
  }
});

Deno.test("what was refused is one text", () => {
  const result = refusal("x", resultError("TOOL_DENIED", "no"));
  const { line, parts } = written(null, result);
  assertEquals([line, parts.length], [encodeResult(null, result), 1]);
  assertEquals(JSON.parse(line).output, null);
});
