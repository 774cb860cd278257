import { assertEquals } from "@std/assert";
import { readCargoTest } from "../../../../src/tools/exec/reports/cargo_test.ts";
import { readDenoTest } from "../../../../src/tools/exec/reports/deno_test.ts";
import { readGoTest } from "../../../../src/tools/exec/reports/go_test.ts";
import { readJest } from "../../../../src/tools/exec/reports/jest.ts";
import { readMocha } from "../../../../src/tools/exec/reports/mocha.ts";
import { readAny } from "../../../../src/tools/exec/reports/printed_tests.ts";
import { readPytest } from "../../../../src/tools/exec/reports/pytest.ts";
import type { ReadTests, TestReport } from "../../../../src/tools/exec/reports/report.ts";
import { readTap } from "../../../../src/tools/exec/reports/tap.ts";
import { readUnittest } from "../../../../src/tools/exec/reports/unittest.ts";
import { recorded } from "./_recorded.ts";

function countsOf(report: TestReport | null): readonly number[] {
  return report === null ? [] : [report.passed, report.failed, report.skipped];
}

const out = (stdout: string) => ({ stdout, stderr: "" });

/** Recording, reader, passed, failed, skipped, and of each failure name, file, line and first line. */
type Row = readonly [
  string,
  ReadTests,
  readonly [number, number, number],
  readonly (readonly [string, string | undefined, number | undefined, string])[],
];

const ROWS: readonly Row[] = [
  ["pytest", readPytest, [2, 5, 2], [
    ["tests/test_calc.py::test_wrong", "tests/test_calc.py", 9, "AssertionError: sum is off"],
    [
      "tests/test_calc.py::test_param[a - b]",
      "tests/test_calc.py",
      12,
      "AssertionError: assert 'a - b' == 1",
    ],
    ["tests/test_calc.py::TestBox::test_in", "tests/test_calc.py", 28, "ValueError: deep"],
    ["tests/test_calc.py::Old::test_eq", "tests/test_calc.py", 31, "AssertionError: 1 != 2"],
    ["tests/test_calc.py::test_fix", "tests/test_calc.py", 21, "RuntimeError: no fixture"],
  ]],
  ["pytest_collection", readPytest, [0, 1, 0], [
    [
      "tests/test_syntax.py",
      "tests/test_syntax.py",
      1,
      'File "/project/tests/test_syntax.py", line 1',
    ],
  ]],
  ["unittest", readUnittest, [1, 7, 2], [
    ["test_old.A.test_err", "/project/test_old.py", 7, "KeyError: 'k'"],
    ["test_old.B.setUpClass", "/project/test_old.py", 19, "RuntimeError: cls"],
    [
      "unittest.loader._FailedTest.test_syn",
      "/project/test_syn.py",
      1,
      "SyntaxError: invalid syntax",
    ],
    ["test_old.A.test_bad", "/project/test_old.py", 6, "AssertionError: Lists differ: [1] != [2]"],
    ["test_old.A.test_sub (i=0)", "/project/test_old.py", 16, "AssertionError: 0 != 1"],
    ["test_old.A.test_sub (i=2)", "/project/test_old.py", 16, "AssertionError: 2 != 1"],
    ["test_old.A.test_us", undefined, undefined, "passed, though it was expected to fail"],
  ]],
  ["node_tap", readTap, [2, 4, 2], [
    ["wrong # of items", "/project/a.test.mjs", 4, "one is not two"],
    ["group > inner bad", "/project/a.test.mjs", 7, "deep"],
    [
      "deep equal",
      "/project/a.test.mjs",
      8,
      "Expected values to be strictly deep-equal:",
    ],
    ["/project/b.test.mjs", "/project/b.test.mjs", 1, "test failed"],
  ]],
  ["deno_test", readDenoTest, [2, 3, 1], [
    ["wrong - it is", "./a_test.ts", 2, "TypeError: deep"],
    ["steps ... bad", "./a_test.ts", 4, "Error: step"],
    ["./c_test.ts", "./c_test.ts", undefined, "(in promise) Error: load"],
  ]],
  ["deno_check", readDenoTest, [0, 3, 0], [
    [
      "TS2307 in file:///project/b_test.ts",
      "file:///project/b_test.ts",
      1,
      "Cannot find module 'file:///project/nowhere.ts'.",
    ],
    [
      "TS2322 in file:///project/bad.ts",
      "file:///project/bad.ts",
      2,
      "Type 'number' is not assignable to type 'string'.",
    ],
    [
      "TS2339 in file:///project/bad.ts",
      "file:///project/bad.ts",
      3,
      "Property 'foo' does not exist on type 'string'.",
    ],
  ]],
  ["jest", readJest, [1, 2, 2], [
    [
      "group > inner bad",
      "/project/a.test.js",
      2,
      "Error: expect(received).toEqual(expected) // deep equality",
    ],
    ["/project/b.test.js", "/project/b.test.js", undefined, "● Test suite failed to run"],
  ]],
  ["vitest", readJest, [1, 2, 2], [
    [
      "group > inner bad",
      "/project/a.test.js",
      3,
      "AssertionError: expected { a: 1 } to deeply equal { a: 2 }",
    ],
    ["/project/b.test.js", "/project/b.test.js", 1, "Parse failure: Expression expected"],
  ]],
  ["mocha", readMocha, [1, 1, 1], [["group bad", "/project/test.js", 2, "deep"]]],
  ["go_test", (output) => readGoTest(output, "example.com/demo"), [1, 3, 1], [
    ["TestWrong/sub_case", "a_test.go", 4, "a_test.go:4: inner"],
    ["TestWrong", "a_test.go", 4, "a_test.go:4: got 3"],
    [
      "example.com/demo/bad",
      "bad/b.go",
      2,
      'bad/b.go:2:23: cannot use "x" (untyped string constant) as int value in return statement',
    ],
  ]],
  ["cargo_test", readCargoTest, [1, 2, 1], [
    [
      "tests::no_panic",
      "src/lib.rs",
      8,
      "note: test did not panic as expected at src/lib.rs:8:32",
    ],
    ["tests::wrong", "src/lib.rs", 6, "thread 'tests::wrong' (25242) panicked at src/lib.rs:6:26:"],
  ]],
  ["cargo_broken", readCargoTest, [0, 1, 0], [
    ["E0425", "src/lib.rs", 10, "cannot find value `x` in this scope"],
  ]],
];

