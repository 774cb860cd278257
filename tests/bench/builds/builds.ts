/**
 * What builds and tests of real projects take held, beside the same unheld, by the clock: under the default policy with
 * approvals given, with a denied name in the tree. Runs alternate; what a run made is moved away before the next, since
 * who makes files just after some were removed pays for that on ext4.
 */

import { join } from "@std/path";
import { runSeen } from "../../../scripts/_debian.ts";
import { median, type Pair } from "../../../scripts/_bench_figures.ts";
import { type Answer, Pipe } from "../../binary/toolgate.ts";
import { ENVIRONMENT, prepare } from "../everyday/_prepare.ts";
import type { EverydayProject } from "../everyday/_project.ts";
import { C, FILES, GO, NODE, PYTHON } from "./_projects.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most";
}

/** Something that somebody waits for. */
interface Build {
  /** By which it can be asked for alone. */
  readonly name: string;
  readonly project: EverydayProject;
  readonly line: string;
  readonly target: number;
  /** What it makes: moved away before each run. */
  readonly makes: readonly string[];
  /** Sources that get a line more before each run, where it would have nothing to do else. */
  readonly changes: readonly string[];
  /** The same program with next to nothing to do, where a call takes much of the time: a figure more is without that. */
  readonly start?: string;
}

const BUILD_TARGET = 1.25;
const NPM_CI = "npm ci --offline --no-audit --no-fund --cache .npm-cache";
const BUILDS: readonly Build[] = [
  {
    name: "tsc",
    project: NODE,
    line: "npx tsc",
    target: BUILD_TARGET,
    makes: ["out"],
    changes: [],
  },
  {
    name: "webpack",
    project: NODE,
    line: "npx webpack",
    target: BUILD_TARGET,
    makes: ["bundle"],
    changes: [],
  },
  {
    name: "npm-ci",
    project: NODE,
    line: NPM_CI,
    target: BUILD_TARGET,
    makes: ["node_modules"],
    changes: [],
  },
  {
    name: "pytest",
    project: PYTHON,
    line: "pytest -q",
    target: BUILD_TARGET,
    makes: [],
    changes: [],
  },
  {
    name: "go-build",
    project: GO,
    line: "go build ./...",
    target: BUILD_TARGET,
    makes: [],
    changes: ["flag.go", "cmd/demo/main.go"],
  },
  {
    name: "make",
    project: C,
    line: "make -j2",
    target: BUILD_TARGET,
    makes: ["build"],
    changes: [],
  },
  {
    name: "git-status",
    project: FILES,
    line: "git status --short",
    target: 1.1,
    makes: [],
    changes: [],
    start: "git rev-parse HEAD",
  },
];
export const BUILD_NAMES: readonly string[] = BUILDS.map(({ name }) => name);
const ROUNDS = 5;
/** Of what takes some hundredths of a second. */
const QUICK_ROUNDS = 21;
const PATIENCE_MS = 300_000;

/** Of builds by their names. What is not here and cannot be had is left out, and said on standard error. */
export async function buildFigures(
  toolgate: string,
  names: readonly string[],
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const builds = BUILDS.filter(({ name }) => names.includes(name));
  for (const project of new Set(builds.map(({ project }) => project))) {
    const prepared = await prepare(project);
    if (prepared === null) continue;
    const base = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
    try {
      const ground = new Ground(base);
      await copied(join(prepared.pristine, "work"), ground.work);
      if (prepared.modules !== null) {
        await copied(prepared.modules, join(ground.work, "node_modules"));
        await ground.fillCache();
      }
      for (const build of builds) {
        if (build.project === project) figures.push(...await figuresOf(build, ground, toolgate));
      }
    } finally {
      Deno.removeSync(base, { recursive: true });
    }
  }
  return figures;
}

