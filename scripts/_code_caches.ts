/** V8's code caches of the scripts that a binary carries compiled, made by running the binary that they are for. */

import { createHash } from "node:crypto";
import { join } from "@std/path";
import { writeProducer } from "./_cache_producer.ts";
import { scriptFiles, type ScriptPlan } from "./_compiled_scripts.ts";
import { compile, type CompileOptions } from "./compile.ts";

/**
 * Some runs leave V8 with another function compiled, or found worth optimising, by which of its threads was quicker: one of
 * ten, and more on a busy machine. So a cache is what most of those runs give that nothing held up.
 */
const RUNS = 11;
const QUICKEST = 5;

/**
 * What rehearses is not compiled by the baseline compiler: V8 notes in each function whether it was
 * (`SharedFunctionInfo::sparkplug_compiled`), which for some hangs on how often something was asked for.
 */
const UNNOTED = ["--no-sparkplug"] as const;

/** All functions of a script are compiled with it, as none is that nobody calls (V8's `lazy`). */
const WHOLE = ["--no-lazy", ...UNNOTED] as const;

/** A file with the default policy, beside the workspace of a rehearsal. */
const REHEARSED_POLICY = "policy.yaml";

/** A script that is carried compiled. */
interface CompiledPlan extends ScriptPlan {
  /** All of it, in place of what a rehearsal needs. */
  readonly whole?: true;
}

/** Scripts that are carried compiled, and what starts do with them. */
interface Rehearsal {
  readonly name: string;
  readonly scripts: readonly CompiledPlan[];
  /**
   * One after the other in one process; the last may give up what the others need. Nothing in it depends on which of two
   * threads is quicker, else two builds would carry different functions: so the pipe's input is empty.
   */
  readonly rehearsed: readonly (readonly string[])[];
}

const PROGRAMS = "programs";

/** What a single call takes. */
const CALL = ["call", "inline_runner", "context", "read_file"] as const;

/**
 * Each start takes the scripts that it needs and no others: V8 reads a cache whole. First what says help, then what single
 * calls and the threads of pipes have in common, then what each of them has besides; and the reader of policies. Then what
 * starts programs, what judges the first one, and what a command line takes besides.
 */
const REHEARSALS: readonly Rehearsal[] = [
  {
    name: "starts",
    scripts: [
      { name: "front", roots: ["main", "_help", "screen"] },
      { name: "base", roots: CALL, within: ["worker", "context", "read_file"] },
      { name: "judge", roots: ["listener_worker"], within: CALL },
      { name: "call", roots: CALL },
      { name: "thread", roots: ["worker", "module_worker"] },
      // What reads lines: none comes in a rehearsal.
      {
        name: "hearing",
        roots: ["listener_worker"],
        within: ["serve_engine", "listening"],
        whole: true,
      },
      { name: "pool", roots: ["serve", "worker_pool", "listening"] },
      // Loaded while the first thread of the pool begins.
      { name: "pipe", roots: ["serve_engine", "pipe_places"] },
      { name: "parse", roots: ["parse"] },
    ],
    rehearsed: [
      ["--help"],
      ["serve", "--quiet", "--policy", `../${REHEARSED_POLICY}`],
      ["call", "read_file", "path=a.txt"],
    ],
  },
  {
    name: PROGRAMS,
    scripts: [
      // When a program has begun, ended and been waited for is the kernel's to say, and which functions that takes differs.
      { name: "starting", roots: ["starter", "spawner", "program_holds"], whole: true },
      { name: PROGRAMS, roots: ["actions", "direct_runner", "program_support", "run_command"] },
      { name: "lines", roots: ["parse_line", "parser", "_run_plan"] },
    ],
    // So none is started: one is part of the shell, and the other is refused.
    rehearsed: [
      ["call", "run_command", "command=echo a"],
      ["call", "run_command", `argv=["dd"]`],
    ],
  },
];

/** All scripts, each after those that it takes from. */
export const SCRIPTS: readonly ScriptPlan[] = REHEARSALS.flatMap(({ scripts }) => scripts);

/** The scripts of what few starts need. */
export const OF_PROGRAMS: readonly string[] = REHEARSALS
  .flatMap(({ name, scripts }) => name === PROGRAMS ? scripts.map((script) => script.name) : []);

