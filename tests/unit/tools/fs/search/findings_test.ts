/** What is found here and there comes to the same as what is found in one go. */

import { assertEquals } from "@std/assert";
import { Findings, type SearchPart, Tally } from "../../../../../src/tools/fs/search/findings.ts";
import type { LineMatch } from "../../../../../src/tools/fs/search/_text.ts";
import { Random } from "../../../../random.ts";

interface File {
  readonly path: string;
  readonly matches: readonly LineMatch[];
  readonly binary: boolean;
}

function line(number: number, length = 10): LineMatch {
  return { line: number, column: 1, content: "x".repeat(length) };
}

function look({ path, matches, binary }: File, findings: Findings): void {
  if (binary) findings.skipped++;
  else {
    findings.searched++;
    findings.bytes += path.length;
    // As a search does: no more than are wanted, and all counted.
    findings.add(path, matches.slice(0, Math.max(0, findings.wanted)), matches.length);
  }
}

function foundIn(files: readonly File[], most: number): SearchPart {
  const findings = new Findings(most);
  for (const file of files) look(file, findings);
  return findings;
}

function plain({ matches, total, searched, skipped, bytes }: SearchPart): SearchPart {
  return { matches, total, searched, skipped, bytes };
}

function inventFiles(random: Random): readonly File[] {
  const long = random.once(4);
  return Array.from({ length: random.below(60) }, (_, index) => ({
    path: `f${index}`,
    matches: Array.from(
      { length: random.once(3) ? random.below(8) : 0 },
      (_, at) => line(at + 1, long ? 30_000 : 10),
    ),
    binary: random.once(10),
  }));
}

Deno.test("fuzz: runs that come in late, in any way, leave the answer as it is", () => {
  const random = new Random(11);
  for (let round = 0; round < 2000; round++) {
    const files = inventFiles(random);
    const most = random.below(30);
    const expected = plain(foundIn(files, most));
    const tally = new Tally(most);
    const away: { place: number; text: string }[] = [];
    let place = 0;
    for (let at = 0; at < files.length;) {
      if (random.once(3)) {
        const run = files.slice(at, at + 1 + random.below(5));
        const text = JSON.stringify(foundIn(run, tally.wanted(place + 1)));
        away.push({ place: place + 1, text });
        place += 2;
        at += run.length;
      } else look(files[at++] as File, tally.at(place));
      while (away.length > 0 && random.once(2)) {
        const [late] = away.splice(random.below(away.length), 1);
        if (late !== undefined) tally.put(late.place, JSON.parse(late.text) as SearchPart);
      }
    }
    for (const { place, text } of away) tally.put(place, JSON.parse(text) as SearchPart);
    assertEquals(plain(tally.result()), expected, `round ${round}`);
    assertEquals(tally.searched, expected.searched);
  }
});

Deno.test("what can no longer be among the first is not asked for", () => {
  const tally = new Tally(5);
  assertEquals(tally.wanted(1), 5);
  tally.put(7, foundIn([{ path: "b", matches: [line(1), line(2)], binary: false }], 5));
  assertEquals([tally.wanted(5), tally.wanted(9)], [5, 3]);
  look({ path: "a", matches: [line(1), line(2), line(3), line(4)], binary: false }, tally.at(2));
  assertEquals([tally.wanted(1), tally.wanted(3), tally.wanted(9)], [5, 1, 0]);
  assertEquals(tally.result().matches.map(({ file }) => file), ["a", "a", "a", "a", "b"]);
  assertEquals(tally.result().total, 6);
});