async function figuresOf(
  build: Build,
  ground: Ground,
  toolgate: string,
): Promise<readonly Figure[]> {
  const { line, target, start } = build;
  const pipe = new Pipe([], { binary: toolgate, cwd: ground.work, env: ground.environment });
  try {
    const timed = async (run: () => Promise<void>): Promise<number> => {
      ground.makeReady(build);
      const started = performance.now();
      await run();
      return performance.now() - started;
    };
    const lines = start === undefined ? [line] : [line, start];
    const times = lines.map((line) => ({ line, subject: [] as number[], floor: [] as number[] }));
    const rounds = start === undefined ? ROUNDS : QUICK_ROUNDS;
    for (let round = 0; round <= rounds; round++) {
      for (const { line, subject, floor } of times) {
        const [held, unheld] = [
          await timed(() => heldRun(pipe, line)),
          await timed(() => ground.unheld(line)),
        ];
        // The first finds nothing in any cache.
        if (round === 0) continue;
        subject.push(held);
        floor.push(unheld);
      }
    }
    const [whole, begun] = times.map(({ subject, floor }): Pair => ({
      subject: median(subject),
      floor: median(floor),
    }));
    if (whole === undefined) return [];
    const figure = (name: string, pair: Pair): Figure => ({
      figure: `${name} : unheld`,
      unit: "ms",
      pair,
      target,
      at: "most",
    });
    if (begun === undefined) return [figure(line, whole)];
    const rest = { subject: whole.subject - begun.subject, floor: whole.floor - begun.floor };
    return [figure(line, whole), figure(`${line}, less ${start}`, rest)];
  } finally {
    await pipe.close();
  }
}

/** Gives every approval. */
async function heldRun(pipe: Pipe, command: string): Promise<void> {
  await pipe.send({ id: "run", tool: "run_command", args: { command, timeout_ms: PATIENCE_MS } });
  for (;;) {
    const answer = await pipe.next() as Answer & { readonly approval?: string } | null;
    if (answer?.event === "approval_required") {
      await pipe.send({ id: "yes", op: "approve", approval: answer.approval });
    } else if (answer?.id === "run" && answer.event === undefined) {
      if (answer.success === true) return;
      throw new Error(`${command}: ${JSON.stringify(answer)}`);
    } else if (answer === null) {
      throw new Error(`${command}: the pipe ended`);
    }
  }
}

/** A workspace, and what lies beside it. */
class Ground {
  readonly #base: string;
  readonly work: string;
  readonly environment: Readonly<Record<string, string>>;
  #moved = 0;

  constructor(base: string) {
    this.#base = base;
    this.work = join(base, "work");
    const home = join(base, "home");
    Deno.mkdirSync(home);
    this.environment = { ...ENVIRONMENT, HOME: home };
  }

  /** The packages by a lock file that says where each was had, all of them in a cache of the workspace. */
  async fillCache(): Promise<void> {
    const words = ["--prefix", this.work, "--cache", join(this.work, ".npm-cache")];
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    const resolved = "--omit-lockfile-registry-resolved=false";
    const lock = join(this.work, "node_modules", ".package-lock.json");
    // Without it npm takes what lies there for what the lock says already.
    Deno.removeSync(lock);
    const gone = this.#away("node_modules");
    const had = await runSeen(["npm", "install", ...words, ...quiet, resolved]);
    if (!had) throw new Error(`the packages cannot be had from npm (${gone})`);
  }

  makeReady({ makes, changes }: Build): void {
    for (const name of makes) this.#away(name);
    for (const name of changes) {
      Deno.writeTextFileSync(join(this.work, name), `// ${crypto.randomUUID()}\n`, {
        append: true,
      });
    }
  }

  #away(name: string): string {
    const gone = join(this.#base, `gone${this.#moved++}`);
    try {
      Deno.renameSync(join(this.work, name), gone);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return gone;
  }

  async unheld(line: string): Promise<void> {
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", line],
      cwd: this.work,
      clearEnv: true,
      env: this.environment,
      stdin: "null",
    }).output();
    if (success) return;
    const said = new TextDecoder().decode(Uint8Array.from([...stdout, ...stderr]));
    throw new Error(`${line}: ${said}`);
  }
}

async function copied(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  if (!success) throw new Error(`${from} cannot be copied`);
}
