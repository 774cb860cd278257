import { assertEquals } from "@std/assert";
import { readDenoCheck } from "../../../../src/tools/exec/reports/deno_check.ts";
import {
  readCargo,
  readDenoLint,
  readEslint,
  readPylint,
  readPyright,
  readRuff,
} from "../../../../src/tools/exec/reports/json_findings.ts";
import {
  readFlake8,
  readGitHub,
  readGolangci,
  readGoVet,
  readMypy,
  readTsc,
} from "../../../../src/tools/exec/reports/located_lines.ts";
import {
  readBlack,
  readCargoFmt,
  readDenoFmt,
  readGofmt,
  readPrettier,
  type ReadReformatted,
  readRuffFormat,
} from "../../../../src/tools/exec/reports/reformatted.ts";
import type { ReadFindings } from "../../../../src/tools/exec/reports/report.ts";
import { recorded } from "./_recorded.ts";

/** File, line, column, rule, severity, the beginning of the message. */
type Row = readonly [string, number | null, number | null, string | null, string, string];

const CASES: readonly (readonly [string, ReadFindings, readonly Row[]])[] = [
  ["flake8", readFlake8, [
    ["lint.py", 1, 1, "F401", "error", "'os' imported but unused"],
    ["lint.py", 2, 1, "E302", "warning", "expected 2 blank lines, found 0"],
    ["lint.py", 2, 8, "E203", "warning", "whitespace before ':'"],
    ["lint.py", 3, 5, "F841", "error", "local variable 'y' is assigned"],
    ["lint.py", 5, 1, "E305", "warning", "expected 2 blank lines after"],
    ["syn.py", 1, 13, "E999", "error", "SyntaxError: invalid syntax"],
  ]],
  ["ruff", readRuff, [
    ["/project/lint.py", 1, 1, "I001", "error", "Import block is un-sorted"],
    ["/project/lint.py", 1, 8, "F401", "error", "`os` imported but unused"],
    ["/project/lint.py", 3, 5, "F841", "error", "Local variable `y` is assigned"],
    ["/project/syn.py", 1, 12, "invalid-syntax", "error", "Expected a parameter"],
    ["/project/syn.py", 2, 1, "invalid-syntax", "error", "unexpected EOF"],
  ]],
  ["pylint", readPylint, [
    ["syn.py", 1, 13, "syntax-error", "error", "Parsing failed"],
    ["lint.py", 1, 1, "missing-module-docstring", "info", "Missing module docstring"],
    ["lint.py", 2, 1, "missing-function-docstring", "info", "Missing function"],
    ["lint.py", 2, 1, "invalid-name", "info", 'Function name "f"'],
    ["lint.py", 2, 7, "invalid-name", "info", 'Argument name "x"'],
    ["lint.py", 3, 5, "invalid-name", "info", 'Variable name "y"'],
    ["lint.py", 3, 5, "unused-variable", "warning", "Unused variable 'y'"],
    ["lint.py", 1, 1, "unused-import", "warning", "Unused import os"],
  ]],
  ["eslint", readEslint, [
    ["/project/a.js", 1, 7, "no-unused-vars", "error", "'x' is assigned a value"],
    ["/project/a.js", 2, 7, "eqeqeq", "warning", "Expected '===' and instead saw '=='."],
    ["/project/b.js", 1, 1, null, "error", "Parsing error: The keyword 'let' is reserved"],
  ]],
  ["biome", readGitHub, [
    ["/project/a.js", 1, 7, "lint/correctness/noUnusedVariables", "warning", "This variable x"],
    ["/project/a.js", 2, 7, "lint/suspicious/noDoubleEquals", "error", "Using == may be unsafe"],
    ["/project/a.js", 2, 5, "lint/correctness/noConstantCondition", "error", "This condition"],
    ["/project/b.js", 1, 1, "parse", "error", "Illegal use of reserved keyword `let`"],
    ["/project/b.js", 1, 7, "parse", "error", "Expected an expression"],
  ]],
  ["deno_lint", readDenoLint, [
    [
      "file:///project/bad.ts",
      1,
      22,
      "no-explicit-any",
      "error",
      "`any` type is not allowed. Use a specific type",
    ],
    ["file:///project/bad.ts", 1, 41, "no-unused-vars", "error", "`y` is never used. If"],
    ["file:///project/bad.ts", 1, 41, "prefer-const", "error", "`y` is never reassigned. Use"],
    ["file:///project/bad.ts", 1, 48, "no-debugger", "error", "`debugger` statement"],
    ["/project/syn.ts", 1, 7, null, "error", "Expression expected"],
  ]],
  ["clippy", readCargo, [
    ["src/lib.rs", 1, 37, "clippy::needless_return", "warning", "unneeded `return` statement"],
  ]],
  ["go_vet", readGoVet, [
    ["a.go", 3, 26, null, "error", "fmt.Printf format %d has arg"],
    ["bad/b.go", 2, 23, null, "error", 'cannot use "x"'],
  ]],
  ["mypy", readMypy, [
    ["lint.py", 4, 12, "return-value", "error", 'Incompatible return value type (got "int"'],
    ["lint.py", 5, 3, "arg-type", "error", 'Argument 1 to "f"'],
    ["syn.py", 1, 13, "syntax", "error", "invalid syntax"],
    ["note.py", 1, 1, "empty-body", "error", "Missing return statement"],
    ["note.py", 2, 13, null, "info", 'Revealed type is "def'],
    ["note.py", 3, null, null, "error", 'Unused "type: ignore" comment'],
    ["note.py", 3, 10, "assignment", "error", "Incompatible types in assignment"],
    ["note.py", 3, 10, null, "info", 'Error code "assignment" not covered'],
  ]],
  ["pyright", readPyright, [
    ["/project/lint.py", 4, 12, "reportReturnType", "error", 'Type "int" is not assignable'],
    ["/project/lint.py", 5, 3, "reportArgumentType", "error", "Argument of type"],
  ]],
  ["tsc", readTsc, [
    ["a.ts", 1, 7, "TS2322", "error", "Type 'number' is not assignable"],
    ["a.ts", 2, 12, "TS7006", "error", "Parameter 'x' implicitly has an 'any' type."],
    ["", null, null, "TS5058", "error", "The specified path does not exist"],
  ]],
  ["deno_check", readDenoCheck, [
    ["file:///project/b_test.ts", 1, 8, "TS2307", "error", "Cannot find module"],
    ["file:///project/bad.ts", 2, 7, "TS2322", "error", "Type 'number' is not assignable"],
    ["file:///project/bad.ts", 3, 15, "TS2339", "error", "Property 'foo' does not exist"],
  ]],
  ["deno_check_syntax", readDenoCheck, [
    ["file:///project/syn.ts", 1, 7, null, "error", "The module's source code could not be parsed"],
  ]],
];

