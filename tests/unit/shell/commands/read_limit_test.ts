import { assertEquals } from "@std/assert";
import { readLimit } from "../../../../src/shell/commands/read_limit.ts";

/** Words, and what is done: the resource, which of its limits, and to what; null where it is refused. */
const CASES: readonly (readonly [string, readonly unknown[] | null])[] = [
  ["-s", [3, "soft", null]],
  ["-Hn", [7, "hard", null]],
  ["-H -v", [9, "hard", null]],
  ["-s unlimited", [3, "both", "unlimited"]],
  ["-S -s 900", [3, "soft", 900n]],
  ["-nH soft", [7, "hard", "soft"]],
  ["-t 1", [0, "both", 1n]],
  ["-c 0", [4, "both", 0n]],
  ["unlimited", [1, "both", "unlimited"]],
  ["-SHs 900", [3, "both", 900n]],
  // What a shell itself would fail with, or write no further.
  ["-n 31", null],
  ["-s 127", null],
  ["-t 0", null],
  ["-v 65535", null],
  ["-f 1000", null],
  ["1000", null],
  // What the policy says of programs is not told as bash would.
  ["", null],
  ["-a", null],
  ["-c", null],
  ["-f", null],
  ["-t", null],
  ["-SH -n", null],
  // Forms that are not done.
  ["-u 100", null],
  ["-ns 100", null],
  ["-n 100 200", null],
  ["-n -1", null],
  ["-n 0x40", null],
  ["-n 1234567890123", null],
  ["-", null],
  ["-- 5", null],
];

for (const [text, expected] of CASES) {
  Deno.test(`ulimit ${text}`, () => {
    const wish = readLimit(text === "" ? [] : text.split(" "));
    const which = wish === null || (wish.soft && wish.hard) ? "both" : wish.hard ? "hard" : "soft";
    assertEquals(wish === null ? null : [wish.of.resource, which, wish.value], expected);
  });
}

Deno.test("ulimit: words that are known only later are none", () => {
  for (const words of [[null], ["-n", null], [null, "100"], ["-n", "100", null]]) {
    assertEquals(readLimit(words), null);
  }
});
