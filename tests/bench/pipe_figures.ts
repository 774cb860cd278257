/** What single tools take over a warm pipe, beside a bare pipe that does the same and checks nothing. */

import { join } from "@std/path";
import type { Program } from "../../scripts/_bench_client.ts";
import { inFlight, type Pair, type RequestLine, roundTrips } from "../../scripts/_bench_figures.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most" | "least";
}

interface Measured {
  readonly figure: string;
  readonly request: RequestLine;
  readonly target: number;
  /** Of how many requests the median of a round is; 200 where it is not said. */
  readonly requests?: number;
}

/** Rounds of each figure; one more goes before them and does not count. */
const ROUNDS = 9;
/** Requests before any is measured: by then what answers them is compiled. */
const WARM = 1_000;
const FOLDERS = 1_600;
const FILES_A_FOLDER = 12;
const LISTED = 500;

/** 1 KB, and 100 KB, as source text mostly is: what is written has to be valid, and no name stands twice. */
const SMALL = `${
  Array.from({ length: 32 }, (_, line) => `const name${line + 10} = "a value";`).join("\n")
}\n`.padEnd(1_024, "/");
const LARGE = Array.from(
  { length: 2_000 },
  (_, line) => `  const value${line} = [1, "two", three];`,
)
  .join("\n").padEnd(102_400, "/");

const line = (tool: string, args: (id: number) => Record<string, unknown>): RequestLine => (id) =>
  `${JSON.stringify({ id, tool, args: args(id) })}\n`;

/** Turns the first line into another and back, so that each edit finds what it looks for. */
const turning = (path: string, kept: boolean): RequestLine =>
  line("edit_file", (id) => ({
    path,
    edits: [{ old: `state = ${(id + 1) % 2};`, new: `state = ${id % 2};` }],
    create_backup: kept,
  }));

const MEASURED: readonly Measured[] = [
  { figure: "read of 1 KB", request: line("read_file", () => ({ path: "small.ts" })), target: 1.2 },
  {
    figure: "read of 100 KB",
    request: line("read_file", () => ({ path: "large.ts" })),
    target: 1.5,
  },
  {
    figure: "list of 500 with sizes",
    request: line("list_directory", () => ({ path: "listed" })),
    target: 1.8,
    requests: 50,
  },
  {
    figure: "write of 1 KB",
    request: line("write_file", () => ({ path: "written.ts", content: SMALL })),
    target: 1.5,
  },
  { figure: "edit of a line in 1 KB", request: turning("edited.ts", false), target: 2 },
  {
    figure: "edit with a backup",
    request: turning("kept/edited.ts", true),
    target: 3,
    requests: 50,
  },
];

/** `toolgate`, `pipe`: the two programs, compiled; `policy`: of the first. */
export async function pipeFigures(
  toolgate: string,
  pipe: string,
  policy: string,
): Promise<readonly Figure[]> {
  const cwd = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
  try {
    fill(cwd);
    const subject: Program = { path: toolgate, args: ["serve", "--policy", policy], cwd };
    const floor: Program = { path: pipe, args: [], cwd };
    const figures: Figure[] = [];
    for (const { figure, request, target, requests } of MEASURED) {
      figures.push({
        figure: `20,000 files, ${figure} : bare pipe`,
        unit: "µs",
        pair: await roundTrips(subject, floor, request, ROUNDS, {
          warm: WARM,
          ...(requests === undefined ? {} : { requests }),
        }),
        target,
        at: "most",
      });
    }
    figures.push({
      figure: "20,000 files, reads of 1 KB, 64 in flight : bare pipe",
      unit: "requests/s",
      pair: await inFlight(subject, floor, line("read_file", () => ({ path: "small.ts" })), {
        rounds: ROUNDS,
        total: 4_000,
        width: 64,
      }),
      target: 0.6,
      at: "least",
    });
    return figures;
  } finally {
    Deno.removeSync(cwd, { recursive: true });
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
  for (const folder of ["listed", "kept"]) Deno.mkdirSync(join(root, folder));
  for (let file = 0; file < LISTED; file++) {
    Deno.writeTextFileSync(join(root, "listed", `entry${file}.ts`), "x\n".repeat(file % 7));
  }
  Deno.writeTextFileSync(join(root, "small.ts"), SMALL);
  Deno.writeTextFileSync(join(root, "large.ts"), LARGE);
  for (const name of ["edited.ts", "kept/edited.ts"]) {
    Deno.writeTextFileSync(join(root, name), `let state = 0;\n${SMALL}`);
  }
}
