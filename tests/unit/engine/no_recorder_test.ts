import { assertStrictEquals } from "@std/assert";
import { refusal, resultError } from "../../../src/core/result.ts";
import { NO_RECORDER } from "../../../src/engine/_no_recorder.ts";
import { requestOf } from "./_stand_ins.ts";

Deno.test("where no log is kept a result is answered as it is, once and again", () => {
  const record = NO_RECORDER.begin(requestOf("look"));
  const result = refusal("look", resultError("TIMEOUT", "x"));
  assertStrictEquals(record.ended(result), result);
  assertStrictEquals(NO_RECORDER.begin(requestOf("other")).ended(result), result);
});
