/** Searches through a warm pipe beside ripgrep with two threads, on the same tree in the same run. */

import { type Client, connect } from "../../scripts/_bench_client.ts";
import { alternate, type Pair } from "../../scripts/_bench_figures.ts";
import { RARE_LITERAL, writeCorpus } from "./_search_corpus.ts";

/** A line of the table that `scripts/bench.ts` prints. */
export interface SearchFigure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most";
}

interface Search {
  readonly figure: string;
  readonly pattern: string;
  readonly rounds: number;
  readonly target: number;
  readonly caseSensitive?: boolean;
}

const SEARCHES: readonly Search[] = [
  { figure: "rare literal", pattern: RARE_LITERAL, rounds: 21, target: 2 },
  {
    figure: "rare literal in any case",
    pattern: RARE_LITERAL,
    rounds: 9,
    target: 3,
    caseSensitive: false,
  },
  { figure: "class \\w+Error\\b", pattern: "class \\w+Error\\b", rounds: 9, target: 3 },
  { figure: "TODO: .*cache", pattern: "TODO: .*cache", rounds: 9, target: 3 },
  { figure: "no literal: [A-Z]\\w+_[0-9]+x", pattern: "[A-Z]\\w+_[0-9]+x", rounds: 9, target: 3 },
];

/** The most that the process of a pipe may take at any time. */
const MOST_MEMORY = 200 * 1000 * 1000;

/** None, and a word on why, where ripgrep is not there to be measured against. */
export async function searchFigures(toolgate: string): Promise<readonly SearchFigure[]> {
  if (!isThere("rg")) {
    console.error("search: no rg on the PATH (apt-get install ripgrep); its figures are left out");
    return [];
  }
  const root = Deno.realPathSync(await Deno.makeTempDir({ prefix: "toolgate-bench-" }));
  try {
    writeCorpus(root);
    const client = await connect({ path: toolgate, args: ["serve"], cwd: root });
    const figures = SEARCHES.map((search): SearchFigure => ({
      figure: `serve, search of 20,000 files, ${search.figure} : rg -j2`,
      unit: "ms",
      pair: alternate(() => ask(client, search), () => ripgrep(root, search), search.rounds),
      target: search.target,
      at: "most",
    }));
    const memory = { subject: peakMemory(client.pid), floor: MOST_MEMORY };
    await client.close();
    const figure = "most memory of these searches : 200 MB";
    return [...figures, { figure, unit: "bytes", pair: memory, target: 1, at: "most" }];
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function isThere(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

function timed(action: () => void): number {
  const started = performance.now();
  action();
  return performance.now() - started;
}

function ask(client: Client, { pattern, caseSensitive = true }: Search): number {
  const args = { pattern, case_sensitive: caseSensitive };
  const request = `${JSON.stringify({ id: 1, tool: "search_files", args })}\n`;
  return timed(() => {
    client.send(request);
    client.receive();
  });
}

function ripgrep(root: string, { pattern, caseSensitive = true }: Search): number {
  const flags = ["-j2", "--line-number", ...(caseSensitive ? [] : ["--ignore-case"])];
  const command = new Deno.Command("rg", {
    args: [...flags, "--regexp", pattern],
    cwd: root,
    stdin: "null",
    stdout: "null",
  });
  return timed(() => void command.outputSync());
}

/** VmHWM (proc_pid_status(5)), in bytes. */
function peakMemory(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024;
}
