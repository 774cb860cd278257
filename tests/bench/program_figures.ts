/**
 * What starting programs costs in workspaces of 20,000 and 200,000 files with a denied name in them, beside a bare pipe
 * that starts the same unheld: each program is held by rules of its own.
 */

import { join } from "@std/path";
import type { Program } from "../../scripts/_bench_client.ts";
import {
  inFlight,
  type Pair,
  roundTrips,
  running,
  wholeRuns,
} from "../../scripts/_bench_figures.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most" | "least";
}

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**"] }
  - { deny: [read, write], match: ["**/.env", "**/*.pem"] }
# perl -e runs code from its arguments, which is asked for else: nobody is there to answer.
risk: { allow: dangerous, ask: dangerous }
commands: [{ allow: ["true", cat, git, perl] }]
limits: { concurrency: 64 }
`;

const FILES_A_FOLDER = 12;
/** Folders of a workspace, and what it is called. */
const SIZES = [[1_600, "20,000 files"], [16_500, "200,000 files"]] as const;
/** What an interpreter may take beside the bare pipe, in microseconds. */
const INTERPRETER_US = 2_000;

/** Words, the target, rounds, and requests a round. */
const RUNS: readonly (readonly [readonly string[], number, number, number])[] = [
  [["true"], 1.5, 3, 100],
  [["cat", "a.txt"], 1.5, 3, 100],
  // It looks at every file that it knows of: those of a twentieth of the folders.
  [["git", "status", "--short"], 1.5, 1, 10],
  // 200 openings, handed over one by one: 25 µs each beside the 4 that the kernel takes, and the start.
  [["perl", "open.pl"], 6, 3, 30],
];

/** `toolgate`, `pipe`: the two programs, compiled. */
export async function programFigures(toolgate: string, pipe: string): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [folders, size] of SIZES) {
    const base = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
    try {
      const cwd = join(base, "workspace");
      const policy = join(base, "policy.yaml");
      Deno.writeTextFileSync(policy, POLICY);
      fill(cwd, folders);
      figures.push(...await figuresIn({ cwd, policy, size, toolgate, pipe }));
    } finally {
      Deno.removeSync(base, { recursive: true });
    }
  }
  return figures;
}

async function figuresIn({ cwd, policy, size, toolgate, pipe }: {
  readonly cwd: string;
  readonly policy: string;
  readonly size: string;
  readonly toolgate: string;
  readonly pipe: string;
}): Promise<readonly Figure[]> {
  const subject: Program = { path: toolgate, args: ["serve", "--policy", policy], cwd };
  const floor: Program = { path: pipe, args: [], cwd };
  const figures: Figure[] = [];
  for (const [argv, target, rounds, requests] of RUNS) {
    figures.push({
      figure: `${size}, run of ${argv.join(" ")} : bare pipe`,
      unit: "µs",
      pair: await roundTrips(subject, floor, running(...argv), rounds, { requests }),
      target,
      at: "most",
    });
  }
  const interpreted = await roundTrips(subject, floor, running("perl", "-e", "1"), 3, {
    requests: 50,
  });
  figures.push({
    figure: `${size}, run of perl -e 1 : bare pipe and 2 ms`,
    unit: "µs",
    pair: { ...interpreted, floor: interpreted.floor + INTERPRETER_US },
    target: 1,
    at: "most",
  }, {
    figure: `${size}, runs of true, 64 in flight : bare pipe`,
    unit: "requests/s",
    pair: await inFlight(subject, floor, running("true"), { rounds: 3, total: 320, width: 64 }),
    target: 0.6,
    at: "least",
  });
  const call = (...words: readonly string[]): Program => ({
    path: toolgate,
    args: ["call", ...words, "--policy", policy],
    cwd,
  });
  for (const words of ["command=true", "argv=true"]) {
    figures.push({
      figure: `${size}, call run_command ${words} : call read_file`,
      unit: "ms",
      pair: wholeRuns(call("run_command", words), call("read_file", "path=a.txt"), 11),
      target: 1.35,
      at: "most",
    });
  }
  return figures;
}

function fill(root: string, folders: number): void {
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, `part${folder % 40}`, `folder${folder}`);
    Deno.mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_A_FOLDER; file++) {
      Deno.writeTextFileSync(join(path, `file${file}.txt`), "x\n");
    }
  }
  Deno.writeTextFileSync(join(root, "a.txt"), "text\n");
  const opening = 'for (1..200) { open(F, ">>", "a.txt") or die; close F }\n';
  Deno.writeTextFileSync(join(root, "open.pl"), opening);
  Deno.writeTextFileSync(join(root, "part1", ".env"), "KEY=1\n");
  for (const args of [["init", "-q"], ["add", "part0", "part1", "a.txt"]]) {
    new Deno.Command("git", { args, cwd: root, stdout: "null", stderr: "null" }).outputSync();
  }
}
