import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import type { Tool } from "../../../../../src/core/tool.ts";
import createVirtualEnvironment from "../../../../../src/tools/exec/create_virtual_environment.ts";
import installPackage from "../../../../../src/tools/exec/install_package.ts";
import runFormatter from "../../../../../src/tools/exec/run_formatter.ts";
import runLinter from "../../../../../src/tools/exec/run_linter.ts";
import runPython from "../../../../../src/tools/exec/run_python.ts";
import runTests from "../../../../../src/tools/exec/run_tests.ts";
import runTypeChecker from "../../../../../src/tools/exec/run_type_checker.ts";
import { type Files, first, ways } from "./_ways.ts";

const PYTEST = "--verbosity=0 --tb=short -rfE --color=no";
const PACKAGE = JSON.stringify({ scripts: { test: "node --test --test-concurrency=1 test/" } });
const ESLINT: Files = {
  "package.json": `{"devDependencies":{"eslint":"9"}}`,
  "node_modules/eslint/package.json": `{"bin":{"eslint":"./bin/eslint.js"}}`,
};

Deno.test("run_tests takes the project's own framework, by its files", () => {
  const cases:
    readonly (readonly [Files, Record<string, unknown>, readonly string[], string[]?])[] = [
      // Python: settings, a dependency, a program that is there, else the standard library.
      [{ "pytest.ini": "" }, {}, [`python3 -m pytest ${PYTEST}`, `pytest ${PYTEST}`]],
      [{ "pyproject.toml": "[tool.pytest.ini_options]\n" }, {}, [
        `python3 -m pytest ${PYTEST}`,
        `pytest ${PYTEST}`,
      ]],
      [{ "setup.cfg": "[tool:pytest]\n" }, { path: "tests", test_pattern: "add and not b" }, [
        `python3 -m pytest ${PYTEST} -k=add and not b tests`,
        `pytest ${PYTEST} -k=add and not b tests`,
      ]],
      [{ "requirements.txt": "flask\npytest>=7\n", "a.py": "" }, {}, [
        `python3 -m pytest ${PYTEST}`,
      ], [
        "python3",
      ]],
      [{ "a.py": "", "tests/test_a.py": "" }, {}, [
        "python3 -m unittest discover --start-directory=tests -v",
        "python -m unittest discover --start-directory=tests -v",
      ], ["python3"]],
      [{ "test_a.py": "", "tests/x": "" }, { framework: "unittest", test_pattern: "x*" }, [
        "python3 -m unittest discover -v -k=x*",
        "python -m unittest discover -v -k=x*",
      ]],
      [{ "test_a.py": "" }, { framework: "unittest", path: "test_a.py" }, [
        "python3 -m unittest test_a.py -v",
        "python -m unittest test_a.py -v",
      ]],
      // An environment of the project's own goes before the system's.
      [{ "pytest.ini": "", ".venv/pyvenv.cfg": "home = /usr/bin\n" }, {}, [
        `.venv/bin/python3 -m pytest ${PYTEST}`,
        `.venv/bin/pytest ${PYTEST}`,
        `python3 -m pytest ${PYTEST}`,
        `pytest ${PYTEST}`,
      ]],
      // Node: the script where it is one plain command, with its own flags; else the script as it is.
      [{ "package.json": PACKAGE }, {}, [
        "node --test --test-reporter=tap --test-concurrency=1 test/",
      ]],
      [{ "package.json": PACKAGE }, { path: "test/a.test.js", test_pattern: "adds" }, [
        "node --test --test-reporter=tap --test-name-pattern=adds --test-concurrency=1 test/a.test.js",
      ]],
      [
        {
          "package.json": `{"scripts":{"test":"jest --coverage"}}`,
          "node_modules/jest/package.json": `{"bin":"./bin/jest.js"}`,
        },
        {},
        [
          "node node_modules/jest/bin/jest.js --json --coverage",
          "npx --no-install jest --json --coverage",
          "jest --json --coverage",
        ],
      ],
      [{ "package.json": `{"scripts":{"test":"tsc && ava"}}` }, {}, ["npm test"]],
      [{ "package.json": `{"scripts":{"test":"ava"}}`, "pnpm-lock.yaml": "" }, {}, ["pnpm test"]],
      [{ "package.json": `{"scripts":{"test":"ava"}}`, "bun.lock": "" }, {}, ["bun run test"]],
      [{ "package.json": `{"scripts":{"test":"ava"},"packageManager":"yarn@4.0.0"}` }, {}, [
        "yarn test",
      ]],
      [{ "a.test.mjs": "" }, {}, ["node --test --test-reporter=tap"]],
      [{ "deno.json": "{}" }, { path: "a_test.ts", test_pattern: "x" }, [
        "deno test --no-prompt --filter=x a_test.ts",
      ]],
      [{ "deno.json": `{"tasks":{"test":"deno test --allow-env -P a"}}` }, {}, [
        "deno test --no-prompt --allow-env -P",
      ]],
      [{ "go.mod": "module a.b/c\n" }, { path: "sub/x_test.go", test_pattern: "^TestA$" }, [
        "go test -json -run=^TestA$ ./sub/",
      ]],
      [{ "go.mod": "" }, { path: "sub" }, ["go test -json ./sub/..."]],
      [{ "Cargo.toml": "" }, { test_pattern: "adds" }, [
        "cargo test --no-fail-fast --color=never adds",
      ]],
      [{ "Makefile": "test: all\n\ttrue\n" }, {}, ["make test"]],
      // Below another folder, packages of the workspace count too.
      [
        {
          "app/package.json": `{"scripts":{"test":"mocha"}}`,
          "node_modules/mocha/package.json": `{"bin":{"mocha":"bin/mocha.js"}}`,
        },
        { cwd: "app" },
        [
          "node ../node_modules/mocha/bin/mocha.js --reporter=json",
          "npx --no-install mocha --reporter=json",
          "mocha --reporter=json",
        ],
      ],
      // The ending of a path says the language.
      [{ "pytest.ini": "", "package.json": PACKAGE }, { path: "test/a.test.js" }, [
        "node --test --test-reporter=tap --test-concurrency=1 test/a.test.js",
      ]],
    ];
  for (const [files, args, expected, programs] of cases) {
    assertEquals(first(ways(runTests, args, files, programs)), expected, JSON.stringify(files));
  }
});

