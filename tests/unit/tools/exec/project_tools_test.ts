import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ProcessOutcome, Tool } from "../../../../src/core/tool.ts";
import createVirtualEnvironment from "../../../../src/tools/exec/create_virtual_environment.ts";
import installPackage from "../../../../src/tools/exec/install_package.ts";
import launchApp from "../../../../src/tools/exec/launch_app.ts";
import runFormatter from "../../../../src/tools/exec/run_formatter.ts";
import runLinter from "../../../../src/tools/exec/run_linter.ts";
import runPython from "../../../../src/tools/exec/run_python.ts";
import runTests from "../../../../src/tools/exec/run_tests.ts";
import runTypeChecker from "../../../../src/tools/exec/run_type_checker.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, type MemoryOptions } from "../_memory_context.ts";
import { recorded } from "./_recorded.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const PYTEST = { "pytest.ini": "" };

/** What a recorded program did. */
function outcomeOf(name: string, more: Partial<ProcessOutcome>): MemoryOptions {
  const { stdout, stderr } = recorded(name);
  return { outcome: { stdout: bytes(stdout), stderr: bytes(stderr), ...more } };
}

function run(tool: unknown, args: Record<string, unknown>, options: MemoryOptions) {
  return call(tool as Tool, args, createMemory(options));
}

Deno.test("failing tests are an answer, with what failed and where", async () => {
  const output = await run(runTests, { path: "tests/test_calc.py" }, {
    files: PYTEST,
    ...outcomeOf("pytest", { exitCode: 1 }),
  });
  assertEquals(
    [output["framework"], output["passed"], output["failed"], output["skipped"]],
    ["pytest", 2, 5, 2],
  );
  assertEquals(output["exit_code"], 1);
  assertEquals(output["recognized"], true);
  assertEquals((output["failures"] as unknown[])[0], {
    name: "tests/test_calc.py::test_wrong",
    file: "tests/test_calc.py",
    line: 9,
    message: "AssertionError: sum is off\nassert 3 == 4\n +  where 3 = add(1, 2)",
  });
});

Deno.test("a run that breaks is an error with what it said; one without tests is none", async () => {
  const cases: readonly (readonly [MemoryOptions, string | null, string])[] = [
    [
      { outcome: { exitCode: 4, stderr: bytes("ERROR: no such file\n") } },
      "COMMAND_FAILED",
      "status 4",
    ],
    // Passed, and failed all the same: a limit of coverage, say.
    [
      { outcome: { exitCode: 1, stdout: bytes("== 2 passed in 0.01s ==\n") } },
      "COMMAND_FAILED",
      "status 1",
    ],
    [{ outcome: { exitCode: 5, stdout: bytes("== no tests ran in 0.01s ==\n") } }, null, ""],
    [
      { outcome: { exitCode: 1, stderr: bytes("/usr/bin/python3: No module named pytest\n") } },
      "COMMAND_NOT_FOUND",
      "python3 has no module pytest; install_package can install it",
    ],
    [
      { outcome: { exitCode: null, signal: "SIGKILL", timedOut: true, stdout: bytes("half") } },
      "TIMEOUT",
      "sent SIGTERM, then SIGKILL",
    ],
    [{ outcome: { exitCode: null, signal: "SIGTERM", cancelled: true } }, "CANCELLED", "cancelled"],
    [{ outcome: { exitCode: null, signal: "SIGSEGV" } }, "COMMAND_FAILED", "SIGSEGV"],
  ];
  for (const [options, code, part] of cases) {
    const running = () => run(runTests, {}, { files: PYTEST, ...options });
    if (code === null) {
      assertEquals((await running())["failed"], 0);
      continue;
    }
    const error = await failure(running);
    assertEquals(error.code, code);
    assertStringIncludes(error.message, part);
    assertEquals((error.output as Record<string, unknown>)["framework"], "pytest");
  }
});

Deno.test("a script that passes without a known report passes, and says that it was not read", async () => {
  const files = { "package.json": `{"scripts":{"test":"ava"}}` };
  const output = await run(runTests, {}, { files, outcome: { stdout: bytes("fine\n") } });
  assertEquals([output["recognized"], output["passed"], output["output"]], [false, 0, "fine\n"]);
  const error = await failure(() => run(runTests, {}, { files, outcome: { exitCode: 1 } }));
  assertEquals(error.code, "COMMAND_FAILED");
});

Deno.test("failures and findings end at the limit of entries, and say how many there were", async () => {
  const limits = { entries: 2 };
  const tests = await run(runTests, {}, {
    files: PYTEST,
    limits,
    ...outcomeOf("pytest", { exitCode: 1 }),
  });
  assertEquals([(tests["failures"] as unknown[]).length, tests["total_failures"]], [2, 5]);
  const lint = await run(runLinter, { tool: "flake8" }, {
    limits,
    ...outcomeOf("flake8", { exitCode: 1 }),
  });
  assertEquals([(lint["findings"] as unknown[]).length, lint["total_findings"]], [2, 6]);
  assertEquals([lint["errors"], lint["warnings"], lint["truncated"]], [3, 3, true]);
});

