/** The test programs that are known: what says that a project uses one, how it is started, how its report is read. */

import type { Facts, NodeProgram } from "./facts.ts";
import { completed } from "./project_call.ts";
import type { ReadTests } from "../reports/report.ts";
import { readAny } from "../reports/printed_tests.ts";
import { readCargoTest } from "../reports/cargo_test.ts";
import { readDenoTest } from "../reports/deno_test.ts";
import { readGoTest } from "../reports/go_test.ts";
import { readJest } from "../reports/jest.ts";
import { readMocha } from "../reports/mocha.ts";
import { readPytest } from "../reports/pytest.ts";
import { readTap } from "../reports/tap.ts";
import { readUnittest } from "../reports/unittest.ts";
import { invalid, operand } from "../../../toolkit/words.ts";

/** Test frameworks that are known. */
export const FRAMEWORKS = [
  "pytest",
  "unittest",
  "jest",
  "vitest",
  "mocha",
  "node",
  "deno",
  "go",
  "cargo",
  "script",
  "make",
] as const;
/** A test framework that is known. */
export type Framework = (typeof FRAMEWORKS)[number];

/** What is to be tested. */
export interface Selection {
  readonly path?: string;
  readonly test_pattern?: string;
}

/** How strongly a project's files speak for a program: by its settings, by a dependency, by what is there. */
export const EVIDENCE = { none: 0, usual: 1, dependency: 2, settings: 3 } as const;

/** A program that runs tests: when it fits, how it is called, how it is read. */
export interface TestProgram {
  /** One of {@linkcode EVIDENCE}. */
  readonly evidence: (facts: Facts) => number;
  /** Whether files with this ending (`.py`) may be its tests. */
  readonly endings: readonly string[];
  /** Commands, best first. Throws INVALID_ARGUMENTS for what it cannot select by. */
  readonly commands: (facts: Facts, selection: Selection) => readonly (readonly string[])[];
  readonly read: (facts: { readonly module: string }) => ReadTests;
  /** Its report is for programs: people read what it writes to standard error. */
  readonly machine?: true;
}

const SCRIPT_ENDINGS = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
const { none, usual, dependency, settings } = EVIDENCE;

const pytest: TestProgram = {
  endings: [".py"],
  evidence: (facts) =>
    facts.has("pytest.ini", "conftest.py") || facts.hasSection("pyproject.toml", "tool.pytest") ||
      facts.hasSection("setup.cfg", "tool:pytest") || facts.hasSection("tox.ini", "pytest")
      ? settings
      : facts.dependsOn("pytest")
      ? dependency
      : facts.isPython && facts.hasPythonProgram("pytest")
      ? usual
      : none,
  commands: (facts, { path, test_pattern }) =>
    completed(facts.pythonProgram("pytest", "module"), [
      // Whatever the project's own settings add to them.
      ...["--verbosity=0", "--tb=short", "-rfE", "--color=no"],
      ...(test_pattern === undefined ? [] : [`-k=${test_pattern}`]),
      ...(path === undefined ? [] : [operand(path)]),
    ]),
  read: () => readPytest,
};

const unittest: TestProgram = {
  endings: [".py"],
  evidence: (facts) => facts.isPython ? usual : none,
  commands(facts, { path, test_pattern }) {
    const select = test_pattern === undefined ? [] : [`-k=${test_pattern}`];
    return facts.pythons.map((
      python,
    ) => [python, "-m", "unittest", ...unittestTarget(facts, path), "-v", ...select]);
  },
  read: () => readUnittest,
};

/** A file is named as it is; a folder is searched, from itself where it is no package. */
function unittestTarget(facts: Facts, path: string | undefined): readonly string[] {
  if (path?.endsWith(".py")) return [operand(path)];
  if (path !== undefined) return ["discover", `--start-directory=${path}`];
  const top = [...facts.names].some((name) => /^test.*\.py$/.test(name));
  const folder = top ? undefined : ["tests", "test"].find((name) => facts.names.has(name));
  return folder === undefined ? ["discover"] : ["discover", `--start-directory=${folder}`];
}