Deno.test("linters, type checkers and formatters are the project's own", () => {
  const cases: readonly (readonly [Tool, Files, Record<string, unknown>, string])[] = [
    [runLinter as Tool, { "ruff.toml": "" }, {}, "ruff check --output-format=json-lines ."],
    [
      runLinter as Tool,
      { "setup.cfg": "[flake8]\n" },
      { files: ["a.py"] },
      "flake8 --format=default --jobs=1 a.py",
    ],
    [
      runLinter as Tool,
      { "requirements-dev.txt": "pylint==3\n" },
      {},
      "pylint --output-format=json --recursive=y .",
    ],
    [runLinter as Tool, ESLINT, {}, "node node_modules/eslint/bin/eslint.js --format=json ."],
    [runLinter as Tool, { "biome.json": "{}" }, {}, "biome lint --reporter=github ."],
    [runLinter as Tool, { "deno.jsonc": "{}" }, { files: ["a.ts"] }, "deno lint --json a.ts"],
    [runLinter as Tool, { "go.mod": "" }, { files: ["a.go", "b.go", "c/d.go"] }, "go vet ./ ./c/"],
    [runLinter as Tool, { ".golangci.yml": "" }, {}, "golangci-lint run --color=never ./..."],
    [
      runLinter as Tool,
      { "Cargo.toml": "" },
      {},
      "cargo clippy --message-format=json --all-targets",
    ],
    [
      runTypeChecker as Tool,
      { "mypy.ini": "" },
      {},
      "mypy --no-color-output --no-error-summary --show-column-numbers --show-error-codes --no-pretty .",
    ],
    [
      runTypeChecker as Tool,
      { "pyproject.toml": '[tool.mypy]\nfiles = ["src"]\n' },
      {},
      "mypy --no-color-output --no-error-summary --show-column-numbers --show-error-codes --no-pretty",
    ],
    [runTypeChecker as Tool, { "pyrightconfig.json": "{}" }, {}, "pyright --outputjson"],
    [
      runTypeChecker as Tool,
      { "tsconfig.json": "{}" },
      { files: ["a.ts"] },
      "tsc --noEmit --pretty false",
    ],
    [runTypeChecker as Tool, { "deno.json": "{}" }, {}, "deno check ."],
    [
      runTypeChecker as Tool,
      { "Cargo.toml": "" },
      {},
      "cargo check --message-format=json --all-targets",
    ],
    [runFormatter as Tool, { "pyproject.toml": "[tool.black]\n" }, {}, "black --check ."],
    [
      runFormatter as Tool,
      { "pyproject.toml": "[tool.ruff.format]\n" },
      {},
      "ruff format --diff .",
    ],
    [
      runFormatter as Tool,
      { ".prettierrc": "" },
      { files: ["a.js"] },
      "prettier --list-different a.js",
    ],
    [runFormatter as Tool, { "deno.json": "{}" }, {}, "deno fmt --check"],
    [runFormatter as Tool, { "go.mod": "" }, {}, "gofmt -d ."],
    [runFormatter as Tool, { "Cargo.toml": "" }, {}, "cargo fmt --check"],
    // Whoever names a file has said what language it is.
    [runFormatter as Tool, {}, { files: ["a.go"] }, "gofmt -d a.go"],
    [runFormatter as Tool, {}, { tool: "black" }, "black --check ."],
  ];
  for (const [tool, files, args, expected] of cases) {
    assertEquals(ways(tool, args, files)[0]?.[0], expected, JSON.stringify(files));
  }
});