Deno.test("recorded findings are read: place, rule, severity, message", () => {
  for (const [name, read, expected] of CASES) {
    const findings = read(recorded(name));
    assertEquals(
      findings.map(({ file, line, column, rule, severity, message }, index): Row => {
        const start = expected[index]?.[5] ?? "";
        const shown = message.startsWith(start) ? start : message;
        return [file, line, column, rule, severity, shown];
      }),
      expected,
      name,
    );
  }
});

Deno.test("golangci-lint's text names the linter at the end", () => {
  const stdout =
    "a.go:3:5: printf: wrong type (govet)\n\tfmt.Printf()\nb.go:4: undefined: x (typecheck)\n";
  assertEquals(readGolangci({ stdout, stderr: "" }), [
    {
      file: "a.go",
      line: 3,
      column: 5,
      rule: "govet",
      severity: "warning",
      message: "printf: wrong type",
    },
    {
      file: "b.go",
      line: 4,
      column: null,
      rule: "typecheck",
      severity: "error",
      message: "undefined: x",
    },
  ]);
});

Deno.test("annotations are unescaped as GitHub escapes them", () => {
  const stdout = "::error title=a%2Cb,file=x%3Ay.js,line=1,col=2::one%0Atwo 100%25\n";
  assertEquals(readGitHub({ stdout, stderr: "" })[0], {
    file: "x:y.js",
    line: 1,
    column: 2,
    rule: "a,b",
    severity: "error",
    message: "one\ntwo 100%",
  });
});

Deno.test("JSON that an output limit cut off keeps its whole members", () => {
  const { stdout } = recorded("eslint");
  const whole = readEslint({ stdout, stderr: "" });
  const cut = stdout.slice(0, stdout.indexOf('{"filePath":"/project/b.js"') + 40);
  assertEquals(readEslint({ stdout: cut, stderr: "" }), whole.slice(0, 2));
  assertEquals(readEslint({ stdout: `warning: x\n${stdout}`, stderr: "" }), whole);
  const lines = recorded("ruff").stdout;
  assertEquals(readRuff({ stdout: lines.slice(0, -100), stderr: "" }).length, 4);
});

Deno.test("recorded formatters: what would change, and what could not be read", () => {
  const cases:
    readonly (readonly [string, ReadReformatted, readonly string[], readonly string[]])[] = [
      ["black", readBlack, ["u.py"], ["syn.py"]],
      ["ruff_format", readRuffFormat, ["u.py"], ["syn.py"]],
      ["prettier", readPrettier, ["a.js", "c.js"], ["b.js"]],
      ["deno_fmt", readDenoFmt, ["/project/bad.ts"], ["/project/syn.ts"]],
      ["gofmt", readGofmt, ["a.go", "a_test.go", "bad/b.go", "bad/b_test.go"], []],
      ["cargo_fmt", readCargoFmt, ["/project/src/lib.rs"], []],
    ];
  for (const [name, read, files, failed] of cases) {
    const found = read(recorded(name));
    assertEquals(found.files, files, name);
    assertEquals(found.failed.map(({ file }) => file), failed, name);
    assertEquals(found.failed.every(({ message }) => message !== ""), true, name);
  }
});
