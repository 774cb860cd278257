import { assert, assertEquals } from "@std/assert";
import type { PluginCase } from "../../../src/plugins/parse_cases.ts";
import { type CaseOutcome, judgeCase } from "../../../src/plugins/judge_case.ts";
import { parsePluginCases } from "../../../src/plugins/parse_cases.ts";
import { manifest, required } from "./_manifests.ts";

Deno.test("parsePluginCases() reads the whole language", () => {
  const parsed = parsePluginCases(
    `version: 1
files: { a.txt: x, folder/: "", link: { link: a.txt } }
cases:
  - name: one
    args: { a: [1] }
    agent: child
    code: COMMAND_FAILED
    effect: allow
    argv: [prog, ""]
    output: { text: x }
    contains: [y]
    after: { a.txt: z, b.txt: false }
  - {}
`,
    "a.cases.yaml",
  );
  assertEquals(parsed, {
    cases: {
      version: 1,
      files: { "a.txt": { text: "x" }, folder: { folder: true }, link: { link: "a.txt" } },
      cases: [{
        name: "one",
        args: { a: [1] },
        agent: "child",
        code: "COMMAND_FAILED",
        effect: "allow",
        argv: ["prog", ""],
        output: { text: "x" },
        contains: ["y"],
        after: { "a.txt": "z", "b.txt": null },
      }, { args: {} }],
    },
  });
});

Deno.test("parsePluginCases() refuses what is no case, and paths that leave the workspace", () => {
  const bodies: readonly (readonly [body: string, key: string])[] = [
    ["cases: []", "cases"],
    ["cases: [{ code: NONE }]", "cases[0].code"],
    ["cases: [{ effect: maybe }]", "cases[0].effect"],
    ["cases: [{ outptu: {} }]", "cases[0].outptu"],
    ["cases: [{ after: { ../a: x } }]", 'cases[0].after["../a"]'],
    ["cases: [{ after: { a: 1 } }]", "cases[0].after.a"],
    ["files: { /etc/x: a }\ncases: [{}]", 'files["/etc/x"]'],
    ["files: { a/../../x: a }\ncases: [{}]", 'files["a/../../x"]'],
    ["files: { a: { text: x } }\ncases: [{}]", "files.a.text"],
  ];
  for (const [body, key] of bodies) {
    const parsed = parsePluginCases(`version: 1\n${body}\n`, "x");
    assert("problems" in parsed, body);
    assert(parsed.problems.some((problem) => problem.key === key), JSON.stringify(parsed.problems));
  }
});

const PLUGIN = manifest({
  parameters: required({ text: { type: "string" } }),
  command: ["prog", "{text}"],
});

const DONE: CaseOutcome = {
  code: null,
  message: null,
  output: { text: "out\n", exit_code: 0, lines: ["a", "b"], value: { a: { b: 1, c: 2 } } },
  textOf: (path) => path === "a.txt" ? "x" : null,
};

const args = { text: "x" };

Deno.test("judgeCase() finds nothing wrong where all is as expected", () => {
  const cases: readonly (readonly [PluginCase, Partial<CaseOutcome>])[] = [
    [{ args }, {}],
    [{ args, effect: "allow", argv: ["prog", "x"] }, {}],
    [{ args, output: { text: "out\n", value: { a: { b: 1 } } } }, {}],
    [{ args, output: { lines: ["a", "b"] }, contains: ["ut", "b"] }, {}],
    [{ args, after: { "a.txt": "x", "b.txt": null } }, {}],
    [{ args, code: "COMMAND_FAILED", effect: "allow" }, { code: "COMMAND_FAILED" }],
    [{ args, code: "COMMAND_DENIED", effect: "deny" }, { code: "COMMAND_DENIED" }],
    [{ args, code: "APPROVAL_REQUIRED", effect: "ask" }, { code: "APPROVAL_REQUIRED" }],
  ];
  for (const [expected, outcome] of cases) {
    assertEquals(judgeCase(PLUGIN, expected, { ...DONE, ...outcome }), []);
  }
});

Deno.test("judgeCase() says all that is not as expected", () => {
  const cases: readonly (readonly [PluginCase, Partial<CaseOutcome>, readonly string[]])[] = [
    [{ args }, { code: "TIMEOUT", message: "late" }, ["code: expected success, got TIMEOUT: late"]],
    [{ args, code: "TIMEOUT" }, {}, ["code: expected TIMEOUT, got succeeded"]],
    [{ args, effect: "deny" }, {}, ["effect: expected deny, got allow"]],
    [{ args, argv: ["prog", "y"] }, {}, ['argv[1]: expected "y", got "x"']],
    [{ args, argv: ["prog"] }, {}, ['argv: expected ["prog"], got ["prog","x"]']],
    [{ args: {}, argv: ["prog"] }, {}, ["argv: the arguments come to no command"]],
    [{ args, output: { text: "in" } }, {}, ['output.text: expected "in", got "out\\n"']],
    [{ args, output: { none: 1 } }, {}, ["output.none: expected 1, got nothing"]],
    [{ args, output: { toString: 1 } }, {}, ["output.toString: expected 1, got nothing"]],
    [{ args, output: { lines: ["a"] } }, {}, ['output.lines: expected ["a"], got ["a","b"]']],
    [{ args, output: { value: { a: { b: 2 } } } }, {}, ["output.value.a.b: expected 2, got 1"]],
    [{ args, contains: ["zzz"] }, {}, ['contains: "zzz" stands nowhere in the output']],
    [{ args, after: { "a.txt": "y", "b.txt": "z" } }, {}, [
      'after["a.txt"]: expected "y", found "x"',
      'after["b.txt"]: expected "z", found no file',
    ]],
  ];
  for (const [expected, outcome, wrong] of cases) {
    assertEquals(judgeCase(PLUGIN, expected, { ...DONE, ...outcome }), wrong);
  }
});
