import { assertEquals, assertThrows } from "@std/assert";
import { JsonBytes } from "../../../src/core/json_bytes.ts";

Deno.test("bytes are there until they are given back, once, and nobody sees what comes after", () => {
  const bytes = new TextEncoder().encode('"€"');
  const given: Uint8Array[] = [];
  const value = new JsonBytes(bytes, (back) => given.push(back));
  assertEquals([value.text, value.text, value.bytes], ['"€"', '"€"', bytes]);
  value.release();
  value.release();
  assertEquals([given, value.length], [[bytes], 5]);
  assertThrows(() => value.bytes, Error, "after it had been written");
  assertThrows(() => value.text, Error, "after it had been written");
});
