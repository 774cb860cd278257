import { assertEquals } from "@std/assert";
import { refusal, resultError } from "../../../src/core/result.ts";
import { createTelemetry } from "../../../src/engine/telemetry.ts";
import { requestOf } from "./_stand_ins.ts";

/** What went to the log for a call of that tool that ended so. */
function logged(
  tool: string,
  known: string | null,
  code: Parameters<typeof resultError>[0] | null,
) {
  const lines: string[] = [];
  const telemetry = createTelemetry("1.0.0", (line) => lines.push(line));
  const secret = { path: "secret-argument" };
  const error = code === null ? null : resultError(code, "secret-message");
  const result = { ...refusal(known, resultError("TIMEOUT", "x")), success: error === null, error };
  telemetry.begin(requestOf(tool, { args: secret })).ended(result);
  return lines;
}

Deno.test("a call that fails is logged by its tool and its code, and nothing of what it was about", () => {
  assertEquals(logged("look", "look", "TIMEOUT"), [
    'call failed {"toolgate.tool":"look","toolgate.code":"TIMEOUT"}',
  ]);
  assertEquals(logged("look", "look", null), []);
});

Deno.test("names that callers make up are one series, and none is long", () => {
  assertEquals(logged("made up 7", null, "UNKNOWN_TOOL"), [
    'call failed {"toolgate.tool":"unknown","toolgate.code":"UNKNOWN_TOOL"}',
  ]);
  const [line = ""] = logged("x", "n".repeat(10_000), "TIMEOUT");
  assertEquals(line.includes("n".repeat(100)), true);
  assertEquals(line.includes("n".repeat(101)), false);
});
