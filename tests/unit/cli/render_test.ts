import { assert, assertEquals } from "@std/assert";
import { renderResult } from "../../../src/cli/render.ts";
import { refusal, type Result, resultError, toJsonText } from "../../../src/core/result.ts";

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
    [{ path: "a", created: true }, "path:    a\ncreated: true"],
    [
      {
        entries: [{ name: "a", path: "x/a", size: 1 }, { name: "b", path: "x/bb", size: 10 }],
        total: 2,
      },
      "path  size\nx/a   1\nx/bb  10\ntotal: 2",
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
