import { assert, assertEquals } from "@std/assert";
import { contentsOf } from "../../../../../src/tools/fs/search/_contents.ts";
import { compilePattern } from "../../../../../src/tools/fs/search/pattern.ts";
import { createScanner } from "../../../../../src/tools/fs/search/scanner.ts";
import { createTextSearch } from "../../../../../src/tools/fs/search/_text.ts";
import { Random } from "../../../../random.ts";

const MIB = 1024 * 1024;

/** Pieces of a file of these bytes, with what is in them. */
function piecesOf(bytes: Uint8Array, context: number) {
  const scanner = createScanner({ literals: { groups: [] }, ignoreCase: false });
  scanner.grow(bytes.length);
  scanner.bytes.set(bytes);
  const { binary, pieces } = contentsOf(scanner, bytes.length, context);
  assert(!binary && pieces !== null);
  return [...pieces];
}

function randomLines(random: Random, bytes: number): string {
  const parts: string[] = [];
  for (let have = 0; have < bytes;) {
    const length = random.once(40) ? random.below(300_000) : random.below(200);
    parts.push(
      random.pick(["a", "é", "日", "🦕", "\ufeff"]).repeat(length / 3) + `${parts.length}`,
    );
    have += length;
  }
  return parts.join("\n") + random.pick(["", "\n", "\r\n"]);
}

Deno.test("the pieces of a large file are its lines, with lines around them", () => {
  const random = new Random(61);
  for (const size of [MIB - 100, MIB, 2 * MIB, 5 * MIB]) {
    const text = randomLines(random, size);
    for (const context of [0, 1, 3, 1000]) {
      const pieces = piecesOf(new TextEncoder().encode(text), context);
      const own = pieces.map(({ text, start, end }) => text.slice(start, end));
      assert(own.join("") === text.replace(/^\ufeff/, ""));
      let before = "";
      for (const [index, { text: whole, start, end }] of pieces.entries()) {
        const rest = own.slice(index + 1).join("");
        const linesOf = (part: string) => part.split("\n");
        assert(index === pieces.length - 1 || own[index]?.endsWith("\n"));
        assert(whole.slice(0, start) === linesOf(before).slice(-context - 1).join("\n"));
        const behind = linesOf(rest).slice(0, context).join("\n");
        assert(whole.slice(end).replace(/\n$/, "") === behind.replace(/\n$/, ""));
        before += own[index];
      }
    }
  }
});

Deno.test("a search in pieces finds what a search in the whole finds", () => {
  const random = new Random(62);
  const pattern = compilePattern({ pattern: "(7|é)\\d*$", literal: false, case_sensitive: true });
  const search = createTextSearch(pattern);
  const text = randomLines(random, 4 * MIB);
  const whole = { text, start: 0, end: text.length };
  for (const context of [0, 2]) {
    for (const wanted of [0, 3, 100_000]) {
      const options = { wanted, context, pause: () => {} };
      const pieces = piecesOf(new TextEncoder().encode(text), context);
      assert(pieces.length > 2);
      assertEquals(search(pieces, options), search([whole], options));
    }
  }
});

Deno.test("a NUL ends the text, in whichever piece it stands", () => {
  const line = "needle\n";
  const lines = line.repeat(3 * MIB / line.length);
  for (const at of [10_000, MIB - 3, MIB + 5, 2 * MIB, 3 * MIB - 100]) {
    const bytes = new TextEncoder().encode(`${lines.slice(0, at)}\0${lines.slice(at)}`);
    for (const context of [0, 2]) {
      const own = piecesOf(bytes, context).map(({ text, start, end }) => text.slice(start, end));
      assert(own.join("") === lines.slice(0, at), `${at}`);
      for (const { text } of piecesOf(bytes, context)) assert(!text.includes("\0"));
    }
  }
});
