/** What `analyze_performance` says of fresh profiles, beside what each format's own viewer says of them. */

import { dirname, join } from "@std/path";
import { NODE_WORK, SPEEDSCOPE } from "./_speedscope.ts";

/** A line of the table that `scripts/bench.ts` prints. */
export interface Agreement {
  readonly subject: string;
  readonly against: string;
  /** Numbers that both have less those whose difference is explained, and those of them that are the same. */
  readonly compared: number;
  readonly same: number;
  /** Those that are not. */
  readonly differences: readonly string[];
  /** What else differs, as often as it does and why. */
  readonly explained?: readonly Explained[];
}

/** Differences of which the reason is known. */
export interface Explained {
  readonly reason: string;
  readonly count: number;
  /** Each of them, in words: of lines that are counted, each file. */
  readonly all: readonly string[];
}

/** Differences without a reason that are printed. */
const SHOWN = 8;

/** Own and total, in the unit of the answer, by the key of a function. */
type Figures = ReadonlyMap<string, readonly [own: number, total: number]>;

interface Viewer {
  readonly subject: string;
  readonly against: string;
  readonly programs: readonly string[];
  /** Records a profile in the folder; the name of its file, what the viewer has, and how functions are named there. */
  readonly record: (folder: string) => {
    readonly file: string;
    readonly figures: Figures;
    readonly key: (place: FramePlace) => string;
    /** Half a unit of the last digit that the viewer prints. */
    readonly precision: number;
  };
}

interface FramePlace {
  readonly function: string;
  readonly file?: string;
  readonly line?: number;
}

const PYTHON_WORK = `
import argparse, ast, inspect, json, pstats, random, sys, textwrap, cProfile
profile = cProfile.Profile()
profile.enable()
source = inspect.getsource(argparse) + inspect.getsource(textwrap)
tree = ast.parse(source)
names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
text = json.dumps([names, ast.dump(tree)], indent=2)
json.loads(text)
textwrap.wrap(text, 60)
ast.unparse(tree)
profile.disable()
profile.dump_stats("python.pstats")
rows = [[name, line, tt, ct] for (_, line, name), (_, _, tt, ct, _) in pstats.Stats("python.pstats").stats.items()]
print(json.dumps(rows))
`;

const GO_WORK = `package main

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
)

func main() {
	file, _ := os.Create("go.pprof")
	pprof.StartCPUProfile(file)
	pattern := regexp.MustCompile("(a|b)+c")
	for round := 0; round < 40; round++ {
		texts := make([]string, 20000)
		for i := range texts {
			texts[i] = strconv.Itoa(i * 7919 % 20011) + "abc"
		}
		sort.Strings(texts)
		data, _ := json.Marshal(texts)
		json.Unmarshal(data, &texts)
		pattern.FindAllString(strings.Join(texts, " "), -1)
	}
	pprof.StopCPUProfile()
}
`;

const VIEWERS: readonly Viewer[] = [
  {
    subject: "cProfile",
    against: "pstats",
    programs: ["python3"],
    record(folder) {
      const rows = JSON.parse(
        run(folder, "python3", "-c", PYTHON_WORK),
      ) as readonly (readonly [string, number, number, number])[];
      const figures = new Map(
        rows.map((
          [name, line, own, total],
        ) => [`${name}:${line}`, [own * 1e3, total * 1e3] as const]),
      );
      const key = (place: FramePlace) => `${place.function}:${place.line ?? 0}`;
      return { file: "python.pstats", figures, key, precision: 1e-6 };
    },
  },
  {
    subject: "Go's pprof",
    against: "go tool pprof -top",
    programs: ["go"],
    record(folder) {
      Deno.writeTextFileSync(join(folder, "work.go"), GO_WORK);
      run(folder, "go", "run", "work.go");
      const top = run(
        folder,
        "go",
        "tool",
        "pprof",
        "-top",
        "-nodecount=100000",
        "-unit=ms",
        "go.pprof",
      );
      const rows = top.matchAll(
        /^\s*(\d+(?:\.\d+)?)(?:ms)?\s+\S+%\s+\S+%\s+(\d+(?:\.\d+)?)(?:ms)?\s+\S+%\s+(.+?)(?: \((?:partial-)?inline\))?$/gm,
      );
      const figures = new Map(
        [...rows].map(([, own, total, name = ""]) => [name, [Number(own), Number(total)] as const]),
      );
      return { file: "go.pprof", figures, key: (place) => place.function, precision: 0.005 };
    },
  },
  {
    subject: "V8's cpuprofile",
    against: "speedscope",
    programs: ["node", "speedscope"],
    record(folder) {
      const file = "node.cpuprofile";
      Deno.writeTextFileSync(join(folder, "work.js"), NODE_WORK);
      run(
        folder,
        "node",
        "--cpu-prof",
        "--cpu-prof-interval=200",
        `--cpu-prof-name=${file}`,
        "work.js",
      );
      Deno.writeTextFileSync(join(folder, file), comparable(join(folder, file)));
      const program = run(folder, "sh", "-c", "command -v speedscope").trim();
      const release = join(dirname(Deno.realPathSync(program)), "../dist/release");
      const rows = JSON.parse(
        run(folder, "node", "-e", SPEEDSCOPE, release, file),
      ) as readonly (readonly [string, number, number, number])[];
      const figures = new Map<string, readonly [number, number]>();
      for (const [name, line, own, total] of rows) {
        const key = `${name}:${line}`;
        const [before, within] = figures.get(key) ?? [0, 0];
        figures.set(key, [before + own / 1e3, within + total / 1e3]);
      }
      const key = ({ function: name, file: path = "", line = 0 }: FramePlace) =>
        name === "(anonymous)" && line > 0
          ? `(anonymous ${path.split("/").at(-1)}:${line}):${line}`
          : `${name}:${line}`;
      return { file, figures, key, precision: 1e-3 };
    },
  },
  {
    subject: "perf script",
    against: "perf report",
    programs: ["perf", "python3"],
    record(folder) {
      const work = ["python3", "-c", "sorted(str(i) for i in range(2000000))"];
      run(
        folder,
        "perf",
        "record",
        "-q",
        "-e",
        "cpu-clock",
        "-F",
        "500",
        "-g",
        "-o",
        "perf.data",
        ...work,
      );
      Deno.writeTextFileSync(
        join(folder, "perf.txt"),
        run(folder, "perf", "script", "-i", "perf.data"),
      );
      const fields = ["-F", "period,symbol", "--stdio", "-t", "|", "-g", "none"];
      const own = run(folder, "perf", "report", "-i", "perf.data", "--no-children", ...fields);
      const figures = new Map<string, readonly [number, number]>();
      for (const [, period, symbol = ""] of own.matchAll(/^\s*(\d+)\s*\|\[.\] (.+?)\s*$/gm)) {
        if (symbol.startsWith("0x")) continue;
        const before = figures.get(symbol)?.[0] ?? 0;
        figures.set(symbol, [before + Number(period) / 1e6, NaN]);
      }
      return { file: "perf.txt", figures, key: (place) => place.function, precision: 1e-6 };
    },
  },
];

