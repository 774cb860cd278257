/**
 * Measures Toolgate beside its floors, a compiled hello world and a bare Deno pipe that checks nothing, and
 * prints each figure with its target; then runs the benchmarks of `tests/bench/`. Arguments name what alone is measured:
 * pipe, tools, programs, builds, gate, git, search, walk, web, pages, analysis, agreement, lines, everyday, parts; behind
 * `everyday` names of its projects, and behind `builds` of these, which alone are run then.
 */

import { join } from "@std/path";
import type { Program } from "./_bench_client.ts";
import {
  firstLines,
  firstRoundTrips,
  inFlight,
  type Pair,
  reading,
  residentMemory,
  roundTrips,
  running,
  warmRoundTrips,
  wholeRuns,
} from "./_bench_figures.ts";
import { analysisAgreement } from "../tests/bench/agreement/analysis.ts";
import { profileAgreement, renderAgreement } from "../tests/bench/agreement/profiles.ts";
import {
  gatheredAgreement,
  lineAgreement,
  renderLineAgreement,
} from "../tests/bench/lines/agreement.ts";
import { renderUnasked, unasked } from "../tests/bench/lines/unasked.ts";
import { BUILD_NAMES, buildFigures } from "../tests/bench/builds/builds.ts";
import { analysisFigures } from "../tests/bench/analysis_figures.ts";
import {
  everyday,
  PROJECT_NAMES,
  renderEveryday,
  telling,
} from "../tests/bench/everyday/everyday.ts";
import { gitFigures } from "../tests/bench/git_figures.ts";
import { gateFigures } from "../tests/bench/gate_figures.ts";
import { pageScores, renderPageScores } from "../tests/bench/page_scores.ts";
import { pipeFigures } from "../tests/bench/pipe_figures.ts";
import { programFigures } from "../tests/bench/program_figures.ts";
import { searchFigures } from "../tests/bench/search_figures.ts";
import { walkFigures } from "../tests/bench/walk_figures.ts";
import { webFigures } from "../tests/bench/web_figures.ts";
import { build, hostTarget, sealed, unsealed } from "./build.ts";
import { compile, localBase, ROOT } from "./compile.ts";

/** One line of the table. The ratio is subject to floor; `at` says on which side of the target is good. */
interface Row {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most" | "least";
}

const out = join(ROOT, "dist", "bench");
const paths = {
  hello: join(out, "hello"),
  pipe: join(out, "pipe"),
  toolgate: join(out, "toolgate"),
  sealed: join(out, "toolgate-sealed"),
};
const policy = join(ROOT, "policy", "default.yaml");

async function buildAll(): Promise<void> {
  const target = hostTarget();
  const base = await localBase(target, false);
  console.error(`compile base: ${base.origin}`);
  await Deno.mkdir(out, { recursive: true });
  const floors: [main: string, output: string, flags: string[]][] = [
    ["tests/bench/floor_hello.ts", paths.hello, []],
    ["tests/bench/floor_pipe.ts", paths.pipe, ["--allow-read", "--allow-write", "--allow-run"]],
  ];
  for (const [main, output, flags] of floors) {
    await compile({
      main: join(ROOT, main),
      include: [],
      flags,
      target,
      output,
      base,
      telemetry: false,
    });
  }
  const common = { target, release: false, report: () => {} };
  await build({ ...common, ...await unsealed(), output: paths.toolgate });
  await build({ ...common, ...await sealed(policy), output: paths.sealed });
}

/** `log`: where an audit log may be. */
async function measure(cwd: string, log: string): Promise<Row[]> {
  const path = "src/a.ts";
  const read = reading(path);
  const runTrue = running("true");
  const call = ["call", "read_file", `path=${path}`];
  const program = (name: keyof typeof paths, ...args: string[]): Program => ({
    path: paths[name],
    args,
    cwd,
  });
  const hello = program("hello");
  const serve = program("toolgate", "serve");
  const pipe = program("pipe");
  return [
    {
      figure: "--help : hello world",
      unit: "ms",
      pair: wholeRuns(program("toolgate", "--help"), hello, 40),
      target: 1.2,
      at: "most",
    },
    {
      figure: "call read_file, sealed : hello world",
      unit: "ms",
      pair: wholeRuns(program("sealed", ...call), hello, 40),
      target: 1.33,
      at: "most",
    },
    {
      figure: "call read_file, built-in policy : hello world",
      unit: "ms",
      pair: wholeRuns(program("toolgate", ...call), hello, 40),
      target: 1.5,
      at: "most",
    },
    {
      figure: "call read_file, --policy : hello world",
      unit: "ms",
      pair: wholeRuns(program("toolgate", ...call, "--policy", policy), hello, 40),
      target: 1.5,
      at: "most",
    },
    {
      figure: "serve, start to first answer : hello world, to first line",
      unit: "ms",
      pair: await firstLines(serve, hello, read, 30),
      target: 1.9,
      at: "most",
    },
    {
      figure: "serve, read of 1 KB, the first 100 : bare pipe",
      unit: "µs",
      pair: await firstRoundTrips(serve, pipe, read, 7),
      target: 1.2,
      at: "most",
    },
    {
      figure: "serve, read of 1 KB after 1,000 : bare pipe",
      unit: "µs",
      pair: await roundTrips(serve, pipe, read, 15, { warm: 1_000 }),
      target: 1.2,
      at: "most",
    },
    {
      figure: "serve, warm read of 1 KB with an audit log : bare pipe",
      unit: "µs",
      pair: await warmRoundTrips(program("toolgate", "serve", "--audit", log), pipe, read, {
        processes: 5,
        warm: 6_000,
        rounds: 30,
      }),
      // A quarter more than a read without a log may take that two threads answer.
      target: 1.9,
      at: "most",
    },
    {
      figure: "serve, 64 in flight : bare pipe",
      unit: "requests/s",
      pair: await inFlight(serve, pipe, read, { rounds: 9, total: 4000, width: 64 }),
      target: 0.6,
      at: "least",
    },
    {
      figure: "serve, run of true : bare pipe",
      unit: "µs",
      pair: await roundTrips(serve, pipe, runTrue, 9),
      target: 1.5,
      at: "most",
    },
    {
      figure: "serve, runs of true, 32 in flight : bare pipe",
      unit: "requests/s",
      pair: await inFlight(serve, pipe, runTrue, { rounds: 5, total: 640, width: 32 }),
      target: 0.6,
      at: "least",
    },
    {
      figure: "memory after 50,000 reads : 125 MB",
      unit: "bytes",
      pair: { subject: await residentMemory(serve, read, 50_000), floor: 125e6 },
      target: 1,
      at: "most",
    },
  ];
}

