import { assertEquals } from "@std/assert";
import { programWords, startsOne } from "../../../src/shell/certain.ts";
import { parseLine } from "../../../src/shell/parse_line.ts";

/** A line, whether it takes no more than to start one program, and the words of that. */
const LINES: readonly (readonly [string, boolean, readonly string[] | null])[] = [
  ["cat a.txt", true, ["cat", "a.txt"]],
  ["grep -rn 'a b' \"src\"", true, ["grep", "-rn", "a b", "src"]],
  ["true", true, null],
  [": ignored", true, null],
  ["exit 3", true, null],
  // Each of these looks at files, or opens some, or starts another program.
  ["cd src", false, null],
  ["export A=1", false, null],
  ["cat *.txt", false, null],
  ["cat ~/a", false, null],
  ["cat $NAME", false, null],
  ["cat $(ls)", false, null],
  ["cat <a.txt", false, null],
  ["cat a.txt >b.txt", false, null],
  ["cat <<< text", false, null],
  ["A=1 cat a.txt", false, null],
  ["A=1", false, null],
  ["cat a.txt | wc", false, null],
  ["! cat a.txt", false, null],
  ["cat a.txt; cat b.txt", false, null],
  ["(cat a.txt)", false, null],
  ["sh -c 'cat a.txt'", false, null],
];

Deno.test("a line that only starts one program is told from all others", async () => {
  for (const [line, one, words] of LINES) {
    const plan = await parseLine(line);
    assertEquals([startsOne(plan), programWords(plan)], [one, words], line);
  }
});
