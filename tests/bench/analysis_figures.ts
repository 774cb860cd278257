/** Analyses of a large tree and of one file through a warm pipe, beside the bounds that are promised for them. */

import { join } from "@std/path";
import { type Client, connect, type Program } from "../../scripts/_bench_client.ts";
import { ROOT } from "../../scripts/compile.ts";
import { languageOf } from "../../src/toolkit/code/languages/languages.ts";
import { type CorpusSize, FULL_SIZE } from "./_search_corpus.ts";
import { type Cancelled, slowestCancel } from "./analysis_cancels.ts";
import type { SearchFigure } from "./search_figures.ts";

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }]
timeouts: { default: 300s }
`;

const TOOLS = [
  "analyze_code_structure",
  "measure_code_complexity",
  "analyze_dependencies",
] as const;

/** Milliseconds for the tree and for a file of {@linkcode LINES}, and the most memory at any time. */
const TREE_MS = 20_000;
const FILE_MS = 60;
const LINES = 1_000;
const MOST_MEMORY = 300 * 1000 * 1000;

const ROUNDS = 9;

/** Milliseconds in which a cancelled call is to end; and after how many of them each is cancelled: at its start, amid it. */
const CANCEL_MS = 200;
const CANCELLED_AFTER = [50, 500, 2_000];

/** What is cancelled: each tool of analysis on the tree, that of profiles on as much text as it takes. */
const CANCELLED: readonly Omit<Cancelled, "afterMs">[] = [
  ...[...TOOLS, "find_similar_code"].map((tool) => ({ tool, args: { path: "tree" } })),
  { tool: "find_code_patterns", args: { path: "tree", pattern: "f($X, $$$REST)" } },
];
const PROFILE = { tool: "analyze_performance", args: { profiling_data: "long.perf" }, afterMs: 50 };
const PROFILE_LINE = "c 1 1.0: 1 cycles: 1 f (d)\n";
const PROFILE_SIZE = 32 * 1024 * 1024;

/** Folders of sources: those that are compared on (`TOOLGATE_SOURCES`), and this repository's own. */
function sources(): readonly string[] {
  const found: { readonly path: string; readonly size: number }[] = [];
  const walk = (folder: string): void => {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      if (isDirectory && name !== "node_modules" && !name.startsWith(".")) walk(path);
      const known = isSymlink ? null : languageOf(name);
      if (known === null || !("language" in known)) continue;
      found.push({ path, size: Deno.statSync(path).size });
    }
  };
  const given = Deno.env.get("TOOLGATE_SOURCES");
  const languages = given === undefined ? [] : [...Deno.readDirSync(given)];
  for (const { name } of languages) walk(Deno.realPathSync(join(given ?? "", name)));
  for (const folder of ["src", "tests"]) walk(join(ROOT, folder));
  return found.filter(({ size }) => size > 0 && size < 1_000_000)
    .sort((a, b) => a.path < b.path ? -1 : 1).map(({ path }) => path);
}

/** Real files, again and again, joined so that they have as many bytes as a tree of that size has. */
function writeTree(root: string, size: CorpusSize): void {
  const paths = sources();
  let written = 0;
  for (let at = 0; at < size.files; at++) {
    const path = paths[at % paths.length] ?? "";
    const folder = join(root, `p${at % 40}`, `q${Math.floor(at / 40) % 25}`);
    Deno.mkdirSync(folder, { recursive: true });
    const text = Deno.readTextFileSync(path);
    // What is behind the size that it should have by now is written twice.
    const times = written < size.bytes * at / size.files ? 2 : 1;
    Deno.writeTextFileSync(join(folder, `${at}_${path.split("/").at(-1)}`), text.repeat(times));
    written += times * text.length;
    if (written >= size.bytes) return;
  }
}

/** A line for each tool, one for memory, one for a single file, one for cancelling. */
export async function analysisFigures(
  toolgate: string,
  size: CorpusSize = FULL_SIZE,
): Promise<readonly SearchFigure[]> {
  const base = Deno.realPathSync(await Deno.makeTempDir({ prefix: "toolgate-bench-" }));
  try {
    const root = join(base, "tree");
    Deno.mkdirSync(root);
    writeTree(root, size);
    const body = "export function f(a: number) {\n  return a > 1 && a < 3 ? 1 : 2;\n}\n\n";
    Deno.writeTextFileSync(join(base, "single.ts"), body.repeat(LINES / 4));
    const lines = Math.floor(PROFILE_SIZE / PROFILE_LINE.length);
    Deno.writeTextFileSync(join(base, "long.perf"), PROFILE_LINE.repeat(lines));
    const policy = join(base, "policy.yaml");
    Deno.writeTextFileSync(policy, POLICY);
    const program = { path: toolgate, args: ["serve", "--policy", policy], cwd: base };
    const measured: Awaited<ReturnType<typeof measure>>[] = [];
    for (const tool of TOOLS) {
      measured.push(await measure(program, tool));
    }
    const cancelled = await slowestCancel(program, [
      ...CANCELLED.flatMap((each) => CANCELLED_AFTER.map((afterMs) => ({ ...each, afterMs }))),
      PROFILE,
    ]);
    const bare = bareParse(root);
    const most = (of: "memory" | "single") => Math.max(...measured.map((each) => each[of]));
    return [
      ...measured.map(({ tool, tree }) =>
        bound(`serve, ${tool} of 20,000 files, 150 MB : 20 s`, "ms", tree, TREE_MS)
      ),
      ...measured.map(({ tool, tree }) =>
        bound(`serve, ${tool} of them beside web-tree-sitter parsing them : 1`, "ms", tree, bare)
      ),
      bound("most memory of these analyses : 300 MB", "bytes", most("memory"), MOST_MEMORY),
      bound("serve, the slowest of 1,000 lines : 60 ms", "ms", most("single"), FILE_MS),
      bound("serve, the slowest cancel of an analysis : 200 ms", "ms", cancelled, CANCEL_MS),
    ];
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

function bound(figure: string, unit: string, subject: number, floor: number): SearchFigure {
  return { figure, unit, pair: { subject, floor }, target: 1, at: "most" };
}

/** Milliseconds in which two threads parse a tree's files, and do nothing else. */
function bareParse(root: string): number {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", join(ROOT, "tests/bench/floor_parse.ts"), root],
    cwd: ROOT,
    stderr: "inherit",
  }).outputSync();
  return Number(new TextDecoder().decode(stdout));
}

/** In a process of its own for each tool: milliseconds of the tree, the median of the file, the most memory in bytes. */
async function measure(program: Program, tool: string) {
  const client = await connect(program);
  const tree = ask(client, tool, "tree");
  const status = Deno.readTextFileSync(`/proc/${client.pid}/status`);
  const memory = Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024;
  const rounds = Array.from({ length: ROUNDS }, () => ask(client, tool, "single.ts"));
  await client.close();
  return { tool, tree, memory, single: rounds.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0 };
}

function ask(client: Client, tool: string, path: string): number {
  const started = performance.now();
  client.send(`${JSON.stringify({ id: 1, tool, args: { path } })}\n`);
  client.receive();
  return performance.now() - started;
}
