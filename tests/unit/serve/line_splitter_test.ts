import { assertEquals } from "@std/assert";
import { LineSplitter } from "../../../src/serve/line_splitter.ts";
import { Random } from "../../random.ts";

const LIMIT = 20;

/** Lines as text, `null` for one that was too long. */
function split(chunks: readonly string[], limit = LIMIT): (string | null)[] {
  const splitter = new LineSplitter(limit);
  const lines: (string | null)[] = [];
  const take = (line: ReturnType<LineSplitter["end"]>) => {
    if (line !== null) lines.push("tooLong" in line ? null : new TextDecoder().decode(line.bytes));
  };
  for (const chunk of chunks) {
    for (const line of splitter.push(new TextEncoder().encode(chunk))) take(line);
  }
  take(splitter.end());
  return lines;
}

Deno.test("lines come whole, however they were cut", () => {
  const cases: readonly (readonly [readonly string[], readonly (string | null)[]])[] = [
    [[], []],
    [["a\n"], ["a"]],
    [["a"], ["a"]],
    [["a\nb\n"], ["a", "b"]],
    [["a", "b\nc", "", "d"], ["ab", "cd"]],
    [["\n\n"], ["", ""]],
    [["x".repeat(LIMIT) + "\n"], ["x".repeat(LIMIT)]],
    [["x".repeat(LIMIT + 1) + "\nb\n"], [null, "b"]],
    [["x".repeat(LIMIT), "xx", "xxx\nb\n"], [null, "b"]],
    [["x".repeat(LIMIT + 5)], [null]],
    [["x".repeat(LIMIT), "y\n", "ok\n"], [null, "ok"]],
  ];
  for (const [chunks, expected] of cases) assertEquals(split(chunks), [...expected]);
});

Deno.test("cutting the same bytes elsewhere gives the same lines", () => {
  const random = new Random(11);
  for (let round = 0; round < 500; round++) {
    const text = random.text(120, ["a", "b", "ü", "\n", "\n", "\r"]);
    const chunks: string[] = [];
    for (let rest = text; rest !== "";) {
      const cut = 1 + random.below(Math.min(rest.length, 30));
      chunks.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    assertEquals(split(chunks), split([text]), JSON.stringify(chunks));
  }
});

Deno.test("who takes no more lines of a chunk has the rest of it, which is not kept", () => {
  const splitter = new LineSplitter(LIMIT);
  const given: string[] = [];
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  for (const line of splitter.push(new TextEncoder().encode("a"))) given.push(String(line));
  for (const line of splitter.push(new TextEncoder().encode("b\nc\n\nd"))) {
    given.push("tooLong" in line ? "" : text(line.bytes), text(splitter.rest));
    if (given.length === 4) break;
  }
  assertEquals(given, ["ab", "c\n\nd", "c", "\nd"]);
  assertEquals([splitter.end(), splitter.held], [null, 0]);
});
