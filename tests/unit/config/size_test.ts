import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { formatSize, parseSize, SizeError } from "../../../src/config/size.ts";

const GOOD: readonly [string, number][] = [
  ["0", 0],
  ["1024", 1024],
  ["512B", 512],
  ["64KiB", 65_536],
  ["1MiB", 1_048_576],
  ["1GiB", 1_073_741_824],
  ["1kB", 1_000],
  ["2MB", 2_000_000],
  ["3GB", 3_000_000_000],
];

const BAD: readonly [string, string][] = [
  ["", "is no size"],
  ["MiB", "is no size"],
  ["1 MiB", "is no size"],
  ["-1MiB", "is no size"],
  ["1.5MiB", "whole number"],
  ["1e6", "is no size"],
  ["1MiB\n", "is no size"],
  ["1M", "as in 1MiB"],
  ["1mb", "as in 1MiB"],
  ["1KB", "as in 1KiB"],
  ["1g", "as in 1GiB"],
  ["1TiB", "the units are B, KiB, MiB, GiB"],
  ["99999999999999GiB", "too large"],
  ["9".repeat(400), "too large"],
];

Deno.test("parseSize() reads whole numbers with their units", async (t) => {
  for (const [text, expected] of GOOD) {
    await t.step(text, () => assertEquals(parseSize(text), expected));
  }
});

Deno.test("parseSize() says what would be right", async (t) => {
  for (const [text, message] of BAD) {
    await t.step(JSON.stringify(text), () => {
      const error = assertThrows(() => parseSize(text), SizeError);
      assertStringIncludes(error.message, message);
    });
  }
});

Deno.test("formatSize() writes what parseSize() reads", () => {
  const cases: [number, string][] = [
    [0, "0B"],
    [1, "1B"],
    [1_000, "1000B"],
    [65_536, "64KiB"],
    [1_048_576, "1MiB"],
    [1_073_741_824, "1GiB"],
  ];
  for (const [bytes, text] of cases) {
    assertEquals(formatSize(bytes), text);
    assertEquals(parseSize(text), bytes);
  }
});
