/**
 * Runs the tests: all, or those at the paths that are named (files or folders, from the top of the repository).
 *
 *     scripts/test [PATH…] [--filter TEXT]
 *
 * Each batch of files is a process of its own, for many tests count what their process holds. Two for each core run at
 * once, for many wait: what tests measure is of their own process or of those that they start, never of the machine. The
 * files that tests make lie in memory where that can be had. The binary is built where tests want it and it is not what
 * the sources give, while those that need none run. The last line is `N passed, N failed`, over all of it.
 */

import { parseArgs } from "@std/cli";
import { fromFileUrl, join } from "@std/path";
import { installPrograms } from "./_debian.ts";
import {
  DISASSEMBLERS,
  EMULATOR_PROGRAMS,
  EXAMPLE_PROGRAMS,
  NETWORK_PROGRAMS,
} from "./_example_programs.ts";
import { SHELL_PROGRAMS } from "./_shells.ts";
import { installPackages, PYTHON_PROGRAMS } from "./_toolchain.ts";
import { batchesOf, inTurns } from "./testing/batches.ts";
import { buildBinary } from "./testing/binaries.ts";
import {
  type Durations,
  findTests,
  type Part,
  partOf,
  TEST_FOLDERS,
  timed,
} from "./testing/files.ts";
import { openMemoryFolder } from "./testing/memory_folder.ts";
import { type BatchOutcome, runBatch } from "./testing/run_batch.ts";
import { Tally } from "./testing/tally.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
/** Seconds by path of the last runs on this machine. */
const TIMES = join(ROOT, "dist", "test_times.json");
/** Many tests wait: for programs, for times that run out, for each other's threads. */
const PROCESSES_A_CORE = 2;
/** A test that hangs is named after this long, and again. */
const REMINDER_MS = 120_000;

interface RunSettings {
  /** Processes. */
  readonly atOnce: number;
  /** As `deno test` takes it. */
  readonly filter: string | null;
  /** See `BatchSettings`. */
  readonly memory: string | null;
}

function readTimes(): Durations {
  try {
    return JSON.parse(Deno.readTextFileSync(TIMES)) as Durations;
  } catch {
    // Not there yet, or cut off: estimates do.
    return {};
  }
}

/**
 * Types of all files at once: Deno would else judge what they share again for each process. No file stands for the whole
 * repository, as `deno check` is asked without paths: what it has judged before, as `deno task ok` does, it knows.
 */
async function checkTypes(files: readonly string[], tally: Tally): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", ...files],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) tally.fail(`types:\n${new TextDecoder().decode(stderr).trim()}`);
}

function show(outcome: BatchOutcome): void {
  for (const { path, passed, seconds } of outcome.files.filter(({ ran }) => ran)) {
    console.log(`${passed ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(6)} s  ${path}`);
  }
  if (outcome.counts.failed > 0 && outcome.said !== "") console.log(outcome.said);
}

/** Tests of one part, and what they wait for. */
interface PartToRun {
  readonly name: Part;
  readonly files: readonly string[];
  /** Whether they can be run. */
  readonly prepared: Promise<boolean>;
}

/**
 * Runs the tests part by part; the first of a part begin when nothing more of the last can be begun, so that no processor
 * waits for the last file of a part. Gives the seconds that each file took.
 */