Deno.test("paths are shown from the workspace, whatever the folder and the program's way to say them", async () => {
  const options = { files: { "app/a.py": "" }, ...outcomeOf("flake8", { exitCode: 1 }) };
  const output = await run(runLinter, { tool: "flake8", cwd: "app" }, options);
  const [first] = output["findings"] as { readonly file: string }[];
  assertEquals(first?.file, "app/lint.py");
  const deno = await run(
    runTypeChecker,
    { tool: "deno check" },
    outcomeOf("deno_check", { exitCode: 1 }),
  );
  // The folder that it was recorded in is beside the workspace of the tests.
  const [other] = deno["findings"] as { readonly file: string }[];
  assertEquals(other?.file, "project/b_test.ts");
});

Deno.test("a checker that found nothing and ended badly has not checked", async () => {
  const cases: readonly (readonly [unknown, string, Partial<ProcessOutcome>, string | null])[] = [
    [runLinter, "flake8", { exitCode: 0 }, null],
    [runLinter, "flake8", { exitCode: 1, stderr: bytes("Traceback") }, "COMMAND_FAILED"],
    [runLinter, "ruff", { exitCode: 2, stderr: bytes("error: bad settings") }, "COMMAND_FAILED"],
    [runLinter, "eslint", { exitCode: 2, stderr: bytes("Oops") }, "COMMAND_FAILED"],
    [
      runTypeChecker,
      "mypy",
      { exitCode: 2, stdout: bytes("a.py:1:1: error: bad  [syntax]\n") },
      null,
    ],
    [
      runTypeChecker,
      "mypy",
      { exitCode: 2, stderr: bytes("mypy: can't read file") },
      "COMMAND_FAILED",
    ],
    [runTypeChecker, "tsc", { exitCode: 2, stdout: bytes("a.ts(1,1): error TS1: no.\n") }, null],
  ];
  for (const [tool, name, outcome, code] of cases) {
    const running = () => run(tool, { tool: name }, { outcome });
    if (code === null) assertEquals((await running())["tool"], name);
    else assertEquals((await failure(running)).code, code, name);
  }
});

Deno.test("of a checker of whole projects, only findings in the files asked for are told", async () => {
  const outcome = {
    exitCode: 2,
    stdout: bytes(
      "src/a.ts(1,1): error TS1: x.\nlib/b.ts(1,1): error TS1: y.\nerror TS5: project.\n",
    ),
  };
  const output = await run(runTypeChecker, { tool: "tsc", files: ["src", "./c.ts"] }, { outcome });
  const findings = output["findings"] as { readonly file: string }[];
  assertEquals(findings.map(({ file }) => file), ["src/a.ts", ""]);
});

Deno.test("run_formatter answers what really changed, with a diff of it", async () => {
  const files = { "a.py": "x=1\n", "b.py": "y=2\n", "pyproject.toml": "[tool.black]\n" };
  const memory = createMemory({
    files,
    answers(argv, nodes) {
      if (argv.includes("--check")) {
        return { exitCode: 1, stderr: bytes("would reformat a.py\nwould reformat b.py\n") };
      }
      nodes.set("a.py", "x = 1\n");
      return {};
    },
  });
  const output = await call(runFormatter as Tool, {}, memory);
  assertEquals(output["changed"], ["a.py"]);
  assertEquals(output["diff"], "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-x=1\n+x = 1\n");
  assertEquals(memory.started.map(([argv]) => argv), [["black", "--check", "."], ["black", "."]]);
});

Deno.test("a check with the formatter as a filter shows the diff and writes nothing", async () => {
  const files = { "a.py": "x=1\n" };
  const memory = createMemory({
    files,
    answers: (argv) =>
      argv.includes("--check")
        ? { exitCode: 1, stderr: bytes("would reformat a.py\n") }
        : { stdout: bytes("x = 1\n") },
  });
  const output = await call(runFormatter as Tool, { tool: "black", check: true }, memory);
  assertEquals([output["changed"], output["checked_only"]], [["a.py"], true]);
  assertEquals(output["diff"], "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-x=1\n+x = 1\n");
  assertEquals(Object.fromEntries(memory.nodes), files);
  assertEquals(memory.started.at(-1)?.[1].stdin, bytes("x=1\n"));
});

