/** The formatters that are known: what speaks for one, how it says what it would change, how it changes it. */

import type { Facts } from "./facts.ts";
import type { Candidate } from "./fitting.ts";
import { completed } from "./project_call.ts";
import { EVIDENCE } from "./test_frameworks.ts";
import {
  readBlack,
  readCargoFmt,
  readDenoFmt,
  readGofmt,
  readPrettier,
  type ReadReformatted,
  readRuffFormat,
} from "../reports/reformatted.ts";
import { operand } from "../../../toolkit/words.ts";

/** Two commands of one program: the first changes nothing and says what the second would. */
export interface FormatCommands {
  readonly check: readonly string[];
  readonly write: readonly string[];
  /** Formats what it reads to what it prints, for the diff of a check that shows none. */
  readonly filter?: readonly string[];
}

/** A program that formats: when it fits, how it checks and writes, how it is read. */
export interface Formatter extends Candidate {
  readonly commands: (
    facts: Facts,
    files: readonly string[] | undefined,
  ) => readonly FormatCommands[];
  readonly read: ReadReformatted;
  /** Statuses by which the check says that it has found something. */
  readonly good: readonly number[];
  /** What of the check's output is the diff: "" where it shows none. */
  readonly diff: (output: { readonly stdout: string; readonly stderr: string }) => string;
}

const { none, usual, dependency, settings } = EVIDENCE;
const SCRIPTS = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json", ".md"];
const STYLES = [".css", ".scss", ".less", ".html", ".vue", ".yaml", ".yml"];

function targets(files: readonly string[] | undefined): readonly string[] {
  return files === undefined ? ["."] : files.map(operand);
}

/** Each start with the arguments of both commands. */
function pairs(
  starts: readonly { readonly argv: readonly string[]; readonly shell?: true }[],
  check: readonly string[],
  write: readonly string[],
): readonly FormatCommands[] {
  return starts.flatMap((start) => {
    const [checks] = completed([start], check);
    const [writes] = completed([start], write);
    return checks === undefined || writes === undefined ? [] : [{ check: checks, write: writes }];
  });
}

/** From the first heading of a unified diff. */
function unified({ stdout }: { readonly stdout: string }): string {
  const start = /^(?:diff |--- )/m.exec(stdout)?.index;
  return start === undefined ? "" : stdout.slice(start);
}

/** In the order that counts where a project's files speak for several. */
export const FORMATTERS = {
  black: {
    endings: [".py", ".pyi", ".ipynb"],
    good: [0, 1],
    read: readBlack,
    diff: () => "",
    evidence: (facts) =>
      facts.hasSection("pyproject.toml", "tool.black")
        ? settings
        : facts.dependsOn("black")
        ? dependency
        : facts.isPython && facts.hasPythonProgram("black")
        ? usual
        : none,
    // Its --diff of several files takes sockets, which programs have none of.
    commands: (facts, files) =>
      pairs(facts.pythonProgram("black"), ["--check", ...targets(files)], targets(files))
        .map((pair) => ({
          ...pair,
          filter: [
            ...pair.write.slice(0, pair.write.length - targets(files).length),
            "--quiet",
            "-",
          ],
        })),
  },
  "ruff format": {
    endings: [".py", ".pyi", ".ipynb"],
    good: [0, 1],
    read: readRuffFormat,
    diff: unified,
    evidence: (facts) =>
      facts.hasSection("pyproject.toml", "tool.ruff.format")
        ? settings
        : facts.has("ruff.toml", ".ruff.toml") || facts.hasSection("pyproject.toml", "tool.ruff") ||
            facts.dependsOn("ruff")
        ? dependency
        : facts.isPython && facts.hasPythonProgram("ruff")
        ? usual
        : none,
    commands: (facts, files) =>
      pairs(
        facts.pythonProgram("ruff"),
        ["format", "--diff", ...targets(files)],
        ["format", ...targets(files)],
      ),
  },
  prettier: {
    endings: [...SCRIPTS, ...STYLES],
    good: [0, 1],
    read: readPrettier,
    diff: () => "",
    evidence: (facts) =>
      [...facts.names].some((name) => /^(?:\.prettierrc(?:\.|$)|prettier\.config\.)/.test(name)) ||
        facts.manifest("prettier") !== undefined
        ? settings
        : facts.dependsOn("prettier")
        ? dependency
        : none,
    commands: (facts, files) =>
      pairs(
        facts.nodeProgram("prettier"),
        ["--list-different", ...targets(files)],
        ["--write", ...targets(files)],
      ),
  },
  "deno fmt": {
    endings: [...SCRIPTS, ...STYLES],
    good: [0, 1],
    read: readDenoFmt,
    diff: ({ stderr }) => stderr.replace(/^error: Found \d+ not formatted.*$/m, "").trim(),
    evidence: (facts) => facts.has("deno.json", "deno.jsonc") ? settings : none,
    commands: (_facts, files) => {
      const named = (files ?? []).map(operand);
      return pairs([{ argv: ["deno", "fmt"] }], ["--check", ...named], named);
    },
  },
  gofmt: {
    endings: [".go"],
    good: [0],
    read: readGofmt,
    diff: unified,
    evidence: (facts) => facts.has("go.mod") ? settings : none,
    commands: (_facts, files) =>
      pairs([{ argv: ["gofmt"] }], ["-d", ...targets(files)], ["-w", ...targets(files)]),
  },
  "cargo fmt": {
    endings: [".rs"],
    good: [0, 1],
    read: readCargoFmt,
    diff: ({ stdout }) => stdout.trim(),
    evidence: (facts) => facts.has("Cargo.toml") ? settings : none,
    // Files would be formatted with the settings of no project: it takes the whole one.
    commands: () => pairs([{ argv: ["cargo", "fmt"] }], ["--check"], []),
  },
} as const satisfies Readonly<Record<string, Formatter>>;