/**
 * A profile of V8 without the two places where speedscope knows better: it lays the collector and what is no script on what
 * ran before them, and adds them to its total; and it leaves out what came after the last sample.
 */
function comparable(path: string): string {
  const profile = JSON.parse(Deno.readTextFileSync(path)) as {
    readonly nodes: readonly { readonly callFrame: { readonly functionName: string } }[];
    readonly startTime: number;
    readonly timeDeltas: readonly number[];
  };
  const nodes = profile.nodes.map((node) => {
    const functionName = node.callFrame.functionName.replace(
      /^\((garbage collector|program)\)$/,
      "$1",
    );
    return { ...node, callFrame: { ...node.callFrame, functionName } };
  });
  const endTime = profile.timeDeltas.reduce((sum, delta) => sum + delta, profile.startTime);
  return JSON.stringify({ ...profile, nodes, endTime });
}

/** One row a viewer that is there; a word on standard error for each that is not. */
export function profileAgreement(toolgate: string): readonly Agreement[] {
  return VIEWERS.flatMap((viewer) => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-bench-" }));
    try {
      return [compare(viewer, folder, toolgate)];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      console.error(`agreement: ${viewer.subject} beside ${viewer.against} is left out: ${why}`);
      return [];
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}

function compare({ subject, against, programs, record }: Viewer, folder: string, toolgate: string) {
  for (const program of programs) run(folder, "sh", "-c", `command -v ${program}`);
  const { file, figures, key, precision } = record(folder);
  const args = JSON.stringify({ profiling_data: file, max_results: 500 });
  const answer = JSON.parse(
    run(folder, toolgate, "call", "analyze_performance", "--json", args, "--format", "json"),
  );
  // Functions of one name are one to the viewers that name them by it.
  const found = new Map<string, readonly [number, number]>();
  for (const hot of answer.output.hot) {
    const [own, total] = found.get(key(hot)) ?? [0, 0];
    found.set(key(hot), [own + hot.self, total + hot.total]);
  }
  const differences: string[] = [];
  let compared = 0;
  for (const [name, numbers] of found) {
    const theirs = figures.get(name);
    // What has no symbol has its library's name here, and its address there.
    if (theirs === undefined && name.startsWith("[")) continue;
    for (const [index, ours] of numbers.entries()) {
      const other = theirs?.[index] ?? -1;
      if (Number.isNaN(other)) continue;
      compared++;
      if (Math.abs(ours - other) > precision * 1.01) {
        differences.push(`${name}: ${ours}, there ${other}`);
      }
    }
  }
  for (const [name, [own]] of figures) {
    if (own <= precision || found.has(name)) continue;
    compared++;
    differences.push(`${name}: missing, there ${own}`);
  }
  const same = compared - differences.length;
  return { subject, against, compared, same, differences };
}

/** What a program printed; throws where it fails or is not there. */
function run(folder: string, program: string, ...args: readonly string[]): string {
  const { success, stdout, stderr } = new Deno.Command(program, { args: [...args], cwd: folder })
    .outputSync();
  const decoder = new TextDecoder();
  if (!success) {
    throw new Error(`${program}: ${decoder.decode(stderr).trim().slice(-300) || "not there"}`);
  }
  return decoder.decode(stdout);
}

/** A line each, for people. */
export function renderAgreement(rows: readonly Agreement[]): string {
  return rows.flatMap(({ subject, against, compared, same, differences, explained = [] }) => {
    const told = explained.reduce((sum, { count }) => sum + count, 0);
    const share = (part: number) => `${(100 * part / Math.max(1, compared + told)).toFixed(1)} %`;
    return [
      `agreement, ${subject} beside ${against}: ${same} of ${compared + told} the same (${
        share(same)
      }), ${told} explained (${share(told)}), ${compared - same} unexplained (${
        share(compared - same)
      })`,
      ...explained.map(({ reason, count, all: [first] }) =>
        `  explained: ${count} × ${reason} (${first})`
      ),
      ...differences.slice(0, SHOWN).map((difference) => `  ${difference}`),
    ];
  }).join("\n");
}