Deno.test("a formatter is asked before it writes, and a check never writes", () => {
  const files = { "pyproject.toml": "[tool.black]\n" };
  assertEquals(ways(runFormatter, {}, files)[0], ["black --check .", "black ."]);
  assertEquals(ways(runFormatter, { check: true }, files)[0], [
    "black --check .",
    "black --quiet -",
  ]);
  assertEquals(ways(runFormatter, { check: true }, { "deno.json": "" })[0], ["deno fmt --check"]);
});

Deno.test("run_python and create_virtual_environment take an interpreter that is there", () => {
  assertEquals(first(ways(runPython, { code: "-1" }, { ".venv/pyvenv.cfg": "x" })), [
    ".venv/bin/python3 -c -1",
    "python3 -c -1",
    "python -c -1",
  ]);
  assertEquals(first(ways(createVirtualEnvironment, {}, {})), [
    "python3 -m venv .venv",
    "python -m venv .venv",
  ]);
  assertEquals(
    first(
      ways(createVirtualEnvironment, { path: "--copies", python: "python3.12", with_pip: false }, {
        "uv.lock": "",
      }),
    ),
    ["uv venv --python=python3.12 ./--copies", "python3.12 -m venv --without-pip ./--copies"],
  );
});

Deno.test("install_package takes the project's manager, and no code of packages unless it is asked to", () => {
  const cases: readonly (readonly [Files, Record<string, unknown>, string])[] = [
    [{ "package.json": "{}" }, {
      packages: ["@types/node@^22", "left-pad"],
      dev: true,
    }, "npm install --no-audit --no-fund --ignore-scripts --save-dev @types/node@^22 left-pad"],
    [
      { "package.json": "{}" },
      { packages: ["esbuild"], run_scripts: true },
      "npm install --no-audit --no-fund esbuild",
    ],
    [
      { "package.json": "{}", "yarn.lock": "" },
      { packages: ["a"], dev: true },
      "yarn add --ignore-scripts --dev a",
    ],
    [
      { "pyproject.toml": "", ".venv/pyvenv.cfg": "x" },
      {
        packages: ["requests[socks]>=2,<3"],
      },
      ".venv/bin/python3 -m pip install --no-input --disable-pip-version-check --only-binary=:all: requests[socks]>=2,<3",
    ],
    [{ "uv.lock": "" }, { packages: ["a"], dev: true }, "uv add --dev --no-build a"],
    [{ "deno.json": "" }, { packages: ["jsr:@std/path@^1"] }, "deno add jsr:@std/path@^1"],
    [{ "Cargo.toml": "" }, { packages: ["serde@1"] }, "cargo add serde@1"],
    [
      { "go.mod": "" },
      { packages: ["golang.org/x/text@v0.14.0"] },
      "go get golang.org/x/text@v0.14.0",
    ],
    [{}, { packages: ["a"], manager: "pnpm" }, "pnpm add --ignore-scripts a"],
  ];
  for (const [files, args, expected] of cases) {
    assertEquals(ways(installPackage, args, files)[0]?.[0], expected);
  }
});

Deno.test("where nothing fits, what was looked for is named, and how to say it", () => {
  const cases: readonly (readonly [Tool, Record<string, unknown>, string])[] = [
    [runTests as Tool, {}, "pytest, unittest, jest"],
    [runLinter as Tool, {}, "ruff, flake8, pylint"],
    [runTypeChecker as Tool, { files: ["a.xyz"] }, "mypy, pyright, deno check"],
    [runFormatter as Tool, {}, "black, ruff format, prettier"],
    [installPackage as Tool, { packages: ["a"] }, "pip, uv, npm"],
  ];
  for (const [tool, args, looked] of cases) {
    const error = assertThrows(() => ways(tool, args, { "README.md": "x" }), ToolError);
    assertEquals(error.code, "COMMAND_NOT_FOUND", tool.name);
    assertStringIncludes(error.message, looked);
  }
});

Deno.test("what a program cannot select by is refused with what it can", () => {
  const cases: readonly (readonly [Files, Record<string, unknown>])[] = [
    [{ "Cargo.toml": "" }, { framework: "cargo", path: "src" }],
    [{ "Cargo.toml": "" }, { framework: "cargo", test_pattern: "--help" }],
    [{ "Makefile": "test:\n" }, { framework: "make", test_pattern: "x" }],
    [{ "package.json": "{}" }, { framework: "script", path: "x" }],
  ];
  for (const [files, args] of cases) {
    assertEquals(
      assertThrows(() => ways(runTests, args, files), ToolError).code,
      "INVALID_ARGUMENTS",
    );
  }
});
