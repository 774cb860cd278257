/**
 * The tools that run a project's own programs, against the real ones, on projects that pass and that fail.
 * `scripts/test` gets the programs; of one that is not here, the tests are left out, and it says so. What the
 * tools make of recorded outputs is tested in tests/unit/tools/exec.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hasProgram } from "../../../scripts/_debian.ts";
import { ENVIRONMENT, NODE, POLICY, Project, testWith } from "./_project.ts";
import { Pipe, SENTINEL } from "../toolgate.ts";

const PASSING_PY =
  "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 1)\n";
const FAILING_PY = `${PASSING_PY}    def test_b(self): self.assertEqual(1, 2)\n`;

testWith(["python3"], "unittest: a project that passes, and one that fails", async () => {
  await using project = new Project({ "tests/test_a.py": PASSING_PY, "app.py": "" });
  const args = { framework: "unittest" };
  const passing = await project.output("run_tests", args);
  assertEquals([passing.framework, passing.passed, passing.failed], ["unittest", 1, 0]);
  project.write("tests/test_a.py", FAILING_PY);
  const failing = await project.output("run_tests", args);
  assertEquals([failing.passed, failing.failed, failing.exit_code], [1, 1, 1]);
  assertEquals(failing.failures, [{
    name: "test_a.A.test_b",
    file: "tests/test_a.py",
    line: 4,
    message: "AssertionError: 1 != 2",
  }]);
  const one = await project.output("run_tests", { ...args, test_pattern: "test_a.A.test_a" });
  assertEquals([one.passed, one.failed], [1, 0]);
});

testWith(
  ["pytest"],
  "pytest: failures, a file that cannot be read, selection, a file in TMPDIR",
  async () => {
    await using project = new Project({
      "pytest.ini": "[pytest]\n",
      "calc.py": "def add(a, b): return a + b\n",
      "tests/test_calc.py":
        "from calc import add\ndef test_add(tmp_path):\n    (tmp_path / 'x').write_text('1')\n" +
        "    assert add(1, 2) == 3\n",
    });
    const passing = await project.output("run_tests");
    assertEquals([passing.framework, passing.passed, passing.failed], ["pytest", 1, 0]);
    project.write(
      "tests/test_bad.py",
      "def test_bad():\n    assert [1] == [2]\n\ndef test_ok(): pass\n",
    );
    const failing = await project.output("run_tests");
    assertEquals([failing.passed, failing.failed], [2, 1]);
    const { name, file, line, message } = failing.failures[0];
    assertEquals([name, file, line], ["tests/test_bad.py::test_bad", "tests/test_bad.py", 2]);
    assertStringIncludes(message, "assert [1] == [2]");
    const selected = await project.output("run_tests", {
      path: "tests/test_bad.py",
      test_pattern: "ok",
    });
    assertEquals([selected.passed, selected.failed], [1, 0]);
    project.write("tests/test_bad.py", "def broken(:\n");
    const broken = await project.output("run_tests");
    assertEquals([broken.failed, broken.failures[0].file], [1, "tests/test_bad.py"]);
    assertStringIncludes(broken.failures[0].message, "SyntaxError");
  },
);

testWith(
  ["flake8", "black"],
  "flake8 and black: findings, a preview, the change, nothing left to change",
  async () => {
    const before = "import os\ndef f(x : int):\n    return x\n";
    await using project = new Project({
      "setup.cfg": "[flake8]\n",
      "pyproject.toml": "[tool.black]\n",
      "src/a.py": before,
      "src/b.py": "y = 1\n",
    });
    const found = await project.output("run_linter");
    assertEquals(found.tool, "flake8");
    assertEquals(found.findings[0], {
      file: "src/a.py",
      line: 1,
      column: 1,
      rule: "F401",
      severity: "error",
      message: "'os' imported but unused",
    });
    assertEquals((await project.output("run_linter", { files: ["src/b.py"] })).findings, []);

    const preview = await project.output("run_formatter", {}, { preview: true });
    assertEquals([preview.changed, preview.checked_only], [["src/a.py"], true]);
    assertStringIncludes(preview.diff, "-def f(x : int):\n");
    assertEquals(project.read("src/a.py"), before);

    const changed = await project.output("run_formatter");
    assertEquals([changed.tool, changed.changed, changed.diff], [
      "black",
      ["src/a.py"],
      preview.diff,
    ]);
    assertEquals(project.read("src/a.py"), "import os\n\n\ndef f(x: int):\n    return x\n");
    assertEquals((await project.output("run_formatter")).changed, []);

    project.write("src/b.py", "def broken(:\n");
    const { answer } = await project.run("run_formatter");
    assertEquals([answer.error?.code, answer.output.failed[0].file], [
      "COMMAND_FAILED",
      "src/b.py",
    ]);
  },
);

testWith(["mypy"], "mypy: wrong types, then right ones", async () => {
  await using project = new Project({
    "mypy.ini": "[mypy]\n",
    "a.py": "def f(x: int) -> str:\n    return x\n",
  });
  const found = await project.output("run_type_checker");
  assertEquals(
    found.findings.map((one: Record<string, unknown>) => [one["file"], one["line"], one["rule"]]),
    [
      ["a.py", 2, "return-value"],
    ],
  );
  project.write("a.py", "def f(x: int) -> int:\n    return x\n");
  assertEquals((await project.output("run_type_checker")).total_findings, 0);
});

testWith(["node"], "node's test runner: a project that passes, and one that fails", async () => {
  const passing = 'import { test } from "node:test";\ntest("adds", () => {});\n';
  await using project = new Project({
    "package.json": '{ "scripts": { "test": "node --test test/a.test.mjs" } }',
    "test/a.test.mjs": passing,
  });
  const good = await project.output("run_tests");
  assertEquals([good.framework, good.passed, good.failed], ["node", 1, 0]);
  project.write("test/a.test.mjs", `${passing}test("throws", () => { throw new Error("no"); });\n`);
  const bad = await project.output("run_tests");
  assertEquals([bad.passed, bad.failed], [1, 1]);
  const [{ name, file, message }] = bad.failures;
  assertEquals([name, file, message], ["throws", "test/a.test.mjs", "no"]);
});

Deno.test("deno: tests, lint, types and format of a project that fails, then passes", async () => {
  await using project = new Project({
    "deno.json": '{ "lock": false }\n',
    "a_test.ts":
      'Deno.test("adds", () => {});\nDeno.test("throws", () => {\n  throw new Error("no");\n});\n',
    "b.ts": "export const n: string = 3;\nexport const any: any = n\n",
  });
  const bad = await project.output("run_tests", { path: "a_test.ts" });
  assertEquals([bad.framework, bad.passed, bad.failed], ["deno", 1, 1]);
  assertEquals([bad.failures[0].name, bad.failures[0].file], ["throws", "a_test.ts"]);
  const lint = await project.output("run_linter");
  assertEquals(lint.findings.map((one: Record<string, unknown>) => [one["file"], one["rule"]]), [
    ["b.ts", "no-explicit-any"],
  ]);
  const types = await project.output("run_type_checker", { files: ["b.ts"] });
  assertEquals(types.findings.map((one: Record<string, unknown>) => [one["line"], one["rule"]]), [
    [1, "TS2322"],
  ]);
  const preview = await project.output("run_formatter", { check: true });
  assertEquals(preview.changed, ["b.ts"]);
  assertStringIncludes(preview.diff, "b.ts");
  assert(!preview.diff.includes(project.base), preview.diff);
  const changed = await project.output("run_formatter");
  assertEquals(changed.changed, ["b.ts"]);
  assertStringIncludes(changed.diff, "+export const any: any = n;\n");

  project.write("a_test.ts", 'Deno.test("adds", () => {});\n');
  project.write("b.ts", "export const n = 3;\n");
  assertEquals((await project.output("run_tests")).passed, 1);
  assertEquals((await project.output("run_linter")).findings, []);
  assertEquals((await project.output("run_type_checker")).findings, []);
});

testWith(["npm:eslint"], "eslint: findings, then none", async () => {
  await using project = new Project({
    "eslint.config.js":
      'module.exports = [{ rules: { "no-unused-vars": "error", eqeqeq: "warn" } }];\n',
    "src/a.js": "const x = 1;\nif (2 == 3) {}\n",
  });
  project.install("eslint");
  const found = await project.output("run_linter", { files: ["src"] });
  assertEquals([found.tool, found.errors, found.warnings], ["eslint", 1, 1]);
  assertEquals(found.command.slice(0, 2), ["node", "node_modules/eslint/bin/eslint.js"]);
  assertEquals([found.findings[0].file, found.findings[0].rule], ["src/a.js", "no-unused-vars"]);
  project.write("src/a.js", "export {};\n");
  assertEquals((await project.output("run_linter", { files: ["src"] })).findings, []);
});

testWith(["npm:prettier"], "prettier: what it would change, the change, nothing left", async () => {
  await using project = new Project({
    ".prettierrc": "{}",
    "a.js": "const   y = {a:1}\n",
    "b.js": "x;\n",
  });
  project.install("prettier");
  const args = { files: ["a.js", "b.js"] };
  assertEquals((await project.output("run_formatter", { ...args, check: true })).changed, ["a.js"]);
  assertEquals(project.read("a.js"), "const   y = {a:1}\n");
  const changed = await project.output("run_formatter", args);
  assertEquals([changed.tool, changed.changed], ["prettier", ["a.js"]]);
  assertStringIncludes(changed.diff, "+const y = { a: 1 };\n");
  assertEquals((await project.output("run_formatter", args)).changed, []);
});

testWith(["npm:typescript"], "tsc: wrong types, then right ones", async () => {
  await using project = new Project({
    "tsconfig.json":
      '{ "compilerOptions": { "strict": true, "lib": ["es5"], "types": [] }, "files": ["a.ts"] }',
    "a.ts": "const n: string = 3;\n",
  });
  project.install("typescript");
  const found = await project.output("run_type_checker");
  assertEquals([found.tool, found.total_findings], ["tsc", 1]);
  const [{ file, line, rule }] = found.findings;
  assertEquals([file, line, rule], ["a.ts", 1, "TS2322"]);
  project.write("a.ts", "const n: number = 3;\n");
  assertEquals((await project.output("run_type_checker")).findings, []);
});

testWith(
  ["python3"],
  "an environment is made, and used from then on; Python code runs where it may",
  async () => {
    await using strict = new Project({ "app.py": "" });
    // Text given as code is dangerous, in run_python as in run_command.
    const { answer: asked } = await strict.run("run_python", { code: "print(1)" });
    assertEquals([asked.risk, asked.error?.code], ["dangerous", "APPROVAL_REQUIRED"]);

    // A folder that holds something denied is closed to new names; this one holds nothing of the kind.
    const open = `${POLICY.replace(/.*closed.*\n/, "")}tools: { run_python: { risk: moderate } }\n`;
    await using project = new Project({ "app.py": "" }, open);
    assertEquals((await project.output("run_python", { code: "print(1)" })).stdout, "1\n");
    const made = await project.output("create_virtual_environment", { with_pip: false });
    assertEquals([made.path, made.python], [".venv", ".venv/bin/python3"]);
    const code = "import sys; print(sys.prefix)";
    assertEquals(
      (await project.output("run_python", { code })).stdout,
      `${project.path(".venv")}\n`,
    );

    // The thread of a pipe may start what the policy names; the environment's interpreter is the same program.
    const pipe = new Pipe(["--policy", project.policy(open)], {
      cwd: project.root,
      env: ENVIRONMENT,
    });
    const request = { tool: "run_python", args: { code } };
    const first = await pipe.ask({ ...request, id: 1 });
    const second = await pipe.ask({ id: 2, tool: "launch_app", args: { app_name: "true" } });
    const third = await pipe.ask({ ...request, id: 3 });
    assertEquals((await pipe.close()).status, 0);
    assertEquals([first, third].map(({ output }) => output?.stdout), [
      `${project.path(".venv")}\n`,
      `${project.path(".venv")}\n`,
    ]);
    assertEquals(second.error, null);
  },
);

testWith(["python3"], "a program that only bears the interpreter's name is not it", async () => {
  await using project = new Project({
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".venv/bin/python3": `#!/bin/sh\necho x > ran\n`,
    "a.py": PASSING_PY,
  });
  Deno.chmodSync(project.path(".venv/bin/python3"), 0o755);
  const output = await project.output("run_tests", { framework: "unittest", path: "a.py" });
  // The rule for python3 does not speak for it: the system's is the next way.
  assertEquals([output.command[0], output.passed], ["python3", 1]);
  assertEquals([...Deno.readDirSync(project.root)].some(({ name }) => name === "ran"), false);
});

Deno.test("launch_app answers the returncode; a program that no rule names is not started", async () => {
  await using project = new Project({});
  assertEquals((await project.output("launch_app", { app_name: "true" })).returncode, 0);
  const { status, answer } = await project.run("launch_app", { app_name: "touch", args: ["x"] });
  assertEquals([status, answer.error?.code], [3, "COMMAND_DENIED"]);
});

Deno.test("a package is asked for by its whole command, and none is installed unasked", async () => {
  const open = POLICY.replace("temporary: true", "temporary: true, network: allow");
  await using project = new Project({ "package.json": "{}" }, open);
  const { answer } = await project.run("install_package", { packages: ["left-pad@1.3.0"] });
  const expected = hasNpm() ? "APPROVAL_REQUIRED" : "COMMAND_NOT_FOUND";
  assertEquals(answer.error?.code, expected);
  for (const name of ["--prefix=/", "../x", "file:x", "git+https://a.example/b"]) {
    const refused = await project.ask("install_package", { packages: [name] });
    assertEquals(refused.error?.code, "INVALID_ARGUMENTS", name);
  }
});

Deno.test("what could only fail for want of a network is refused at once, and nobody is asked about it", async () => {
  await using project = new Project({
    "package.json": "{}",
    ".git/config": '[remote "origin"]\n\turl = https://a.example/b\n',
  }, POLICY.replace('"npm install"', '"git {push,fetch}", "npm install"'));
  const refused: readonly (readonly [string, Record<string, unknown>])[] = [
    ["run_command", { argv: ["git", "push"] }],
    ["run_command", { command: "cd . && git fetch origin main" }],
    ...hasNpm()
      ? [
        ["run_command", { command: "npm install left-pad" }],
        ["install_package", { packages: ["left-pad"] }],
      ] as const
      : [],
  ];
  for (const [tool, args] of refused) {
    const { error } = await project.ask(tool, args);
    assertEquals(error?.code, "NETWORK_DENIED", JSON.stringify([args, error]));
    assertStringIncludes(error?.message ?? "", "sandbox.network: allow");
  }
  const { status, answer } = await project.run("run_command", { argv: ["git", "push", "../b"] });
  assertEquals([status, answer.error?.code], [4, "APPROVAL_REQUIRED"]);
});

function hasNpm(): boolean {
  return hasProgram("npm") ||
    NODE !== null && [...Deno.readDirSync(NODE)].some(({ name }) => name === "npm");
}

testWith(
  ["pytest", "flake8"],
  "no argument of a call becomes an option, a path outside stays outside",
  async () => {
    await using project = new Project({
      "pytest.ini": "[pytest]\n",
      "setup.cfg": "[flake8]\n",
      "test_a.py": "def test_a(): pass\n",
      "closed/secret.py": `"${SENTINEL.trim()}"\nimport os\n`,
    });
    const attacks: readonly (readonly [string, Record<string, unknown>])[] = [
      ["run_tests", { path: "--co" }],
      ["run_tests", { path: `--basetemp=${project.outside}` }],
      ["run_tests", { test_pattern: `x --basetemp=${project.outside}` }],
      ["run_tests", { path: "-pno:terminal", framework: "unittest" }],
      ["run_tests", { path: project.outside }],
      ["run_linter", { files: [`--output-file=${project.outside}/sentinel.txt`] }],
      ["run_linter", { files: ["--config=closed/secret.py"] }],
      ["run_linter", { files: ["closed/secret.py"] }],
      ["run_linter", { files: ["../outside/sentinel.txt"] }],
      ["run_formatter", { files: [`--config=${project.outside}/sentinel.txt`], tool: "black" }],
      ["create_virtual_environment", { path: "../outside/env" }],
      ["create_virtual_environment", { path: "--copies" }],
    ];
    for (const [tool, args] of attacks) {
      const answer = await project.ask(tool, args);
      const made = tool === "create_virtual_environment" && args["path"] === "--copies";
      // As a folder of that name it may well be made.
      if (!made) {
        assert(
          !answer.success || answer.output.passed === 0,
          `${tool} ${JSON.stringify(args)}`,
        );
      }
      assert(!JSON.stringify(answer).includes(SENTINEL.trim()), `${tool} ${JSON.stringify(args)}`);
      project.assertOutsideUntouched();
    }
  },
);

Deno.test("explain says which way would be taken, and starts nothing", async () => {
  await using project = new Project(
    { "deno.json": "{}", "a_test.ts": "" },
    `version: 1
paths: [{ allow: [read], match: ["**"] }]
commands: [{ allow: ["true"] }]
`,
  );
  const { status, answer } = await project.run("run_tests");
  assertEquals([status, answer.error?.code], [3, "COMMAND_DENIED"]);
  assertStringIncludes(answer.error?.message ?? "", "running deno test is not allowed");
});
