/** Lines run as Toolgate runs them, and by a real shell, each in a directory of its own that looks the same. */

import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../../src/core/capability.ts";
import type { Plan } from "../../../../../src/core/plan.ts";
import type { ProcessOutcome } from "../../../../../src/core/tool.ts";
import { createProcesses } from "../../../../../src/host/run/processes.ts";
import type { ProcessesOptions } from "../../../../../src/host/run/program_options.ts";
import { createProgramFinder } from "../../../../../src/host/run/program_search.ts";
import type { SpawnGrant } from "../../../../../src/policy/grant.ts";
import { SYSTEM_PATHS } from "../../../../../src/sandbox/system_paths.ts";
import { parseLine } from "../../../../../src/shell/parse_line.ts";
import { grantOf, rulebookOf } from "../../_rulebook.ts";
import { ALONE } from "../_starter.ts";

/** All that lines of the tests start. */
const PROGRAMS = (
  "echo printf cat sort uniq head tail wc grep tr cut seq tee ls test [ pwd env sleep yes sh " +
  "rev nl sed paste expr basename dirname mkdir touch rm cp mv true false timeout kill " +
  "find xargs diff nice nohup date mktemp stdbuf awk cmp comm dd od tac fold ln realpath stat git"
).split(" ");

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/nobody",
  LC_ALL: "C",
  WORDS: "one two  three",
  STAR: "*.txt",
  EMPTY: "",
};

const finder = createProgramFinder("/nowhere" as CanonicalPath, SYSTEM_PATHS, {
  searchPath: "/usr/bin:/bin",
});

/** Any of the programs, whatever its words: tests that are about judging give a judge. */
function programs(cwd: CanonicalPath): readonly SpawnGrant[] {
  return PROGRAMS.flatMap((name) => {
    const program = finder.find(name, cwd);
    return program === null ? [] : [{ argv: [name], program, cwd, open: true as const }];
  });
}

export interface LineWish extends Partial<Omit<ProcessesOptions, "grant">> {
  readonly timeoutMs?: number;
  readonly killGraceMs?: number;
  readonly outputLimit?: number;
  readonly stdin?: string;
  readonly spill?: string;
  readonly cwd?: string;
}

/** Runs a line in the directory without a shell; every program is allowed unless `judge` says otherwise. */
export async function runLine(
  line: string | Plan,
  directory: CanonicalPath,
  wish: LineWish = {},
): Promise<ProcessOutcome> {
  const rulebook = wish.rulebook ?? rulebookOf(directory, {
    paths: [{ effect: "allow", access: ["read", "write"], match: ["**"] }],
  });
  const base = grantOf(directory, {});
  const grant = {
    ...base,
    spawn: programs(directory),
    write: wish.spill === undefined ? [] : [{
      requested: wish.spill,
      path: `${directory}/${wish.spill}` as CanonicalPath,
      tree: false,
    }],
    killGraceMs: wish.killGraceMs ?? base.killGraceMs,
    limits: { ...base.limits, output: wish.outputLimit ?? base.limits.output },
  };
  const processes = createProcesses({
    ...ALONE,
    environment: ENVIRONMENT,
    signal: new AbortController().signal,
    ...wish,
    grant,
    rulebook,
  });
  return await processes.runLine(typeof line === "string" ? await parseLine(line) : line, {
    cwd: wish.cwd ?? ".",
    env: {},
    stdin: wish.stdin === undefined ? null : new TextEncoder().encode(wish.stdin),
    timeoutMs: wish.timeoutMs ?? 600_000,
    ...(wish.spill === undefined ? {} : { spill: wish.spill }),
  });
}

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

export function said(outcome: ProcessOutcome): Said {
  return { stdout: text(outcome.stdout), stderr: text(outcome.stderr), status: outcome.exitCode };
}

/** The same line by a shell. */
export async function runByShell(
  shell: string,
  line: string,
  directory: string,
  stdin = "",
): Promise<Said> {
  // By its bare name, as it says it of itself: the runtime would put the whole path there.
  const child = new Deno.Command("/usr/bin/env", {
    args: [shell, "-c", line],
    cwd: directory,
    clearEnv: true,
    env: { ...ENVIRONMENT },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  writer.write(new TextEncoder().encode(stdin)).catch(() => {});
  writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  return { stdout: text(stdout), stderr: text(stderr), status: code };
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** What the directories of lines hold at first. */
export function fill(directory: string): void {
  Deno.mkdirSync(`${directory}/sub/deep`, { recursive: true });
  Deno.mkdirSync(`${directory}/other`);
  const files: Readonly<Record<string, string>> = {
    "a.txt": "alpha\nbeta\n",
    "b.txt": "beta\ngamma\nalpha\n",
    "c.md": "# title\n",
    ".hidden": "hidden\n",
    "sp ace.txt": "with space\n",
    "Z.txt": "zulu\n",
    "sub/d.txt": "delta\n",
    "sub/deep/e.txt": "epsilon\n",
    "other/[x].txt": "brackets\n",
  };
  for (const [name, content] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory}/${name}`, content);
  }
}

/** All files below, with their content; by name, since a folder's own order may be that in which they were made. */
export function snapshot(directory: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  const entries = [...Deno.readDirSync(directory)].toSorted((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    const path = `${directory}/${entry.name}`;
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory) Object.assign(found, snapshot(path, `${name}/`));
    else found[name] = Deno.readTextFileSync(path);
  }
  return found;
}

/** Runs in a new directory, whose name is the same for the output of all. */
export async function inCopy(
  run: (directory: CanonicalPath) => Promise<Said>,
): Promise<{ readonly shown: string; readonly stderr: string }> {
  const directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    fill(directory);
    const { stdout, stderr, status } = await run(directory as CanonicalPath);
    const shown = JSON.stringify({ stdout, status, files: snapshot(directory) });
    return { shown: shown.replaceAll(directory, "W"), stderr: stderr.replaceAll(directory, "W") };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

/** By this name, which it says of itself. */
const BASH = "bash";

/** Runs each by Toolgate and by bash: output, errors, status and files must be the same. */
export async function compareWithBash(lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const ours = await inCopy(async (directory) => {
      const outcome = await runLine(line, directory);
      assert(outcome.refusal === null && !outcome.timedOut, `${line}: ${outcome.refusal}`);
      return said(outcome);
    });
    const theirs = await inCopy((directory) => runByShell(BASH, line, directory));
    assertEquals(ours, theirs, line);
  }
}
