import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  matchesCommand,
  parseCommandPattern,
  parseProgramPattern,
  PatternError,
  splitCommand,
} from "../../../../src/policy/match/argv.ts";
import { Random } from "../../../random.ts";

const MATCHES: readonly [pattern: string, commands: string[][], others: string[][]][] = [
  ["git push", [["git", "push"], ["git", "push", "-f"]], [["git"], ["git", "pushx"], ["gitpush"]]],
  ["git {status,diff}", [["git", "status"], ["git", "diff", "x"]], [["git", "log"]]],
  ["git {stash,{list,show}x,log}", [["git", "showx"], ["git", "log"]], [["git", "show"]]],
  ["npm run test:*", [["npm", "run", "test:"], ["npm", "run", "test:a/b"]], [[
    "npm",
    "run",
    "test",
  ]]],
  ["ls *", [["ls", ""], ["ls", "a b"]], [["ls"]]],
  ["*", [["anything"], ["/x/y", "z"]], []],
  ["a*c*", [["abcd"], ["ac"], ["a/c/"]], [["ab"], ["xac"]]],
  ["*a*a", [["aa"], ["bab a"]], [["a"], ["ab"]]],
  ["'git push'", [["git push"]], [["git", "push"]]],
  [`echo "a b" 'c*'`, [["echo", "a b", "c*"]], [["echo", "a b", "cd"]]],
  [`echo "a\\"b"`, [["echo", 'a"b']], []],
  [`echo "a\\nb"`, [["echo", "a\\nb"]], [["echo", "anb"]]],
  ["echo a\\ b", [["echo", "a b"]], [["echo", "a", "b"]]],
  ["echo \\*", [["echo", "*"]], [["echo", "x"]]],
  ["echo \\{a,b}".replace("}", "\\}"), [["echo", "{a,b}"]], [["echo", "a"]]],
  ["echo ''", [["echo", ""], ["echo", "", "x"]], [["echo"], ["echo", "x"]]],
  ["  git\t push ", [["git", "push"]], []],
  ["rm -rf /", [["rm", "-rf", "/"]], [["rm", "-rf", "/tmp"]]],
  ["git {,--no-pager}", [["git", ""], ["git", "--no-pager"]], [["git", "x"]]],
];

Deno.test("the program of a pattern alone is read as it is with all of the pattern", () => {
  const random = new Random(7);
  const signs = ["a", "b", "{", "}", ",", "*", " ", "\t", "'", '"', "\\", "[", "/"];
  const made = Array.from(
    { length: 4_000 },
    () => Array.from({ length: random.below(12) }, () => random.pick(signs)).join(""),
  );
  let read = 0;
  for (const text of [...MATCHES.map(([pattern]) => pattern), ...made]) {
    let whole;
    try {
      whole = parseCommandPattern(text);
    } catch (error) {
      if (error instanceof PatternError) continue;
      throw error;
    }
    read++;
    assertEquals(parseProgramPattern(text), whole.tokens[0], JSON.stringify(text));
  }
  assert(read > 500, String(read));
});

for (const [pattern, commands, others] of MATCHES) {
  Deno.test(`command pattern ${pattern}`, () => {
    const parsed = parseCommandPattern(pattern);
    for (const argv of commands) {
      assert(matchesCommand(parsed, argv, { exact: false }), JSON.stringify(argv));
    }
    for (const argv of others) {
      assert(!matchesCommand(parsed, argv, { exact: false }), JSON.stringify(argv));
    }
  });
}

Deno.test("exact: the pattern is the whole argv", () => {
  const pattern = parseCommandPattern("git branch");
  assert(matchesCommand(pattern, ["git", "branch"], { exact: true }));
  assert(!matchesCommand(pattern, ["git", "branch", "-D"], { exact: true }));
  assert(!matchesCommand(pattern, ["git"], { exact: true }));
  assert(!matchesCommand(pattern, [], { exact: true }));
});

