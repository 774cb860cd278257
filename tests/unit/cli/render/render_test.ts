import { assert, assertEquals } from "@std/assert";
import { Random } from "../../../random.ts";
import { textWidth } from "../../../../src/cli/render/plain_text.ts";
import { renderResult } from "../../../../src/cli/render/render.ts";
import { NO_SCREEN } from "../../../../src/cli/render/screen.ts";
import { refusal, type Result, resultError, toJsonText } from "../../../../src/core/result.ts";

function result(output: unknown, error: Result["error"] = null): Result {
  return {
    tool: "t",
    success: error === null,
    output: toJsonText(output),
    error,
    risk: "safe",
    latencyMs: 1,
    usage: {},
  };
}

Deno.test("results are shown as people read them", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ content: "a\nb\n", lines: 2 }, "a\nb"],
    [{ timestamp: "now" }, "now"],
    [{ stdout: "out\n", stderr: "err\n", exit_code: 0 }, "out\nerr"],
    [{ stdout: "out", stderr: "err", exit_code: 0 }, "out\nerr"],
    [{ content: "a\r\nb\r\n" }, "a\nb"],
    [{ path: "a", created: true }, "path:    a\ncreated: true"],
    [
      {
        entries: [{ name: "a", path: "x/a", size: 1 }, { name: "b", path: "x/bb", size: 10 }],
        total: 2,
      },
      "path  size\nx/a      1\nx/bb    10\ntotal: 2",
    ],
    [{ files: ["a", "b/c"], total: 2 }, "a\nb/c\ntotal: 2"],
    [
      {
        files: [{
          path: "src/a.ts",
          language: "TypeScript",
          lines: { code: 9 },
          symbols: [
            { line: 1, signature: "class A", exported: true },
            { line: 12, signature: "b(): \x1b[2Jvoid", exported: false, parent: "A" },
          ],
        }],
        truncated: false,
      },
      "src/a.ts  TypeScript, 9 lines of code\n   1 + class A\n  12     b(): \\x1b[2Jvoid\ntruncated: false",
    ],
    [
      { files: [{ path: "a.py", language: "Python", lines: { code: 1 }, symbols: [] }], total: 1 },
      "a.py  Python, 1 line of code\ntotal: 1",
    ],
    [{ nodes: ["a"], graph: "digraph {}\n" }, "digraph {}"],
    [{ path: "a", diff: "-x\n+y\n", replacements: 1 }, "-x\n+y\npath: a  replacements: 1"],
    [{ path: "a", diff: "" }, "path: a\ndiff:"],
    [
      { passed: 1, failures: [{ name: "t", line: 3 }], notes: ["slow"] },
      "failures:\nname  line\nt        3\nnotes:\nslow\npassed: 1",
    ],
    [
      { categories: [{ category: "fs", tools: [{ name: "a" }] }, { category: "git", tools: [] }] },
      "fs\n  name\n  a\ngit\n  []",
    ],
    [{ arguments: [{ name: "path", type: "string" }] }, "name  type\npath  string"],
    [{ entries: [] }, "entries: []"],
    [null, ""],
    ["text", "text"],
  ];
  for (const [output, text] of cases) assertEquals(renderResult(result(output)).output, text);
});

Deno.test("an error names its code, what was refused and the rule", () => {
  const error = {
    ...resultError("PATH_DENIED", "read_file: no"),
    rule: { file: "p.yaml", index: "paths[1]", reason: "secrets" },
  };
  assertEquals(renderResult(refusal("read_file", error)), {
    output: "",
    problem: "PATH_DENIED: read_file: no\n  rule: p.yaml paths[1] (secrets)",
  });
});

Deno.test("no output steers the terminal", () => {
  const hostile = "\u001b]0;title\u0007\u009b31m\rgone\u007f";
  for (
    const output of [{ content: hostile }, { stdout: hostile, stderr: "" }, {
      list: [{ a: hostile }],
    }]
  ) {
    const { output: text } = renderResult(result(output));
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text), JSON.stringify(text));
  }
});

Deno.test("tables fit the screen, whatever they hold", () => {
  const random = new Random(3);
  const pieces = ["a", "/", "漢", "🦕", " ", "\n", "\t", "\x1b[2J", "long".repeat(20)];
  for (let round = 0; round < 400; round++) {
    const columns = 30 + random.below(120);
    const keys = ["path", "line", "content", "size", "more"].slice(0, 1 + random.below(5));
    const rows = Array.from(
      { length: 1 + random.below(8) },
      () =>
        Object.fromEntries(keys.map((key) => [
          key,
          ["line", "size"].includes(key) ? random.below(100_000) : random.text(12, pieces),
        ])),
    );
    const screen = { columns, colour: false, erasable: false };
    const { output } = renderResult(result({ rows, total: rows.length }), {
      output: screen,
      problem: screen,
    });
    const lines = output.split("\n");
    assertEquals(lines.length, rows.length + 2);
    for (const line of lines) assert(textWidth(line) <= columns, JSON.stringify([columns, line]));
    // Numbers are never cut.
    rows.forEach((row, index) => {
      if ("line" in row) assert(lines[index + 1]?.includes(String(row["line"])), output);
    });
  }
});

Deno.test("of paths the end stays, of other texts the beginning", () => {
  const screen = { columns: 40, colour: false, erasable: false };
  const rows = [{
    file: `${"deep/".repeat(12)}end.ts`,
    line: 7,
    content: `start ${"x".repeat(90)}`,
  }];
  const { output } = renderResult(result({ matches: rows }), { output: screen, problem: screen });
  const line = output.split("\n")[1] ?? "";
  assert(line.startsWith("…") && line.includes("end.ts") && line.includes("start"), line);
});

Deno.test("colours stand where the screen wants them, and what they colour cannot add its own", () => {
  const colour = { columns: 80, colour: true, erasable: true };
  const hostile = "\x1b[31mred\x1b[0m";
  const outputs: readonly unknown[] = [
    { diff: `--- a\n+++ b\n+${hostile}\n`, path: "a" },
    { entries: [{ path: hostile, size: 1 }], total: 1 },
    { categories: [{ [hostile]: "x", tools: [{ name: hostile }] }] },
    { [hostile]: hostile },
  ];
  for (const output of outputs) {
    const { output: text } = renderResult(result(output), { output: colour, problem: colour });
    // deno-lint-ignore no-control-regex
    const bare = text.replaceAll(/\x1b\[(?:0|1|2|1;31|31|32|36)m/g, "");
    assert(!bare.includes("\x1b"), JSON.stringify(text));
    assert(bare.includes("\\x1b[31mred"), JSON.stringify(text));
  }
  const error = resultError("PATH_DENIED", `read_file: ${hostile}`);
  const refused = refusal("read_file", error);
  assertEquals(
    renderResult(refused, { output: NO_SCREEN, problem: colour }).problem,
    "\x1b[1;31mPATH_DENIED:\x1b[0m read_file: \\x1b[31mred\\x1b[0m",
  );
  assert(!renderResult(refused).problem?.includes("\x1b"));
});

Deno.test("a megabyte in a cell is cut, not measured", () => {
  const { output } = renderResult(result({ rows: [{ a: "漢".repeat(1_000_000) }] }));
  assert(output.length < 10_000, String(output.length));
});
