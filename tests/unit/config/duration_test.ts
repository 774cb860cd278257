import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DurationError, formatDuration, parseDuration } from "../../../src/config/duration.ts";

const GOOD: readonly [string, number][] = [
  ["500ms", 500],
  ["30s", 30_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
  ["0", 0],
  ["0s", 0],
  ["007s", 7_000],
];

const BAD: readonly [string, string][] = [
  ["", "is no duration"],
  ["s", "is no duration"],
  ["30 s", "is no duration"],
  [" 30s", "is no duration"],
  ["30s\n", "is no duration"],
  ["-30s", "is no duration"],
  ["1.5s", "whole number"],
  ["1h30m", "is no duration"],
  ["٣s", "is no duration"],
  ["30", "write 30ms, 30s, 30m, 30h or 30d"],
  ["30S", "the units are ms, s, m, h and d"],
  ["30sec", "as in 30s"],
  ["30M", "no known unit"],
  ["99999999999999999999d", "too long"],
  [`${"9".repeat(400)}s`, "too long"],
];

Deno.test("parseDuration() reads whole numbers with their units", async (t) => {
  for (const [text, expected] of GOOD) {
    await t.step(text, () => assertEquals(parseDuration(text), expected));
  }
});

Deno.test("parseDuration() says what would be right", async (t) => {
  for (const [text, message] of BAD) {
    await t.step(JSON.stringify(text), () => {
      const error = assertThrows(() => parseDuration(text), DurationError);
      assertStringIncludes(error.message, message);
    });
  }
});

Deno.test("formatDuration() writes what parseDuration() reads", () => {
  const cases: [number, string][] = [
    [0, "0"],
    [1, "1ms"],
    [1_500, "1500ms"],
    [90_000, "90s"],
    [3_600_000, "1h"],
    [86_400_000, "1d"],
  ];
  for (const [milliseconds, text] of cases) {
    assertEquals(formatDuration(milliseconds), text);
    assertEquals(parseDuration(text), milliseconds);
  }
});