Deno.test("recorded test runs are read: counts, names, places, what went wrong", () => {
  for (const [name, read, [passed, failed, skipped], failures] of ROWS) {
    const report = read(recorded(name));
    assertEquals(
      countsOf(report),
      [passed, failed, skipped],
      name,
    );
    assertEquals(
      report?.failures.map(({ name, file, line, message }) =>
        [name, file, line, message.split("\n")[0] ?? ""] as const
      ),
      failures,
      name,
    );
  }
});

Deno.test("a script's output is read as the program's own", () => {
  for (const [name, read] of ROWS.filter(([name]) => name !== "deno_check" && name !== "go_test")) {
    assertEquals(readAny(recorded(name)), read(recorded(name)), name);
  }
});

Deno.test("printed summaries are counted where nothing more exact is there", () => {
  const cases:
    readonly (readonly [string, readonly [number, number, number], readonly string[]])[] = [
      [
        "  ● group › inner bad\n\nTests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total\n",
        [3, 1, 2],
        ["group › inner bad"],
      ],
      [
        " FAIL  a.test.js > group > bad\n      Tests  1 failed | 2 passed | 1 skipped (4)\n",
        [2, 1, 1],
        ["group > bad"],
      ],
      ["  1 passing (3ms)\n  1 pending\n  1 failing\n\n  1) group\n       bad:\n", [1, 1, 1], [
        "group",
      ]],
      [
        "ℹ tests 4\nℹ pass 2\nℹ fail 1\nℹ skipped 1\nℹ todo 0\n\n✖ failing tests:\n\n✖ wrong (0.5ms)\n",
        [2, 1, 1],
        ["wrong"],
      ],
    ];
  for (const [text, [passed, failed, skipped], names] of cases) {
    const report = readAny(out(text));
    assertEquals(countsOf(report), [passed, failed, skipped]);
    assertEquals(report?.failures.map(({ name }) => name), names);
  }
});

Deno.test("counts come from a program's last word, not from what tests print", () => {
  const spoofed = "===== 99 passed in 0.01s =====\n";
  assertEquals(readPytest(out(`${spoofed}===== 1 failed, 2 passed in 3.10s =====\n`))?.passed, 2);
  assertEquals(readPytest(out("no tests ran in 0.00s\n")), {
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
  });
  assertEquals(
    readDenoTest(out("ok | 9 passed | 0 failed (1ms)\nFAILED | 1 passed | 2 failed (3ms)\n"))
      ?.failed,
    2,
  );
});

Deno.test("what is no report is none", () => {
  const texts = [
    "",
    "ok\n",
    "not ok\n",
    "all fine\n",
    "{}",
    "[]",
    '{"numTotalTests": 1',
    "\0\ufffd",
  ];
  for (const text of texts) {
    assertEquals(readAny(out(text)), null, JSON.stringify(text));
    assertEquals(readAny({ stdout: "", stderr: text }), null, JSON.stringify(text));
  }
});

Deno.test("TAP of other writers: plain points, directives, an end before its time", () => {
  const cases: readonly (readonly [string, readonly [number, number, number]])[] = [
    ["1..3\nok 1 - a\nnot ok 2 - b\nok 3 # skip none\n", [1, 1, 1]],
    ["TAP version 13\n1..0\n", [0, 0, 0]],
    ["TAP version 14\nok\nok\n1..2\n", [2, 0, 0]],
    ["TAP version 13\nok 1 - a\nBail out! no database\n", [1, 1, 0]],
    ["TAP version 13\nnot ok 1 - name \\# hash # TODO later\n1..1\n", [0, 0, 1]],
  ];
  for (const [text, expected] of cases) {
    const report = readTap(out(text));
    assertEquals(countsOf(report), expected, text);
  }
});