/** The programs of Node's test frameworks, with the arguments that make their reports JSON. */
const NODE_FRAMEWORKS = {
  jest: { args: ["--json"], pattern: "--testNamePattern=", configs: /^jest\.config\./ },
  vitest: {
    args: ["run", "--reporter=json"],
    pattern: "--testNamePattern=",
    configs: /^vitest\.config\./,
  },
  mocha: { args: ["--reporter=json"], pattern: "--grep=", configs: /^\.mocharc\./ },
} as const satisfies Partial<Record<NodeProgram, unknown>>;

function nodeFramework(name: keyof typeof NODE_FRAMEWORKS, read: ReadTests): TestProgram {
  const { args, pattern, configs } = NODE_FRAMEWORKS[name];
  return {
    endings: SCRIPT_ENDINGS,
    evidence: (facts) =>
      testScript(facts)?.[0] === name || [...facts.names].some((file) => configs.test(file)) ||
        facts.manifest(name) !== undefined
        ? settings
        : facts.dependsOn(name)
        ? dependency
        : none,
    commands(facts, { path, test_pattern }) {
      const [word, ...own] = testScript(facts) ?? [];
      const script = word === name ? own.filter((one) => one !== "run") : [];
      return completed(facts.nodeProgram(name), [
        ...args,
        ...script,
        ...(test_pattern === undefined ? [] : [pattern + test_pattern]),
        ...(path === undefined ? [] : [operand(path)]),
      ]);
    },
    read: () => read,
    machine: true,
  };
}

const node: TestProgram = {
  endings: SCRIPT_ENDINGS,
  evidence: (facts) =>
    isNodeTest(testScript(facts))
      ? settings
      : [...facts.names].some((name) => /[.-]test\.[cm]?[jt]s$|^test\.[cm]?js$/.test(name)) ||
          (facts.has("package.json") && facts.has("test"))
      ? usual
      : none,
  commands(facts, { path, test_pattern }) {
    const script = testScript(facts);
    const own = isNodeTest(script) ? script?.slice(2) ?? [] : [];
    return [[
      "node",
      "--test",
      "--test-reporter=tap",
      ...(test_pattern === undefined ? [] : [`--test-name-pattern=${test_pattern}`]),
      ...(path === undefined
        ? own
        : [...own.filter((word) => word.startsWith("-")), operand(path)]),
    ]];
  },
  read: () => readTap,
};

const deno: TestProgram = {
  endings: SCRIPT_ENDINGS,
  evidence: (facts) => facts.has("deno.json", "deno.jsonc") ? settings : none,
  commands: (facts, { path, test_pattern }) => [[
    "deno",
    "test",
    "--no-prompt",
    ...denoFlags(facts),
    ...(test_pattern === undefined ? [] : [`--filter=${test_pattern}`]),
    ...(path === undefined ? [] : [operand(path)]),
  ]],
  read: () => readDenoTest,
};

/** Permissions and the like, from a task `test` that is one plain command. */
function denoFlags(facts: Facts): readonly string[] {
  const text = facts.text("deno.json") + facts.text("deno.jsonc");
  const task = /"test"\s*:\s*"deno test((?: [\w@%+=:,./-]+)*)"/.exec(text)?.[1] ?? "";
  return task.split(" ").filter((word) => word.startsWith("-") && !word.startsWith("--reporter"));
}

const go: TestProgram = {
  endings: [".go"],
  evidence: (facts) => facts.has("go.mod") ? settings : none,
  commands: (_facts, { path, test_pattern }) => [[
    "go",
    "test",
    "-json",
    ...(test_pattern === undefined ? [] : [`-run=${test_pattern}`]),
    goPackages(path),
  ]],
  read: ({ module }) => (output) => readGoTest(output, module),
};

