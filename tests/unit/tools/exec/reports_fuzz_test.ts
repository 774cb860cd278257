import { assert } from "@std/assert";
import { readCargoTest } from "../../../../src/tools/exec/reports/cargo_test.ts";
import { readDenoCheck } from "../../../../src/tools/exec/reports/deno_check.ts";
import { readDenoTest } from "../../../../src/tools/exec/reports/deno_test.ts";
import { readGoTest } from "../../../../src/tools/exec/reports/go_test.ts";
import * as json from "../../../../src/tools/exec/reports/json_findings.ts";
import { readJest } from "../../../../src/tools/exec/reports/jest.ts";
import * as lines from "../../../../src/tools/exec/reports/located_lines.ts";
import { readMocha } from "../../../../src/tools/exec/reports/mocha.ts";
import { readAny } from "../../../../src/tools/exec/reports/printed_tests.ts";
import { readPytest } from "../../../../src/tools/exec/reports/pytest.ts";
import * as reformatted from "../../../../src/tools/exec/reports/reformatted.ts";
import type { Finding, Output, TestReport } from "../../../../src/tools/exec/reports/report.ts";
import { readTap } from "../../../../src/tools/exec/reports/tap.ts";
import { plainText } from "../../../../src/tools/exec/reports/text.ts";
import { readUnittest } from "../../../../src/tools/exec/reports/unittest.ts";
import { Random } from "../../../random.ts";
import { recorded, recordings } from "./_recorded.ts";

const TESTS: readonly ((output: Output) => TestReport | null)[] = [
  readPytest,
  readUnittest,
  readTap,
  readDenoTest,
  readJest,
  readMocha,
  (output) => readGoTest(output, "example.com/demo"),
  readCargoTest,
  readAny,
];
const FINDINGS: readonly ((output: Output) => readonly Finding[])[] = [
  readDenoCheck,
  json.readRuff,
  json.readPylint,
  json.readEslint,
  json.readDenoLint,
  json.readPyright,
  json.readCargo,
  lines.readFlake8,
  lines.readMypy,
  lines.readTsc,
  lines.readGoVet,
  lines.readGolangci,
  lines.readGitHub,
];
const FORMATTERS = Object.values(reformatted);

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
const isPlace = (value: number | null) => value === null || (isCount(value) && value > 0);

/** Whatever the output, every reader answers, and in shape. */
function check(output: Output): void {
  for (const read of TESTS) {
    const report = read(output);
    if (report === null) continue;
    assert(isCount(report.passed) && isCount(report.failed) && isCount(report.skipped));
    for (const { name, line, message } of report.failures) {
      assert(typeof name === "string" && message.length <= 1_001);
      assert(line === undefined || isCount(line));
    }
  }
  for (const read of FINDINGS) {
    for (const { file, line, column, rule, message } of read(output)) {
      assert(typeof file === "string" && isPlace(line) && isPlace(column));
      assert((rule === null || rule !== "") && message.length <= 1_001);
    }
  }
  for (const read of FORMATTERS) {
    const { files, failed } = read(output);
    assert([...files, ...failed.map(({ file }) => file)].every((file) => file !== ""));
  }
}

const both = (text: string): Output => ({ stdout: text, stderr: text });

Deno.test("outputs cut off anywhere are read or passed over", () => {
  const random = new Random(41);
  for (const name of recordings()) {
    const { stdout, stderr } = recorded(name);
    for (let round = 0; round < 60; round++) {
      check({
        stdout: stdout.slice(0, random.below(stdout.length + 1)),
        stderr: stderr.slice(0, random.below(stderr.length + 1)),
      });
    }
  }
});

Deno.test("outputs with their middle missing, lines shuffled, bytes changed", () => {
  const random = new Random(42);
  const texts = recordings().flatMap((name) => Object.values(recorded(name)));
  for (let round = 0; round < 1_500; round++) {
    const text = random.pick(texts);
    const at = random.below(text.length + 1);
    const to = at + random.below(text.length - at + 1);
    switch (random.below(4)) {
      case 0:
        check(
          both(`${text.slice(0, at)}\n[… 5 bytes and more are left out here …]\n${text.slice(to)}`),
        );
        break;
      case 1:
        check(both(text.split("\n").toSorted(() => random.below(3) - 1).join("\n")));
        break;
      case 2:
        check(
          both(text.slice(0, at) + String.fromCharCode(random.below(0x10000)) + text.slice(at + 1)),
        );
        break;
      case 3:
        check({ stdout: text.slice(at, to), stderr: random.pick(texts) });
    }
  }
});

Deno.test("garbage of the readers' own words", () => {
  const random = new Random(43);
  const words = [
    ..."= _ - { } [ ] \" \\ : , ( ) ' # > => \n \t \x1b[31m \ud800 \0 ● ✖ … 1 0 99999999999999999999"
      .split(" "),
    ...[
      "ok",
      "not ok",
      "TAP version 13",
      "1..2",
      "---",
      "...",
      "FAILED",
      "ERROR",
      "passed",
      "failed",
    ],
    ...[
      "in 1s",
      "error:",
      "file:///a.ts:1:2",
      "a.py:1:2: E1 x",
      "Ran 1 test in ",
      "Traceback",
      '"a":',
    ],
    ...[
      "\n\n",
      "\n    ",
      "::error file=a::",
      "at ",
      "test result: ok. 1 passed; 0 failed; 0 ignored",
    ],
  ];
  for (let round = 0; round < 1_500; round++) {
    check(both(Array.from({ length: random.below(60) }, () => random.pick(words)).join("")));
  }
});

Deno.test("much of what is costly for a careless pattern is read all the same", () => {
  const parts = [
    "=",
    "_ ",
    "{\n",
    "[",
    '{"a":',
    " ● a › ",
    "a:1:1",
    "::error a=b,",
    "1 passed, ",
    "\\",
  ];
  for (
    const part of [
      ...parts,
      "at a",
      "- ",
      "    # Subtest: x\n",
      "\x1b[",
      "(",
      "FAILED a[",
      "error: x at ",
    ]
  ) {
    const text = part.repeat(Math.ceil(100_000 / part.length));
    check(both(plainText(text)));
    check(both(`TAP version 13\n${text}\n`));
  }
});
