/** The linters and type checkers that are known: what speaks for one, how it is started, how its findings are read. */

import type { Facts } from "./facts.ts";
import { completed } from "./project_call.ts";
import { EVIDENCE, goPackages } from "./test_frameworks.ts";
import { readDenoCheck } from "../reports/deno_check.ts";
import {
  readCargo,
  readDenoLint,
  readEslint,
  readPylint,
  readPyright,
  readRuff,
} from "../reports/json_findings.ts";
import {
  readFlake8,
  readGitHub,
  readGolangci,
  readGoVet,
  readMypy,
  readTsc,
} from "../reports/located_lines.ts";
import type { ReadFindings } from "../reports/report.ts";
import { operand } from "../../../toolkit/words.ts";

/** A program that checks: when it fits, how it is called, how it is read. */
export interface Checker {
  readonly evidence: (facts: Facts) => number;
  /** Endings of the files that it checks. */
  readonly endings: readonly string[];
  /** Commands, best first. `files`: undefined for the whole project. */
  readonly commands: (
    facts: Facts,
    files: readonly string[] | undefined,
  ) => readonly (readonly string[])[];
  readonly read: ReadFindings;
  /** Statuses by which it says that it has checked. */
  readonly good: readonly number[];
  /** It checks the project as a whole: what lies in other files than those asked for is left out. */
  readonly whole?: true;
}

const { none, usual, dependency, settings } = EVIDENCE;
const SCRIPTS = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
const TYPED_SCRIPTS = [".ts", ".mts", ".cts", ".tsx", ".js", ".jsx"];
const PYTHON = [".py", ".pyi"];

/** Files as arguments, or the folder. */
function targets(files: readonly string[] | undefined): readonly string[] {
  return files === undefined ? ["."] : files.map(operand);
}

/** A checker of Python, by its section in one of the files that several share, or a file of its own. */
function pythonChecker(
  name: string,
  own: {
    readonly files: readonly string[];
    readonly sections: readonly (readonly [file: string, section: string])[];
    readonly args: readonly string[];
    readonly read: ReadFindings;
    readonly good: readonly number[];
    readonly targets?: (facts: Facts) => readonly string[];
  },
): Checker {
  return {
    endings: PYTHON,
    good: own.good,
    read: own.read,
    evidence: (facts) =>
      facts.has(...own.files) ||
        own.sections.some(([file, section]) => facts.hasSection(file, section))
        ? settings
        : facts.dependsOn(name)
        ? dependency
        : facts.isPython && facts.hasPythonProgram(name)
        ? usual
        : none,
    commands: (facts, files) =>
      completed(facts.pythonProgram(name), [
        ...own.args,
        ...(files === undefined ? own.targets?.(facts) ?? ["."] : files.map(operand)),
      ]),
  };
}

/** In the order that counts where a project's files speak for several. */
export const LINTERS = {
  ruff: pythonChecker("ruff", {
    files: ["ruff.toml", ".ruff.toml"],
    sections: [["pyproject.toml", "tool.ruff"]],
    args: ["check", "--output-format=json-lines"],
    read: readRuff,
    good: [0, 1],
  }),
  flake8: pythonChecker("flake8", {
    files: [".flake8"],
    sections: [["setup.cfg", "flake8"], ["tox.ini", "flake8"]],
    // Several would need semaphores, which are files in /dev/shm.
    args: ["--format=default", "--jobs=1"],
    read: readFlake8,
    good: [0, 1],
  }),
  pylint: pythonChecker("pylint", {
    files: [".pylintrc", "pylintrc"],
    sections: [["pyproject.toml", "tool.pylint"], ["setup.cfg", "pylint"]],
    args: ["--output-format=json", "--recursive=y"],
    read: readPylint,
    // One bit a kind of finding; 32 is a mistake in how it was called: pylint(1).
    good: Array.from({ length: 32 }, (_, status) => status),
  }),
  eslint: {
    endings: SCRIPTS,
    good: [0, 1],
    read: readEslint,
    evidence: (facts) =>
      [...facts.names].some((name) => /^(?:eslint\.config\.|\.eslintrc(?:\.|$))/.test(name)) ||
        facts.manifest("eslintConfig") !== undefined
        ? settings
        : facts.dependsOn("eslint")
        ? dependency
        : none,
    commands: (facts, files) =>
      completed(facts.nodeProgram("eslint"), ["--format=json", ...targets(files)]),
  },
  biome: {
    endings: SCRIPTS,
    good: [0, 1],
    read: readGitHub,
    evidence: (facts) => facts.has("biome.json", "biome.jsonc") ? settings : none,
    commands: (facts, files) =>
      completed(facts.nodeProgram("biome"), ["lint", "--reporter=github", ...targets(files)]),
  },
  "deno lint": {
    endings: SCRIPTS,
    good: [0, 1],
    read: readDenoLint,
    evidence: (facts) => facts.has("deno.json", "deno.jsonc") ? settings : none,
    commands: (_facts, files) => [["deno", "lint", "--json", ...(files ?? []).map(operand)]],
  },
  "golangci-lint": {
    endings: [".go"],
    good: [0, 1],
    read: readGolangci,
    whole: true,
    evidence: (facts) =>
      [...facts.names].some((name) => name.startsWith(".golangci.")) ? settings : none,
    commands: () => [["golangci-lint", "run", "--color=never", "./..."]],
  },
  "go vet": {
    endings: [".go"],
    good: [0, 1, 2],
    read: readGoVet,
    evidence: (facts) => facts.has("go.mod") ? dependency : none,
    commands: (_facts, files) => [["go", "vet", ...goTargets(files)]],
  },
  "cargo clippy": {
    endings: [".rs"],
    good: [0, 101],
    read: readCargo,
    whole: true,
    evidence: (facts) => facts.has("Cargo.toml") ? dependency : none,
    commands: () => [["cargo", "clippy", "--message-format=json", "--all-targets"]],
  },
} as const satisfies Readonly<Record<string, Checker>>;