Deno.test("files that cannot be formatted fail the call; the others are formatted all the same", async () => {
  const memory = createMemory({
    files: { "u.py": "x=1\n" },
    answers(argv, nodes) {
      if (argv.includes("--check")) {
        return { exitCode: 123, stderr: bytes(recorded("black").stderr) };
      }
      nodes.set("u.py", "x = 1\n");
      return { exitCode: 123 };
    },
  });
  const error = await failure(() => call(runFormatter as Tool, { tool: "black" }, memory));
  assertEquals(error.code, "COMMAND_FAILED");
  assertStringIncludes(error.message, "syn.py: Cannot parse");
  const output = error.output as Record<string, unknown>;
  assertEquals(output["changed"], ["u.py"]);
  assertEquals(output["failed"], [{ file: "syn.py", message: "Cannot parse: 1:11: def broken(:" }]);
});

Deno.test("a formatter that broke is no formatter that found nothing", async () => {
  const outcome = { exitCode: 1, stderr: bytes("Aborted!\n") };
  for (const check of [true, false]) {
    const memory = createMemory({ outcome });
    const error = await failure(() => call(runFormatter as Tool, { tool: "black", check }, memory));
    assertEquals(error.code, "COMMAND_FAILED");
    // It was not let write.
    assertEquals(memory.started.length, 1);
  }
});

Deno.test("what is written is a need of those that write, and of no other", async () => {
  const needs = async (tool: unknown, input: Record<string, unknown>) =>
    (await (tool as Tool).capabilities(input, { cwd: "." }))
      .flatMap((one) => "path" in one ? [`${one.kind} ${one.path}`] : []);
  assertEquals(await needs(runFormatter, { check: false }), ["fs.read .", "fs.write ."]);
  assertEquals(await needs(runFormatter, { check: true, files: ["a"], cwd: "b" }), ["fs.read b/a"]);
  assertEquals(await needs(runLinter, { files: ["../x", "/etc/x"] }), [
    "fs.read ../x",
    "fs.read /etc/x",
  ]);
  assertEquals(await needs(runTests, { path: "t.py::test_a" }), ["fs.read t.py"]);
  assertEquals(await needs(installPackage, { packages: ["a"], cwd: "b" }), ["fs.write b"]);
  assertEquals(await needs(createVirtualEnvironment, { path: ".venv" }), ["fs.write .venv"]);
});

Deno.test("launch_app starts exactly what it was told to, and answers the returncode", async () => {
  const memory = createMemory({ outcome: { stdout: bytes("out") } });
  const args = { app_name: "gimp", args: ["-x", "a b", "$(id)"], timeout: 2 };
  const output = await call(launchApp as Tool, args, memory);
  assertEquals([output["stdout"], output["exit_code"], output["returncode"]], ["out", 0, 0]);
  assertEquals(memory.started.map(([argv, { timeoutMs, cwd }]) => [argv, timeoutMs, cwd]), [
    [["gimp", "-x", "a b", "$(id)"], 2_000, "."],
  ]);
  assertEquals(
    launchApp.describe({ app_name: "gimp", args: [], timeout: 30 }),
    "Launch application: gimp",
  );
  const error = await failure(() =>
    run(launchApp, { app_name: "x" }, { outcome: { exitCode: 3 } })
  );
  assertEquals(error.code, "COMMAND_FAILED");
  assertEquals((error.output as Record<string, unknown>)["returncode"], 3);
  for (const bad of [{ app_name: "" }, { app_name: "a\0b" }, { app_name: "a", args: ["\ud800"] }]) {
    assertEquals((await failure(() => run(launchApp, bad, {}))).code, "INVALID_ARGUMENTS");
  }
});

Deno.test("run_python gives the code as one argument: what is judged is what runs", async () => {
  const code = "import os\nprint('-c; $(id)')";
  const memory = createMemory({ outcome: { stdout: bytes("1\n") }, programs: ["python3"] });
  assertEquals((await call(runPython as Tool, { code }, memory))["stdout"], "1\n");
  assertEquals(memory.started.map(([argv]) => argv), [["python3", "-c", code]]);
  for (const bad of ["", "a\0b", "x".repeat(131_072), "é".repeat(65_536)]) {
    assertEquals(
      (await failure(() => run(runPython, { code: bad }, {}))).code,
      "INVALID_ARGUMENTS",
    );
  }
});

Deno.test("create_virtual_environment and install_package answer what they made", async () => {
  const made = await run(createVirtualEnvironment, { path: "envs/a", cwd: "app" }, {});
  assertEquals([made["path"], made["python"], made["tool"]], [
    "app/envs/a",
    "app/envs/a/bin/python3",
    "venv",
  ]);
  for (const python of ["/bin/sh", "python3 -c", "sh", "python3;id", "--help"]) {
    const error = await failure(() => run(createVirtualEnvironment, { python }, {}));
    assertEquals(error.code, "INVALID_ARGUMENTS", python);
  }
  const output = await run(installPackage, { packages: ["a"], manager: "npm" }, {
    outcome: { stdout: bytes("added 1 package") },
  });
  assertEquals([output["manager"], output["stdout"]], ["npm", "added 1 package"]);
});