/** The packages of a folder and below, the one package of a file. */
export function goPackages(path: string | undefined): string {
  if (path === undefined) return "./...";
  const folder = path.endsWith(".go")
    ? path.replace(/[^/]*$/, "")
    : `${path.replace(/\/+$/, "")}/...`;
  return folder.startsWith("/") || folder.startsWith("./") ? folder : `./${folder}`;
}

const cargo: TestProgram = {
  endings: [".rs"],
  evidence: (facts) => facts.has("Cargo.toml") ? settings : none,
  commands(_facts, { path, test_pattern }) {
    if (path !== undefined) throw noSelection("path", "cargo test", "test_pattern");
    if (test_pattern?.startsWith("-")) {
      throw invalid("test_pattern", "cargo test would take what begins with - for an option");
    }
    return [[
      "cargo",
      "test",
      "--no-fail-fast",
      "--color=never",
      ...(test_pattern === undefined ? [] : [test_pattern]),
    ]];
  },
  read: () => readCargoTest,
};

/** Whatever package.json calls its tests. */
const script: TestProgram = {
  endings: SCRIPT_ENDINGS,
  evidence: (facts) => scriptText(facts) === null ? none : dependency,
  commands(facts, { path, test_pattern }) {
    if (path !== undefined) throw noSelection("path", "a script", "framework");
    if (test_pattern !== undefined) throw noSelection("test_pattern", "a script", "framework");
    const manager = packageManager(facts);
    return [[manager, ...(manager === "bun" ? ["run", "test"] : ["test"])]];
  },
  read: () => readAny,
};

const make: TestProgram = {
  endings: [],
  evidence: (facts) => /^test[ \t]*:(?!=)/m.test(facts.makefile) ? usual : none,
  commands(_facts, { path, test_pattern }) {
    if (path !== undefined) throw noSelection("path", "make test", "framework");
    if (test_pattern !== undefined) throw noSelection("test_pattern", "make test", "framework");
    return [["make", "test"]];
  },
  read: () => readAny,
};

/** In the order that counts where a project's files speak for several. */
export const TEST_PROGRAMS: Readonly<Record<Framework, TestProgram>> = {
  pytest,
  deno,
  jest: nodeFramework("jest", readJest),
  vitest: nodeFramework("vitest", readJest),
  mocha: nodeFramework("mocha", readMocha),
  node,
  go,
  cargo,
  script,
  make,
  unittest,
};

function noSelection(argument: string, program: string, other: string): Error {
  return invalid(argument, `${program} runs all of its tests; leave it out, or select by ${other}`);
}

/** The script `test` of package.json; null where there is none but npm's placeholder. */
function scriptText(facts: Facts): string | null {
  const scripts = facts.manifest("scripts");
  const text = typeof scripts === "object" && scripts !== null && "test" in scripts
    ? scripts.test
    : null;
  return typeof text === "string" && !text.includes("no test specified") ? text : null;
}

/** The words of a script that is one plain command. */
function testScript(facts: Facts): readonly string[] | null {
  const text = scriptText(facts)?.trim() ?? "";
  return /^[\w@%+=:,./ -]+$/.test(text) ? text.split(/ +/) : null;
}

function isNodeTest(script: readonly string[] | null): boolean {
  return script?.[0] === "node" && script[1] === "--test";
}

/** By its lock file, or as package.json says. */
export function packageManager(facts: Facts): "npm" | "pnpm" | "yarn" | "bun" {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(String(facts.manifest("packageManager") ?? ""))?.[1];
  if (named === "npm" || named === "pnpm" || named === "yarn" || named === "bun") return named;
  if (facts.has("pnpm-lock.yaml")) return "pnpm";
  if (facts.has("yarn.lock")) return "yarn";
  return facts.has("bun.lock", "bun.lockb") ? "bun" : "npm";
}
