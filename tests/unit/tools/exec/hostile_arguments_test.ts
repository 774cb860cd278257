import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { parseArguments } from "../../../../src/core/parse_arguments.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import installPackage from "../../../../src/tools/exec/install_package.ts";
import runFormatter from "../../../../src/tools/exec/run_formatter.ts";
import runLinter from "../../../../src/tools/exec/run_linter.ts";
import runTests from "../../../../src/tools/exec/run_tests.ts";
import runTypeChecker from "../../../../src/tools/exec/run_type_checker.ts";
import { createMemory, surveyed } from "../_memory_context.ts";
import { type Files, first, ways } from "./project/_ways.ts";

const ESLINT: Files = {
  "package.json": `{"devDependencies":{"eslint":"9"}}`,
  "node_modules/eslint/package.json": `{"bin":{"eslint":"./bin/eslint.js"}}`,
};

Deno.test("no file and no pattern becomes an option, an address or a file of options", () => {
  const hostile = [
    ...[
      "-czz",
      "--zz=1",
      "@zz",
      "!zz",
      "https://zz.example/x.ts",
      "npm:zz",
      "=zz",
      "$(zz)",
      "`zz`",
    ],
  ];
  const projects: readonly (readonly [Tool, Record<string, unknown>])[] = [
    ...["pytest", "jest", "vitest", "mocha", "node", "deno", "go", "unittest"]
      .map((framework): [Tool, Record<string, unknown>] => [runTests as Tool, { framework }]),
    ...["ruff", "flake8", "pylint", "eslint", "biome", "deno lint", "go vet"]
      .map((tool): [Tool, Record<string, unknown>] => [runLinter as Tool, { tool }]),
    ...["mypy", "pyright", "deno check"]
      .map((tool): [Tool, Record<string, unknown>] => [runTypeChecker as Tool, { tool }]),
    ...["black", "ruff format", "prettier", "deno fmt", "gofmt"]
      .map((tool): [Tool, Record<string, unknown>] => [runFormatter as Tool, { tool }]),
  ];
  const installed = Object.fromEntries(
    ["jest", "vitest", "mocha", "eslint", "@biomejs/biome", "prettier", "pyright"].map((name) => [
      `node_modules/${name}/package.json`,
      JSON.stringify({ bin: "bin/x.js" }),
    ]),
  );
  for (const [tool, args] of projects) {
    for (const word of hostile) {
      const selection = tool.name === "run_tests"
        ? { path: word, test_pattern: word }
        : { files: [word, "a"] };
      const parsed = parseArguments(tool.input, { ...args, ...selection });
      if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
      const memory = createMemory({ files: installed });
      for (const input of surveyed(tool, parsed.value, memory)) {
        const { way } = input as { way: { commands: readonly (readonly string[])[] } };
        for (const argv of way.commands) {
          // The word itself is never an argument; what holds it begins with ./ or is an option's value.
          assertEquals(argv.includes(word), false, `${tool.name} ${argv.join(" ")}`);
          const carriers = argv.filter((one) => one.includes(word));
          for (const carrier of carriers) {
            const plain = carrier === `./${word}` || carrier === `./${word}/...` ||
              /^-{1,2}[a-zA-Z-]+=/.test(carrier);
            assertEquals(plain, true, `${tool.name} ${carrier}`);
          }
          // npx hands its words to a shell.
          if (argv[0] === "npx") assertEquals(/[$`!]/.test(argv.join(" ")), false);
        }
      }
    }
  }
});

Deno.test("a package's own word for its program never leads out of the package", () => {
  for (
    const bin of ["../../../evil.js", "/etc/passwd/..", "a/../../b.js", 3, null, { eslint: "../x" }]
  ) {
    const files = { ...ESLINT, "node_modules/eslint/package.json": JSON.stringify({ bin }) };
    const found = first(ways(runLinter, {}, files));
    assertEquals(found, ["eslint --format=json ."], JSON.stringify(bin));
  }
});

Deno.test("names of packages are names, and nothing that a manager takes for more", () => {
  const good = [
    ...["pip requests", "pip Django==5.0.*", "pip uvicorn[standard]>=0.30,<1", "pip a~=1.0"],
    ...["npm react", "npm @babel/core@^7.0.0", "npm typescript@latest", "npm a.b_c~d"],
    ...["cargo serde_json@1.0", "go github.com/a/b@latest", "deno npm:chalk@5", "deno jsr:@std/fs"],
  ];
  const bad = [
    ...["pip --index-url=http://x", "pip -r", "pip git+https://x/y", "pip ./x", "pip a @ http://x"],
    ...["pip /etc/x", "pip a;b", "pip a b", "pip ../x", "pip a==1 --pre", "pip .", "pip a\nb"],
    ...["npm --prefix=/", "npm -g", "npm http://x/y.tgz", "npm git@x:y/z", "npm a/b", "npm file:x"],
    ...[
      "npm ../x",
      "npm ./x",
      "npm alias@npm:evil",
      "npm a@http://x",
      "npm github:a/b",
      "npm @a/../b",
    ],
    ...["cargo --git", "cargo a --path=x", "go ../x", "go ./...", "go -exec=x", "go a.b/../../c"],
    ...["deno chalk", "deno https://x/y.ts", "deno npm:../x", "deno --allow-all"],
  ];
  const tried = (text: string) => {
    const [manager, ...rest] = text.split(" ");
    return () => ways(installPackage, { manager, packages: [rest.join(" ")] }, {});
  };
  for (const text of good) assertEquals(tried(text)().length > 0, true, text);
  for (const text of bad) {
    assertEquals(
      assertThrows(tried(text), ToolError, undefined, text).code,
      "INVALID_ARGUMENTS",
      text,
    );
  }
});

Deno.test("manifests made to be costly, or of another shape, are looked at all the same", () => {
  const many = (part: string) => part.repeat(Math.ceil(200_000 / part.length));
  const texts = [
    ...[
      `[${many(" ")}`,
      many("["),
      many("[a.b] "),
      many('"test" '),
      `"test"${many(" ")}`,
      many("test :\n"),
    ],
    ...[
      `{"scripts":{"test":"${many("a ")}"}}`,
      '{"scripts":3}',
      "[1]",
      "null",
      "\ufeff{}",
      `{"bin":[]}`,
    ],
    ...[
      '{"dependencies":"x","devDependencies":null}',
      '{"packageManager":7}',
      many("-"),
      "module\n",
    ],
  ];
  const names = [
    ...[
      "package.json",
      "deno.json",
      "pyproject.toml",
      "setup.cfg",
      "tox.ini",
      "go.mod",
      "Makefile",
    ],
    ...["requirements.txt", ".venv/pyvenv.cfg", "node_modules/eslint/package.json"],
  ];
  for (const text of texts) {
    const files = Object.fromEntries(names.map((name) => [name, text]));
    for (const tool of [runTests, runLinter, runTypeChecker, runFormatter] as unknown as Tool[]) {
      assertEquals(ways(tool, {}, files).length > 0, true);
    }
  }
});
