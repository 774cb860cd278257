/**
 * What starting programs costs in a workspace of 20,000 files with a denied name in it, beside a bare pipe that starts the
 * same unheld: each program is held by rules of its own.
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
commands: [{ allow: ["true", cat, git, perl] }]
risk: { allow: dangerous, ask: dangerous }
limits: { concurrency: 64 }
`;

const FOLDERS = 1_600;
const FILES_A_FOLDER = 12;

/** `toolgate`, `pipe`: the two programs, compiled. */
export async function programFigures(toolgate: string, pipe: string): Promise<readonly Figure[]> {
  const base = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
  try {
    const cwd = join(base, "workspace");
    const policy = join(base, "policy.yaml");
    Deno.writeTextFileSync(policy, POLICY);
    fill(cwd);
    const subject: Program = { path: toolgate, args: ["serve", "--policy", policy], cwd };
    const floor: Program = { path: pipe, args: [], cwd };
    const rows: readonly (readonly [readonly string[], number])[] = [
      [["true"], 1.5],
      [["cat", "a.txt"], 1.5],
      [["git", "status", "--short"], 1.5],
      [["perl", "-e", "1"], 2.5],
      // 200 openings, handed over one by one: 25 µs each beside the 4 that the kernel takes, and the start.
      [["perl", "open.pl"], 6],
    ];
    const figures: Figure[] = [];
    for (const [argv, target] of rows) {
      figures.push({
        figure: `20,000 files, run of ${argv.join(" ")} : bare pipe`,
        unit: "µs",
        pair: await roundTrips(subject, floor, running(...argv), argv[0] === "git" ? 1 : 3),
        target,
        at: "most",
      });
    }
    figures.push({
      figure: "20,000 files, runs of true, 64 in flight : bare pipe",
      unit: "requests/s",
      pair: await inFlight(subject, floor, running("true"), { rounds: 3, total: 640, width: 64 }),
      target: 0.6,
      at: "least",
    });
    const call = (...words: readonly string[]): Program => ({
      path: toolgate,
      args: ["call", ...words, "--policy", policy],
      cwd,
    });
    figures.push({
      figure: "20,000 files, call run_command true : call read_file",
      unit: "ms",
      pair: wholeRuns(
        call("run_command", "argv=true"),
        call("read_file", "path=a.txt"),
        15,
      ),
      target: 1.35,
      at: "most",
    });
    return figures;
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
}

function fill(root: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
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
  for (const args of [["init", "-q"], ["add", "-A"]]) {
    new Deno.Command("git", { args, cwd: root, stdout: "null", stderr: "null" }).outputSync();
  }
}
