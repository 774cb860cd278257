import { assert, assertEquals, assertThrows } from "@std/assert";
import { FLAGS, parseCommandLine } from "../../../src/cli/flags.ts";
import { UsageError } from "../../../src/cli/usage_error.ts";
import { Random } from "../../random.ts";

/** Words, values and switches of a line, short enough for a table. */
function parsed(...argv: readonly string[]) {
  const { words, values, switches } = parseCommandLine(argv);
  return [words, values, [...switches]];
}

Deno.test("flags stand anywhere, and what is none is a word", () => {
  const cases: readonly (readonly [readonly string[], ReturnType<typeof parsed>])[] = [
    [[], [[], {}, []]],
    [["call", "read_file", "path=a"], [["call", "read_file", "path=a"], {}, []]],
    [["--agent", "x", "call", "t"], [["call", "t"], { agent: ["x"] }, []]],
    [["call", "--agent=x", "t"], [["call", "t"], { agent: ["x"] }, []]],
    [["call", "--preview", "t"], [["call", "t"], {}, ["preview"]]],
    [["--policy", "a", "--policy=b"], [[], { policy: ["a", "b"] }, []]],
    [["call", "t", "--json", "-"], [["call", "t"], { json: ["-"] }, []]],
    [["call", "t", "--json", "--x"], [["call", "t"], { json: ["--x"] }, []]],
    [["call", "t", "old=--preview", "n=-1", "-1", "-"], [
      ["call", "t", "old=--preview", "n=-1", "-1", "-"],
      {},
      [],
    ]],
    [["call", "--", "--agent", "x"], [["call", "--agent", "x"], {}, []]],
    [["--root="], [[], { root: [""] }, []]],
    [["-h"], [[], {}, ["help"]]],
    [["-V"], [[], {}, ["version"]]],
  ];
  for (const [argv, expected] of cases) assertEquals(parsed(...argv), expected, argv.join(" "));
});

Deno.test("a line that cannot be understood says what would be", () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--polcy", "x"], "--policy"],
    [["--zzzzzz"], "--help"],
    [["-x"], "no flag -x"],
    [["-"], ""],
    [["--agent"], "--agent ID"],
    [["--agent", "a", "--agent", "b"], "twice"],
    [["--preview=yes"], "takes no value"],
    [["--__proto__", "x"], "no flag"],
    [["--constructor=1"], "no flag"],
  ];
  for (const [argv, words] of cases) {
    if (words === "") parseCommandLine(argv);
    else assertThrows(() => parseCommandLine(argv), UsageError, words, argv.join(" "));
  }
});

Deno.test("whatever the words, none is lost and nothing else is thrown", () => {
  const random = new Random(17);
  const pieces = ["--", "-", "=", "policy", "agent", "a b", "é", "\n", "x", "--json", "root"];
  for (let round = 0; round < 5_000; round++) {
    const argv = Array.from({ length: random.below(6) }, () => random.text(3, pieces));
    try {
      const { words, values } = parseCommandLine(argv);
      for (const word of words) assert(argv.includes(word));
      for (const name of Object.keys(values)) assert(FLAGS.some((flag) => flag.name === name));
    } catch (error) {
      assert(error instanceof UsageError, String(error));
    }
  }
});