function render(rows: readonly Row[]): string {
  const cells = rows.map(({ figure, unit, pair, target, at }) => {
    const ratio = pair.subject / pair.floor;
    const met = at === "most" ? ratio <= target : ratio >= target;
    const value = (number: number) =>
      unit === "bytes" ? `${(number / 2 ** 20).toFixed(1)} MiB` : `${number.toFixed(1)} ${unit}`;
    return [
      figure,
      value(pair.subject),
      value(pair.floor),
      ratio.toFixed(2),
      `${at === "most" ? "≤" : "≥"} ${target}`,
      met ? "met" : "NOT MET",
    ];
  });
  const table = [["figure", "toolgate", "floor", "ratio", "target", ""], ...cells];
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0))
  );
  return table.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths?.[0] ?? 0) : cell.padStart(widths?.[column] ?? 0)
    ).join("  ")
  ).join("\n");
}

/** Figures by the names that they can be asked for by; without a name all are. */
const tables = (workspace: string): Readonly<Record<string, () => Promise<readonly Row[]>>> => ({
  pipe: () => measure(workspace, join(out, "audit.ndjson")),
  tools: () => pipeFigures(paths.toolgate, paths.pipe, policy),
  programs: () => programFigures(paths.toolgate, paths.pipe),
  builds: () => buildFigures(paths.toolgate, namedOf(BUILD_NAMES)),
  gate: () => gateFigures(paths.toolgate, paths.hello),
  git: () => gitFigures(paths.toolgate, paths.pipe),
  search: () => searchFigures(paths.toolgate),
  walk: walkFigures,
  web: () => webFigures(paths.toolgate),
  analysis: () => analysisFigures(paths.toolgate),
});

/** Those that arguments name; all where none is. */
const namedOf = (names: readonly string[]): readonly string[] => {
  const named = names.filter((name) => Deno.args.includes(name));
  return named.length > 0 ? named : names;
};

const isAsked = (name: string): boolean => Deno.args.length === 0 || Deno.args.includes(name);

await buildAll();
const workspace = await Deno.makeTempDir({ prefix: "toolgate-bench-" });
try {
  await Deno.mkdir(join(workspace, "src"));
  await Deno.writeTextFile(join(workspace, "src/a.ts"), `${"const a = 1; ".repeat(78)}123456789\n`);
  const rows: Row[] = [];
  for (const [name, measured] of Object.entries(tables(workspace))) {
    if (isAsked(name)) rows.push(...await measured());
  }
  console.log(render(rows));
  if (isAsked("pages")) console.log(renderPageScores(await pageScores()));
  if (isAsked("agreement")) {
    const analysis = await analysisAgreement(paths.toolgate);
    console.log(renderAgreement([...profileAgreement(paths.toolgate), ...analysis]));
  }
  if (isAsked("lines")) {
    console.log(renderLineAgreement(await lineAgreement()));
    const gathered = await gatheredAgreement();
    if (gathered !== null) {
      console.log(renderLineAgreement(gathered, "lines that others wrote, beside bash"));
    }
    console.log(renderUnasked(await unasked(paths.toolgate)));
  }
  if (isAsked("everyday")) {
    // One project after the other, so that what has been done is said even where somebody ends it.
    const verdicts = [];
    for (const project of namedOf(PROJECT_NAMES)) {
      verdicts.push(...await everyday(paths.toolgate, { project }, telling()));
      console.log(`after ${project}:\n${renderEveryday(verdicts)}`);
    }
  }
} finally {
  await Deno.remove(workspace, { recursive: true });
}

const benches = !isAsked("parts") ? [] : [...Deno.readDirSync(join(ROOT, "tests/bench"))]
  .filter(({ name }) => name.endsWith("_bench.ts"))
  .map(({ name }) => join(ROOT, "tests/bench", name));
if (benches.length > 0) {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bench", "-A", "--no-prompt", ...benches],
    cwd: ROOT,
  }).spawn().status;
  if (!success) Deno.exitCode = 1;
}