Deno.test("names: the program may go by any of them", () => {
  const pattern = parseCommandPattern("python3 -V");
  assert(matchesCommand(pattern, ["/usr/bin/python3", "-V"], { exact: false, names: ["python3"] }));
  assert(!matchesCommand(pattern, ["/usr/bin/python3", "-V"], { exact: false }));
});

const WRONG: readonly [pattern: string, message: string][] = [
  ["", "empty"],
  ["   ", "empty"],
  ["''", "names no program"],
  ["git 'push", "' is not closed"],
  ['git "push', '" is not closed'],
  ["git push\\", "lone backslash"],
  ["git {a", "{ is not closed"],
  ["git a}", "} without its {"],
  ["git {a}", "two alternatives"],
  ["git {}", "two alternatives"],
  // A blank ends the token, in a group too.
  ["git {stash {list,show},log}", "{ is not closed"],
  ["git \0", "NUL"],
  ["x".repeat(5000), "longer than"],
];

for (const [pattern, message] of WRONG) {
  Deno.test(`command pattern error ${pattern.slice(0, 20)}`, () => {
    const error = assertThrows(() => parseCommandPattern(pattern), PatternError);
    assertStringIncludes(error.message, message);
  });
}

Deno.test("splitCommand() takes examples apart as patterns are", () => {
  assertEquals(splitCommand(`a "b c" 'd "e' f\\ g {x,y} *`), [
    "a",
    "b c",
    'd "e',
    "f g",
    "{x,y}",
    "*",
  ]);
  assertThrows(() => splitCommand("'x"), PatternError);
});

// A reference made of the same pieces: each token is a list of alternatives, each a regular expression.
Deno.test("fuzz: patterns match as regular expressions of the same pieces do", () => {
  const random = new Random(31);
  const letters = ["a", "b", "-", "/", "*", "{", ",", "}", "\\", "'", " ", "é"];
  const escape = (letter: string) => letter.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  let matched = 0;
  for (let round = 0; round < 20_000; round++) {
    const alternative = () =>
      Array.from({ length: 1 + random.below(3) }, () => {
        if (random.once(3)) return { text: "*", source: "[^]*" };
        const letter = random.pick(letters);
        const plain = /[a-z/é-]/.test(letter);
        return { text: plain ? letter : `\\${letter}`, source: escape(letter) };
      });
    const tokens = Array.from({ length: 1 + random.below(3) }, () => {
      const alternatives = Array.from({ length: 1 + random.below(2) }, alternative);
      const texts = alternatives.map((one) => one.map(({ text }) => text).join(""));
      const sources = alternatives.map((one) => one.map(({ source }) => source).join(""));
      return {
        text: texts.length === 1 ? texts[0]! : `{${texts.join(",")}}`,
        expression: new RegExp(`^(?:${sources.join("|")})$`, "u"),
      };
    });
    const argv = Array.from(
      { length: random.below(5) },
      (_, index) =>
        index === 0 ? random.pick(letters) + random.text(2, letters) : random.text(3, letters),
    );
    const exact = random.once(2);
    const expected = argv.length >= tokens.length && (!exact || argv.length === tokens.length) &&
      tokens.every(({ expression }, index) => expression.test(argv[index]!));
    if (expected) matched++;
    const text = tokens.map((token) => token.text).join(" ");
    assertEquals(
      matchesCommand(parseCommandPattern(text), argv, { exact }),
      expected,
      `${text} ${JSON.stringify(argv)} exact ${exact}`,
    );
  }
  assert(matched > 500);
});

Deno.test("random text never makes the parser throw anything but a PatternError", () => {
  const random = new Random(6);
  for (let round = 0; round < 20_000; round++) {
    const text = random.text(14, [..."ab*{},\\'\" \t\0é😀"]);
    try {
      const argv = splitCommand(text);
      parseCommandPattern(text);
      assert(argv.length > 0);
    } catch (error) {
      assert(error instanceof PatternError, `${JSON.stringify(text)}: ${error}`);
    }
  }
});