/** As {@linkcode LINTERS}, of types. */
export const TYPE_CHECKERS = {
  mypy: pythonChecker("mypy", {
    files: ["mypy.ini", ".mypy.ini"],
    sections: [["pyproject.toml", "tool.mypy"], ["setup.cfg", "mypy"]],
    args: [
      ...["--no-color-output", "--no-error-summary", "--show-column-numbers"],
      ...["--show-error-codes", "--no-pretty"],
    ],
    read: readMypy,
    good: [0, 1],
    // Settings that name what is to be checked stand for no argument at all.
    targets: (facts) =>
      ["pyproject.toml", "setup.cfg"].some((file) =>
          facts.hasSection(file, file === "setup.cfg" ? "mypy" : "tool.mypy") &&
          /^(?:files|packages|modules)\s*=/m.test(facts.text(file))
        )
        ? []
        : ["."],
  }),
  pyright: {
    endings: PYTHON,
    good: [0, 1],
    read: readPyright,
    evidence: (facts) =>
      facts.has("pyrightconfig.json") || facts.hasSection("pyproject.toml", "tool.pyright")
        ? settings
        : facts.dependsOn("pyright")
        ? dependency
        : none,
    commands: (facts, files) =>
      completed(
        facts.installed("pyright") ? facts.nodeProgram("pyright") : facts.pythonProgram("pyright"),
        ["--outputjson", ...(files ?? []).map(operand)],
      ),
  },
  "deno check": {
    endings: TYPED_SCRIPTS,
    good: [0, 1],
    read: readDenoCheck,
    evidence: (facts) => facts.has("deno.json", "deno.jsonc") ? settings : none,
    commands: (_facts, files) => [["deno", "check", ...targets(files)]],
  },
  tsc: {
    endings: TYPED_SCRIPTS,
    good: [0, 1, 2],
    read: readTsc,
    whole: true,
    evidence: (facts) =>
      facts.has("tsconfig.json") ? settings : facts.dependsOn("typescript") ? dependency : none,
    // With files named, it would pass over tsconfig.json.
    commands: (facts) => completed(facts.nodeProgram("tsc"), ["--noEmit", "--pretty", "false"]),
  },
  "cargo check": {
    endings: [".rs"],
    good: [0, 101],
    read: readCargo,
    whole: true,
    evidence: (facts) => facts.has("Cargo.toml") ? settings : none,
    commands: () => [["cargo", "check", "--message-format=json", "--all-targets"]],
  },
  "go vet": {
    endings: [".go"],
    good: [0, 1, 2],
    read: readGoVet,
    evidence: (facts) => facts.has("go.mod") ? settings : none,
    commands: (_facts, files) => [["go", "vet", ...goTargets(files)]],
  },
} as const satisfies Readonly<Record<string, Checker>>;

/** Packages, each once: files of several cannot be named in one command. */
function goTargets(files: readonly string[] | undefined): readonly string[] {
  return [...new Set((files ?? [undefined]).map(goPackages))];
}
