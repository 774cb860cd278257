import { assert, assertEquals } from "@std/assert";
import { closestPassage } from "../../../../../src/tools/fs/edit/closest_passage.ts";
import { linesOf } from "../../../../../src/tools/fs/edit/compare_passage.ts";
import { describeDifference, quotedLine } from "../../../../../src/tools/fs/edit/difference.ts";
import { Random } from "../../../../random.ts";

const WHOLE = { begins: true, ends: true };
const PART = { begins: false, ends: false };

Deno.test("what cannot be seen is said in words", () => {
  const cases: readonly (readonly [string, string, typeof WHOLE, string])[] = [
    ["    a", "\ta", WHOLE, "indentation: the file has 4 spaces, old has 1 tab"],
    ["\t  a", "a", WHOLE, "indentation: the file has 1 tab, then 2 spaces, old has no blanks"],
    ["\u00a0a", " a", WHOLE, "indentation: the file has 1 no-break space, old has 1 space"],
    ["a", "a ", WHOLE, "the end of the line: the file has no blanks, old has 1 space"],
    ["a\r", "a", WHOLE, "the end of the line: the file has 1 carriage return, old has no blanks"],
    [
      " a ",
      "a",
      WHOLE,
      "indentation: the file has 1 space, old has no blanks; " +
      "the end of the line: the file has 1 space, old has no blanks",
    ],
    ["  ", "", WHOLE, "indentation: the file has 2 spaces, old has no blanks"],
    ["a  b", "a b", WHOLE, 'blanks inside the line: after "a " the file has " b", old has "b"'],
    ["ABC", "Abc", WHOLE, 'upper and lower case: after "A" the file has "BC", old has "bc"'],
    [
      "é",
      "e\u0301",
      WHOLE,
      'the same letters composed in two ways: the file has "é", old has "é"',
    ],
    [
      "it’s",
      "it's",
      WHOLE,
      'quotes, dashes or spaces that look alike: after "it" the file has "’s", old has "\'s"',
    ],
    ["a – b", "a - b", WHOLE, "quotes, dashes or spaces that look alike: after"],
    ["caf\ufffd", "café", WHOLE, "the file has bytes there that are not in its encoding"],
    ["foo(a, b)", "foo(a, c)", WHOLE, 'after "foo(a, " the file has "b)", old has "c)"'],
    ["foo", "foobar", WHOLE, 'after "foo" the file has nothing more, old has "bar"'],
    ["🦕a", "🦖a", WHOLE, 'the file has "🦕a", old has "🦖a"'],
    ["  export let x = 1;", "let x = 2;", PART, 'after "let x = " the file has "1;", old has "2;"'],
    ["same", "same", WHOLE, ""],
  ];
  for (const [file, old, edges, expected] of cases) {
    const said = describeDifference(file, old, edges).normalize("NFC");
    assert(said.startsWith(expected) && (expected !== "" || said === ""), `${file}: ${said}`);
  }
  assertEquals(quotedLine("\ta\u202e"), '"\\ta\\u202e"');
});

Deno.test("the closest passage is the one that was meant", () => {
  const random = new Random(8);
  const words = [
    "const",
    "value",
    "return",
    "if",
    "items",
    "name",
    "call",
    "42",
    "(",
    ")",
    "{",
    "}",
  ];
  for (let round = 0; round < 300; round++) {
    const line = () =>
      " ".repeat(random.below(3) * 2) + "line of " + random.text(6, words.map((w) => `${w} `)) +
      random.below(1000);
    const lines = Array.from({ length: 30 + random.below(100) }, line);
    const count = 2 + random.below(8);
    const at = random.below(lines.length - count);
    const wanted = lines.slice(at, at + count);
    const place = 1 + random.below(count - 1);
    const meant = wanted[place] ?? "";
    switch (random.below(4)) {
      case 0:
        wanted[place] = `${meant} x`;
        break;
      case 1:
        wanted[place] = `\t${meant.trim()}`;
        break;
      case 2:
        wanted[place] = meant.replace(/\d/, "x");
        break;
      default:
        // A line more than the file has.
        wanted.splice(place, 0, "// a comment of its own");
    }
    const found = closestPassage(linesOf(lines.join("\n")), wanted);
    assertEquals(
      found?.from,
      at,
      JSON.stringify({ wanted, near: lines.slice(at - 1, at + count) }),
    );
    assertEquals(found?.first?.wanted, place);
    assertEquals(found?.first?.line, at + place);
  }
});

Deno.test("lines that one of the two has more are told from lines that changed", () => {
  const text = "alpha one\nbeta two\ngamma three\ndelta four\nepsilon five";
  const cases: readonly (readonly [string, string, number, number])[] = [
    ["alpha one\ngamma three\ndelta four", "extra", 1, 1],
    ["alpha one\ndelta four\nepsilon five", "extra", 1, 2],
    ["alpha one\nbeta two\nnew line\ngamma three", "missing", 2, 1],
    ["alpha one\nbeta 2\ngamma three", "changed", 1, 1],
    ["delta four\nepsilon five\nzeta six", "missing", 5, 1],
  ];
  for (const [wanted, kind, line, count] of cases) {
    const first = closestPassage(linesOf(text), wanted.split("\n"))?.first;
    assertEquals([first?.kind, first?.line, first?.count], [kind, line, count], wanted);
  }
});

Deno.test("where nothing is alike, nothing is shown", () => {
  for (const wanted of ["qwertz", "}\n}\n}\n}\n}", " ", "\n\n\n", "%%%%"]) {
    assertEquals(closestPassage(linesOf("alpha\nbeta\ngamma"), wanted.split("\n")), null, wanted);
  }
  assertEquals(closestPassage(linesOf(""), ["a"]), null);
});

Deno.test("a passage in one endless line is found where it is", () => {
  const text = Array.from({ length: 20_000 }, (_, at) => `f${at}(${at * 7});`).join("");
  const found = closestPassage(linesOf(text), ["f17000(119001);"]);
  assertEquals(found?.first?.column, text.indexOf("f17000("));
});

Deno.test("whatever is looked for in whatever, an answer comes", () => {
  const random = new Random(9);
  const alphabet = ["a", "aaaa", "\n", " ", "é", "\ud800", "İ", "word ", "}\n", "\t"];
  for (let round = 0; round < 2000; round++) {
    const lines = linesOf(random.text(60, alphabet));
    const found = closestPassage(lines, random.text(20, alphabet).split("\n"));
    if (found === null) continue;
    assert(found.from >= 0 && found.from < lines.starts.length);
    assert(found.to >= found.from && found.to <= lines.starts.length);
  }
});
