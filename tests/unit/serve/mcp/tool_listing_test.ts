import { assert, assertEquals } from "@std/assert";
import { type JsonText, toJsonText } from "../../../../src/core/result.ts";
import { callResult } from "../../../../src/serve/mcp/tool_listing.ts";

const SERVER = { name: "toolgate", title: "Toolgate", version: "0" };

function answered(output: JsonText): { readonly json: string; readonly steps: number } {
  const steps = callResult(
    {
      tool: "read_file",
      success: true,
      output,
      error: null,
      risk: "safe",
      latencyMs: 1,
      usage: {},
    },
    "2025-06-18",
    SERVER,
  );
  for (let taken = 0;; taken++) {
    const { done, value } = steps.next();
    if (done === true) return { json: value, steps: taken };
  }
}

Deno.test("a long output is written in steps, as it is written at once, wherever letters are parted", () => {
  for (const piece of ["a", "🦕", "a🦕", '\\"\n', "\ud83e", "é\u2028"]) {
    const output = toJsonText({ content: piece.repeat(2_000_000 / piece.length) });
    const { json, steps } = answered(output);
    assert(steps >= 3, `${steps}`);
    // Not by what it means: halves of a letter would mean the same.
    const quoted = JSON.stringify(output);
    assert(json.startsWith(`{"content":[{"type":"text","text":${quoted}}],`), piece);
    assertEquals(JSON.parse(json).structuredContent, JSON.parse(output));
  }
});

Deno.test("a short output is written at once", () => {
  assertEquals(answered(toJsonText({ content: "x" })).steps, 0);
});
