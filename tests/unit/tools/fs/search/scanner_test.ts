import { assert, assertEquals } from "@std/assert";
import { createScanner } from "../../../../../src/tools/fs/search/scanner.ts";
import { Random } from "../../../../random.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a scanner finds its literals wherever they stand, and nothing behind the contents", () => {
  const random = new Random(31);
  const alphabet = [..."aAbB_ é"];
  let hits = 0;
  for (let round = 0; round < 3000; round++) {
    const ignoreCase = random.once(2);
    const literals = Array.from({ length: 1 + random.below(3) }, () => {
      const text = random.pick(alphabet) + random.text(random.pick([0, 2, 4, 20]), alphabet);
      return ignoreCase ? text.toLowerCase().replaceAll("é", "e") : text;
    });
    const scanner = createScanner({ literals: { groups: [literals] }, ignoreCase });
    // What a longer file before it has left behind.
    scanner.bytes.set(bytes(literals.join("").repeat(20)));
    for (let probe = 0; probe < 4; probe++) {
      const text = random.text(random.pick([3, 20, 80]), alphabet) +
        (random.once(3) ? random.pick(literals) : "") + random.text(3, alphabet);
      const contents = bytes(text);
      scanner.bytes.set(contents);
      const fold = (one: string) =>
        ignoreCase ? one.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : one;
      const expected = literals.some((literal) => fold(text).includes(literal));
      const label = `${JSON.stringify(literals)} ${ignoreCase} ${JSON.stringify(text)}`;
      assertEquals(scanner.holdsLiterals(contents.length), expected, label);
      if (expected) hits++;
    }
  }
  assert(hits > 2000, `${hits}`);
});

Deno.test("a scanner sees a NUL wherever it stands, and none behind the contents", () => {
  const scanner = createScanner({ literals: { groups: [] }, ignoreCase: false });
  for (const length of [0, 1, 15, 16, 17, 47, 48, 49, 64, 95, 96, 97, 150]) {
    scanner.bytes.fill(0, 0, 300);
    scanner.bytes.fill(1, 0, length);
    assert(!scanner.holdsNul(length), `${length}`);
    for (let at = 0; at < length; at++) {
      scanner.bytes[at] = 0;
      assert(scanner.holdsNul(length), `${at} of ${length}`);
      scanner.bytes[at] = 1;
    }
  }
  assert(scanner.holdsLiterals(0));
});

Deno.test("a scanner grows and keeps what is in it", () => {
  const scanner = createScanner({ literals: { groups: [["needle"]] }, ignoreCase: false });
  const before = scanner.bytes.length;
  scanner.bytes.set(bytes("nee"), before - 3);
  scanner.grow(before + 3);
  assert(scanner.bytes.length >= before + 3);
  scanner.bytes.set(bytes("dle"), before);
  assert(scanner.holdsLiterals(before + 3));
  assert(!scanner.holdsLiterals(before + 2));
  const { length } = scanner.bytes;
  scanner.bytes.set(bytes("needle"), length - 6);
  assert(scanner.holdsLiterals(length));
  scanner.grow(5);
  assertEquals(scanner.bytes.length, length);
});
