import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseCases } from "../../../src/policy/cases.ts";

const ONE = "cases: [{ tool: read_file, effect: allow }]";

Deno.test("cases as they are written", () => {
  const parsed = parseCases(
    `version: 1
files: { a.txt: text, folder/: "", link: { link: ../out } }
cases:
  - { name: n, tool: t, args: { x: [1] }, agent: "*", preview: true, effect: deny, code: PATH_DENIED, rule: "paths[0]", risk: safe }
`,
    "x",
  );
  assert("cases" in parsed);
  assertEquals(parsed.cases.files, {
    "a.txt": { text: "text" },
    folder: { folder: true },
    link: { link: "../out" },
  });
  assertEquals(parsed.cases.cases, [{
    name: "n",
    tool: "t",
    args: { x: [1] },
    agent: "*",
    preview: true,
    effect: "deny",
    code: "PATH_DENIED",
    rule: "paths[0]",
    risk: "safe",
  }]);
});

Deno.test("all that is wrong, each with its key", () => {
  const cases: readonly (readonly [text: string, key: string, word: string])[] = [
    ["", "", "empty; a file of cases"],
    ["[]", "", "a list"],
    ["version: 1", "cases", "missing"],
    ["version: 1\ncases: []", "cases", "empty list"],
    [`version: 2\n${ONE}`, "version", "reads 1"],
    [`version: 1\ncass: []\n${ONE}`, "cass", "cases"],
    ["version: 1\ncases: [{ tool: t, effect: allow, efect: 1 }]", "cases[0].efect", "effect"],
    ["version: 1\ncases: [{ tool: t, effect: alow }]", "cases[0].effect", "allow"],
    ["version: 1\ncases: [{ effect: allow }]", "cases[0].tool", "missing"],
    ["version: 1\ncases: [{ tool: t, effect: deny, code: NOPE }]", "cases[0].code", "write"],
    ["version: 1\ncases: [{ tool: t, effect: deny, args: [x] }]", "cases[0].args", "mapping"],
    [`version: 1\nfiles: { ../x: "" }\n${ONE}`, 'files["../x"]', "without . and .."],
    [`version: 1\nfiles: { /etc/x: "" }\n${ONE}`, 'files["/etc/x"]', "absolute"],
    [`version: 1\nfiles: { a/../../x: "" }\n${ONE}`, 'files["a/../../x"]', "without . and .."],
    [`version: 1\nfiles: { x: { lnk: y } }\n${ONE}`, "files.x.lnk", "link"],
  ];
  for (const [text, key, word] of cases) {
    const parsed = parseCases(text, "x.test.yaml");
    assert("problems" in parsed, text);
    const problem = parsed.problems.find((one) => one.key === key);
    assert(problem !== undefined, `${text}: ${JSON.stringify(parsed.problems)}`);
    assertStringIncludes(problem.message, word);
  }
});