async function runParts(
  parts: readonly PartToRun[],
  { atOnce, filter, memory }: RunSettings,
  tally: Tally,
): Promise<Durations> {
  const times: Record<string, number> = {};
  const recorded = readTimes();
  const all = parts.filter(({ files }) => files.length > 0).map(({ files, ...part }) => ({
    ...part,
    batches: batchesOf(files.map((path) => timed(path, recorded)), atOnce),
  }));
  if (all.length === 0) return times;
  const live = all.flatMap(({ batches }) => batches).length === 1;
  const work = async (paths: readonly string[]) => {
    const reminder = setInterval(
      () => console.error(`still running: ${paths.join(" ")}`),
      REMINDER_MS,
    );
    // What a test of the binary imports is little.
    const shared = paths.every((path) => partOf(path) === "unit");
    const outcome = await runBatch(paths, { root: ROOT, filter, live, memory, shared });
    clearInterval(reminder);
    if (!live) show(outcome);
    tally.add(outcome.counts, outcome.failures);
    for (const { path, seconds } of outcome.files) {
      // What a lone file's module does when it is loaded counts, too.
      times[path] = paths.length === 1 ? outcome.seconds : seconds;
    }
  };
  const queue = (async function* () {
    for (const { batches, prepared } of all) if (await prepared) yield* batches;
  })();
  const names = all.map(({ name }) => name).join(" and ");
  await tally.part(`${names} tests`, () => inTurns(queue, atOnce, work));
  return times;
}

/** What the tests of the binary run beside it. Says what cannot be had. */
async function installAll(): Promise<void> {
  for (
    const missing of [
      ...await installPackages(ROOT),
      ...await installPrograms({
        ...PYTHON_PROGRAMS,
        ...SHELL_PROGRAMS,
        ...EXAMPLE_PROGRAMS,
        ...NETWORK_PROGRAMS,
        ...(Deno.build.arch === "aarch64" ? {} : EMULATOR_PROGRAMS),
      }),
    ]
  ) console.error(missing);
}

/** Whether the binary is there, and what its tests run. */
async function prepare(tally: Tally): Promise<boolean> {
  await tally.part("programs and packages", installAll);
  try {
    await tally.part("build", buildBinary);
    return true;
  } catch (error) {
    tally.fail(`the binary was not built, its tests were not run:\n${(error as Error).message}`);
    return false;
  }
}

function readArguments(args: readonly string[]) {
  const unknown: string[] = [];
  const { _: paths, filter = null } = parseArgs(args, {
    string: ["filter"],
    unknown: (arg) => {
      if (arg.startsWith("-")) unknown.push(arg);
      return !arg.startsWith("-");
    },
  });
  if (unknown.length > 0) throw new Error(`${unknown[0]}: unknown; known: PATH…, --filter TEXT`);
  return { paths: paths.length === 0 ? TEST_FOLDERS : paths.map(String), filter };
}

async function main(args: readonly string[], tally: Tally): Promise<void> {
  const { paths, filter } = readArguments(args);
  const files = findTests(ROOT, paths);
  const of = (part: Part) => files.filter((path) => partOf(path) === part);
  const [unit, binary] = [of("unit"), of("binary")];
  await using folder = await openMemoryFolder();
  const settings = {
    atOnce: PROCESSES_A_CORE * navigator.hardwareConcurrency,
    filter,
    memory: folder?.path ?? null,
  };
  if (Deno.build.os === "linux" && unit.some((path) => /\/(?:launcher|network)\//.test(path))) {
    for (const missing of await installPrograms({ ...DISASSEMBLERS, ...NETWORK_PROGRAMS })) {
      console.error(missing);
    }
  }
  const prepared = binary.length > 0 ? prepare(tally) : Promise.resolve(false);
  const [times] = await Promise.all([
    runParts(
      [
        { name: "unit", files: unit, prepared: Promise.resolve(true) },
        { name: "binary", files: binary, prepared },
      ],
      settings,
      tally,
    ),
    tally.part("types", () => checkTypes(paths === TEST_FOLDERS ? [] : files, tally)),
  ]);
  if (filter !== null) return;
  Deno.mkdirSync(join(ROOT, "dist"), { recursive: true });
  Deno.writeTextFileSync(TIMES, JSON.stringify({ ...readTimes(), ...times }, null, 1));
}

const tally = new Tally();
try {
  await main(Deno.args, tally);
} catch (error) {
  tally.fail(error instanceof Error ? error.message : String(error));
}
const { passed, failed } = tally.counts;
if (passed === 0 || failed > 0) Deno.exitCode = 1;
console.log(tally.report());
