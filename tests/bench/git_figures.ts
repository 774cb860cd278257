/** Git tools through a warm pipe in a repository of 20,000 files and 5,000 commits, beside a bare pipe that starts the git. */

import { join } from "@std/path";
import { type Client, connect } from "../../scripts/_bench_client.ts";
import { alternate, type Pair } from "../../scripts/_bench_figures.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most";
}

const FILES = 20_000;
const FILES_A_FOLDER = 25;
const COMMITS = 5_000;
/** Those that are changed and not committed. */
const CHANGED = 10;
/** What a tool may take beside the ratio, in milliseconds. */
const BESIDE_MS = 3;
const RATIO = 1.3;
const ROUNDS = 25;

/** A tool with its arguments, and what somebody would type for it. */
const USES: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
  ["git_status", {}, ["git", "status", "--porcelain=v2", "--branch"]],
  ["git_log", {}, ["git", "log", "-11"]],
  ["git_diff", {}, ["git", "diff"]],
  ["git_diff", { from: "HEAD~1", to: "HEAD" }, ["git", "diff", "HEAD~1", "HEAD"]],
];

/** `toolgate`, `pipe`: the two programs, compiled. */
export async function gitFigures(toolgate: string, pipe: string): Promise<readonly Figure[]> {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-bench-" }));
  try {
    const cwd = join(base, "repository");
    await fill(cwd);
    const subject = await connect({ path: toolgate, args: ["serve"], cwd });
    const floor = await connect({ path: pipe, args: [], cwd });
    const figures = USES.map(([tool, args, argv]): Figure => {
      const times = alternate(
        () => timed(subject, { tool, args }),
        () => timed(floor, { tool: "run_command", args: { argv } }),
        ROUNDS,
      );
      const pair = { subject: times.subject, floor: RATIO * times.floor + BESIDE_MS };
      const given = Object.keys(args).length === 0 ? "" : " of two commits";
      return {
        figure: `${tool}${given} : ${RATIO} × ${argv.slice(0, 2).join(" ")}, and ${BESIDE_MS} ms`,
        unit: "ms",
        pair,
        target: 1,
        at: "most",
      };
    });
    await subject.close();
    await floor.close();
    return figures;
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
}

function timed(client: Client, request: Record<string, unknown>): number {
  const line = `${JSON.stringify({ id: 1, ...request })}\n`;
  const started = performance.now();
  client.send(line);
  client.receive();
  return performance.now() - started;
}

const nameOf = (file: number) => `part${Math.floor(file / FILES_A_FOLDER)}/file${file}.txt`;

/** All by one git-fast-import(1): the files with the first commit, then a line of one file with each. */
async function fill(root: string): Promise<void> {
  Deno.mkdirSync(root);
  await git(root, ["init", "--quiet", "--initial-branch=main"]);
  const commits = Array.from({ length: COMMITS }, (_, commit) => {
    const changed = commit === 0
      ? Array.from({ length: FILES }, (_, file) => written(file, 0))
      : [written((commit * 7) % FILES, commit)];
    const message = `commit ${commit}`;
    const when = `bench <bench@example.org> ${1_700_000_000 + commit} +0000`;
    return [
      ...["commit refs/heads/main", `committer ${when}`, `data ${message.length}`, message],
      ...changed,
    ].join("\n");
  });
  await git(root, ["fast-import", "--quiet"], `${commits.join("\n")}\n`);
  await git(root, ["reset", "--quiet", "--hard"]);
  for (let file = 0; file < CHANGED; file++) {
    Deno.writeTextFileSync(join(root, nameOf(file * 991)), "changed\n");
  }
}

function written(file: number, commit: number): string {
  const text = `file ${file}\n${"a line of it\n".repeat(20)}commit ${commit}\n`;
  return `M 100644 inline ${nameOf(file)}\ndata ${text.length}\n${text}`;
}

async function git(cwd: string, args: readonly string[], input?: string): Promise<void> {
  const child = new Deno.Command("git", {
    args: [...args],
    cwd,
    stdin: input === undefined ? "null" : "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { success } = await child.status;
  if (!success) throw new Error(`git ${args[0]} failed`);
}
