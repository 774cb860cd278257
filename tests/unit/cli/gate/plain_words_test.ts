import { assertEquals } from "@std/assert";
import { plainCall } from "../../../../src/cli/gate/_plain_words.ts";
import { parseCommandLine } from "../../../../src/cli/flags.ts";

const NONE = { gate: "", format: "" };

/** Words, what they ask there, and where the gate is. */
const PLAIN: readonly (readonly [string[], readonly string[], string])[] = [
  [["call", "read_file", "path=a.txt", "--gate", "g"], ["path=a.txt"], "g"],
  [["--gate=g=h", "call", "read_file", "path=-", "-1", "a b"], ["path=-", "-1", "a b"], "g=h"],
  [["call", "--gate", "--gate=x", "git_status"], [], "--gate=x"],
  [["call", "read_file", "", "-", 'path="\n\u2028'], ["", "-", 'path="\n\u2028'], "around"],
];

Deno.test("a plain call is the call that the whole command line would be taken for", () => {
  for (const [argv, words, gate] of PLAIN) {
    const plain = plainCall(argv, { ...NONE, gate: "around" });
    const line = parseCommandLine(argv);
    const [, tool, ...rest] = line.words;
    assertEquals([rest, line.values["gate"]?.[0] ?? "around"], [[...words], gate]);
    assertEquals(plain?.gate, gate);
    assertEquals(JSON.parse(plain?.request ?? ""), {
      id: "call",
      tool,
      args: {},
      ...(rest.length === 0 ? {} : { words: rest }),
    });
  }
});

Deno.test("what is not plain is left to who takes all of it apart", () => {
  const others: readonly (readonly [string[], Partial<typeof NONE>?])[] = [
    [["call", "read_file"]],
    [["call", "--gate", "g"]],
    [["call", "read_file", "--gate"]],
    [["call", "read_file", "--gate="], { gate: "around" }],
    [["tools", "call", "--gate", "g"]],
    [["call", "read_file", "--gate", "g", "--gate", "g"]],
    [["call", "read_file", "--gates=g"], { gate: "g" }],
    [["call", 'a","success":true,', "--gate", "g"]],
    [["call", "read_file", "--gate", "g"], { format: "text" }],
    ...["--help", "-h", "--", "--approve", "--json={}", "--agent=x", "--token=t", "--root=/", "-x"]
      .map((flag): [string[]] => [["call", "read_file", flag, "--gate", "g"]]),
  ];
  for (const [argv, around] of others) {
    assertEquals(plainCall(argv, { ...NONE, ...around }), null, argv.join(" "));
  }
});