/** Command lines by the name of what is rehearsed, which a producer is told. */
export const REHEARSED: Readonly<Record<string, Rehearsal["rehearsed"]>> = Object.fromEntries(
  REHEARSALS.map(({ name, rehearsed }) => [name, rehearsed]),
);

/** What caches are made from. */
interface CacheSettings {
  /** The folder of the modules: the caches are written into it. */
  readonly bundle: string;
  /** Absolute path of the policy of what is rehearsed. */
  readonly policy: string;
  /** Told where none can be made. */
  readonly report: (line: string) => void;
}

/**
 * V8's code cache of each script, made by running the binary that it is for; without one where this machine cannot run it.
 * V8 takes no cache but that of its own version, flags and source, and compiles where it takes none.
 */
export async function produceCaches(
  options: CompileOptions,
  { bundle, policy, report }: CacheSettings,
): Promise<void> {
  if (options.target !== Deno.build.target) {
    report("code cache: none, this machine cannot run the binary that would make it");
    return;
  }
  const folder = await rehearsalFolder();
  try {
    const producers = {
      rehearsing: join(folder, "rehearsing"),
      compiling: join(folder, "compiling"),
      writing: join(folder, "writing"),
    };
    const main = await writeProducer(bundle, "rehearse.js", SCRIPTS);
    await compile({ ...options, main, output: producers.rehearsing, v8Flags: UNNOTED });
    await compile({ ...options, main, output: producers.compiling, v8Flags: WHOLE });
    await compile({ ...options, main, output: producers.writing });
    await Deno.copyFile(policy, join(folder, REHEARSED_POLICY));
    const workspace = join(folder, "workspace");
    await Deno.mkdir(workspace);
    await Deno.writeTextFile(join(workspace, "a.txt"), "a\n");
    for (const { name, scripts } of REHEARSALS) {
      const made = await rehearse(producers.rehearsing, workspace, name, join(folder, name));
      for (const { name: script, whole } of scripts) {
        if (whole) {
          await runProducer(producers.compiling, ["", folder, script, "compiled"], workspace);
        }
        const cache = await agreedCache(
          producers.writing,
          workspace,
          whole ? [folder] : made,
          script,
        );
        await Deno.writeFile(join(bundle, scriptFiles(script).cache), cache);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Where it can be under `/tmp`, whatever TMPDIR is: what a start does hangs on how long the path of its workspace is. */
async function rehearsalFolder(): Promise<string> {
  const prefix = "toolgate-build-";
  try {
    return await Deno.makeTempDir({ dir: "/tmp", prefix });
  } catch {
    return await Deno.makeTempDir({ prefix });
  }
}

/** Does what starts do, some times over: the folders of what came of the quickest times, the quickest first. */
async function rehearse(
  producer: string,
  workspace: string,
  name: string,
  output: string,
): Promise<readonly string[]> {
  const runs: { readonly path: string; readonly ms: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const path = `${output}.${run}`;
    await Deno.mkdir(path);
    const started = performance.now();
    await runProducer(producer, [name, path], workspace);
    runs.push({ path, ms: performance.now() - started });
  }
  return runs.toSorted((a, b) => a.ms - b.ms).slice(0, QUICKEST).map(({ path }) => path);
}

/**
 * The cache of a script that most of the folders give; of equals the first. `producer`: has the flags of what the cache is
 * for.
 */
async function agreedCache(
  producer: string,
  workspace: string,
  folders: readonly string[],
  script: string,
): Promise<Uint8Array> {
  const caches = new Map<string, { readonly cache: Uint8Array; count: number }>();
  for (const folder of folders) {
    await runProducer(producer, ["", folder, script], workspace);
    const cache = await Deno.readFile(join(folder, `${scriptFiles(script).cache}.plain`));
    const hash = createHash("sha256").update(cache).digest("hex");
    const same = caches.get(hash);
    if (same === undefined) caches.set(hash, { cache, count: 1 });
    else same.count++;
  }
  return [...caches.values()].reduce((best, one) => one.count > best.count ? one : best).cache;
}

async function runProducer(
  producer: string,
  args: readonly string[],
  folder: string,
): Promise<void> {
  const { success, stderr } = await new Deno.Command(producer, {
    args: [...args],
    cwd: folder,
    env: { HOME: folder, PATH: "/usr/bin:/bin" },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  throw new Error(`the producer of the code caches failed: ${new TextDecoder().decode(stderr)}`);
}
