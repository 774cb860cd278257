/**
 * Builds the binary: bundles the command line and the worker with code splitting, then compiles.
 *
 *     deno task build [--policy FILE] [--target T] [--output FILE] [--release] [--otel]
 *
 * Without `--policy` the binary carries `policy/default.yaml` and takes others at run time; with it the
 * binary is sealed: it carries that policy, and its runtime permissions are that policy's and no more.
 */

import { createHash } from "node:crypto";
import { parseArgs } from "@std/cli";
import { basename, dirname, join, relative, resolve, toFileUrl } from "@std/path";
import type { Embedded } from "../src/cli/embedded.ts";
import { EMBEDDED_FILE, sealedWith } from "../src/cli/seal/embedding.ts";
import { sealedPermissions } from "../src/cli/seal/sealed_permissions.ts";
import type { LoadedPolicy } from "../src/policy/model.ts";
import { parsePolicy, renderProblems } from "../src/policy/parse/parse.ts";
import { permissionFlags } from "../src/sandbox/permission_flags.ts";
import { addCarried, embedCarried } from "./_carried.ts";
import { joinScripts, scriptFiles, type ScriptPlan, writeProducer } from "./_compiled_scripts.ts";
import { nameParts } from "./_stable_names.ts";
import { compile, type CompileOptions, localBase, ROOT, runDeno } from "./compile.ts";
import { type Target, TARGETS } from "./target.ts";

/** `deno compile` notes the time of each file that it embeds. With one for all, the same sources make the same binary. */
const EPOCH = new Date(0);

/** The policy of unsealed binaries, and the name that their messages use for it. */
const DEFAULT_POLICY = "policy/default.yaml";
const BUILT_IN = "(built in)";

/**
 * The ceiling of an unsealed binary, which each thread narrows for itself: files, programs, environment, `net`, which
 * only the thread of the door gets some of and the main thread looks names up with, and `ffi`, through which threads
 * hand themselves to the kernel's rules and which they then give up.
 */
const UNSEALED_FLAGS = [
  "--allow-read",
  "--allow-write",
  "--allow-run",
  "--allow-env",
  "--allow-net",
  "--allow-ffi",
] as const;

/**
 * Some runs leave V8 with another function compiled, or found worth optimising, by which of its threads was quicker: one of
 * ten, and more on a busy machine. So a cache is what most of those runs give that nothing held up.
 */
const RUNS = 11;
const QUICKEST = 5;

/** The modules that threads start with. */
const ENTRIES = ["main.js", "worker.js", "module_worker.js", "rehearse.js"];

/** A file with the default policy, beside the workspace of a rehearsal. */
const REHEARSED_POLICY = "policy.yaml";

/** A script that is carried compiled, and what starts do with it. */
export interface CompiledScript extends ScriptPlan {
  /**
   * One after the other in one process; the last may give up what the others need. Nothing in it depends on which of two
   * threads is quicker, else two builds would carry different functions: so the pipe's input is empty.
   */
  readonly rehearsed: readonly (readonly string[])[];
}

/** What single calls and pipes load at their start, and what the first program takes besides. */
export const SCRIPTS: readonly CompiledScript[] = [
  {
    name: "hot",
    roots: ["call", "serve", "parse", "worker_pool", "inline_runner", "context", "read_file"],
    rehearsed: [
      ["serve", "--quiet", "--policy", `../${REHEARSED_POLICY}`],
      ["call", "read_file", "path=a.txt"],
    ],
  },
  {
    name: "programs",
    roots: ["actions", "direct_runner", "parser", "program_support", "run_command", "spawner"],
    // What is started and waited for comes back now a turn sooner, now later: nothing is.
    rehearsed: [["call", "run_command", "command=echo a"]],
  },
];

export interface BuildOptions {
  readonly target: Target;
  /** Absolute path of the binary. */
  readonly output: string;
  readonly release: boolean;
  /** Permission flags to bake. */
  readonly flags: readonly string[];
  /** Sends traces, metrics and logs; off unless given. */
  readonly telemetry?: boolean;
  /** Source text of the main module; imports in it are absolute `file:` URLs. */
  readonly main: string;
  /** What its `start` is called with; left out where importing it is all. */
  readonly embedded?: Embedded;
  /**
   * Source text of a module that does what starts do, for V8 to compile it ahead: see {@linkcode rehearseModule}. Left
   * out: nothing is compiled ahead.
   */
  readonly rehearse?: string;
  /** `file:` URL of the module that workers start with. Default: `src/engine/pool/worker.ts`. */
  readonly worker?: string;
  /** Told which compile base was taken. */
  readonly report: (line: string) => void;
}

/** The host's own target. */
export function hostTarget(): Target {
  return Deno.build.target as Target;
}

/** The `file:` URL of a module of this repository, for {@linkcode BuildOptions}`.main`. */
export function moduleUrl(path: string): string {
  return toFileUrl(join(ROOT, path)).href;
}

/** Main module that runs the command line with what is embedded beside it, as `main.ts` does from source. */
function mainModule(): string {
  return `import { run } from ${JSON.stringify(moduleUrl("src/cli/run.ts"))};\n` +
    "export const start = async (text) => Deno.exit(await run(Deno.args, JSON.parse(text)));\n";
}

/**
 * What is embedded lies in a file of its own, which sealing replaces: all else of a binary is the same whatever it is
 * sealed with.
 */
const START_MODULE = `import { start } from "./main.js";
import text from "./${EMBEDDED_FILE}" with { type: "text" };
await start(text);
`;

/** Main module that does with what is embedded what starts do with the script that its first argument names. */
export function rehearseModule(embedded: Embedded): string {
  const text = JSON.stringify(JSON.stringify(embedded));
  const rehearsed = Object.fromEntries(SCRIPTS.map(({ name, rehearsed }) => [name, rehearsed]));
  return `import { run } from ${JSON.stringify(moduleUrl("src/cli/run.ts"))};\n` +
    `const rehearsed = ${JSON.stringify(rehearsed)};\n` +
    `for (const argv of rehearsed[Deno.args[0]]) await run(argv, JSON.parse(${text}));\n` +
    `Deno.exit(0);\n`;
}

/**
 * V8's code cache of each script, made by running the binary that it is for; without one where this machine cannot run it.
 * V8 takes no cache but that of its own version, flags and source, and compiles where it takes none.
 */
async function produceCaches(
  options: CompileOptions,
  bundle: string,
  report: (line: string) => void,
): Promise<void> {
  if (options.target !== hostTarget()) {
    report("code cache: none, this machine cannot run the binary that would make it");
    return;
  }
  const folder = await rehearsalFolder();
  try {
    const producer = join(folder, "producer");
    await compile({
      ...options,
      main: await writeProducer(bundle, "rehearse.js", SCRIPTS),
      flags: UNSEALED_FLAGS,
      output: producer,
    });
    await Deno.copyFile(join(ROOT, DEFAULT_POLICY), join(folder, REHEARSED_POLICY));
    const workspace = join(folder, "workspace");
    await Deno.mkdir(workspace);
    await Deno.writeTextFile(join(workspace, "a.txt"), "a\n");
    for (const { name } of SCRIPTS) {
      const cache = await agreedCache(producer, workspace, name, join(folder, "cache"));
      await Deno.writeFile(join(bundle, scriptFiles(name).cache), cache);
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

/** The cache of a script that most of the quickest runs give; of equals the one of the quickest. */
async function agreedCache(
  producer: string,
  workspace: string,
  script: string,
  output: string,
): Promise<Uint8Array> {
  const runs: { readonly path: string; readonly ms: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const path = `${output}.${run}`;
    const started = performance.now();
    await runProducer(producer, [script, path], workspace);
    runs.push({ path, ms: performance.now() - started });
  }
  const caches = new Map<string, { readonly cache: Uint8Array; count: number }>();
  for (const { path } of runs.toSorted((a, b) => a.ms - b.ms).slice(0, QUICKEST)) {
    await runProducer(producer, [script, `${path}.plain`, path], workspace);
    const cache = await Deno.readFile(`${path}.plain`);
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

/** Bundles and compiles. Throws Error with what failed. */
export async function build(options: BuildOptions): Promise<void> {
  const { target, output, release, report } = options;
  const base = await localBase(target, release);
  report(`compile base: ${base.origin}`);
  const name = basename(output);
  const generated = join(ROOT, "dist", "generated", name);
  const bundle = join(ROOT, "dist", "bundle", name);
  await Deno.remove(bundle, { recursive: true }).catch(ignoreMissing);
  await Deno.mkdir(generated, { recursive: true });
  await Deno.mkdir(dirname(output), { recursive: true });
  // Both entries lie in one folder, so that all that is bundled does, too, and `./worker.ts` beside the
  // module that asks for it is the worker, in the bundle as in the source.
  await Deno.writeTextFile(join(generated, "main.ts"), options.main);
  await Deno.writeTextFile(
    join(generated, "worker.ts"),
    `import ${JSON.stringify(options.worker ?? moduleUrl("src/engine/pool/worker.ts"))};\n`,
  );
  await Deno.writeTextFile(
    join(generated, "module_worker.ts"),
    `import ${JSON.stringify(moduleUrl("src/engine/modules/module_worker.ts"))};\n`,
  );
  await Deno.writeTextFile(join(generated, "rehearse.ts"), options.rehearse ?? "export {};\n");
  await runDeno("bundle", [
    "--quiet",
    "--code-splitting",
    // A third less to parse at each start. Nothing that is bundled is CommonJS, which this would break.
    "--minify",
    `--outdir=${bundle}`,
    join(generated, "main.ts"),
    join(generated, "worker.ts"),
    join(generated, "module_worker.ts"),
    join(generated, "rehearse.ts"),
  ]);
  await nameParts(bundle);
  if (options.rehearse !== undefined) await joinScripts(bundle, ENTRIES, SCRIPTS);
  const workers = ["worker", "module_worker"].map((name) => join(bundle, `${name}.ts`));
  for (const worker of workers) {
    await Deno.writeTextFile(worker, `import "./${basename(worker, ".ts")}.js";\n`);
  }
  if (options.embedded !== undefined) {
    await Deno.writeTextFile(join(bundle, EMBEDDED_FILE), JSON.stringify(options.embedded));
    await Deno.writeTextFile(join(bundle, "start.js"), START_MODULE);
  }
  const include = [...workers, ...await embedCarried(target, bundle)];
  const parts: CompileOptions = {
    main: join(bundle, options.embedded === undefined ? "main.js" : "start.js"),
    include,
    flags: options.flags,
    target,
    output,
    base,
    telemetry: options.telemetry ?? false,
  };
  if (options.rehearse !== undefined) await produceCaches(parts, bundle, report);
  for (const { name } of Deno.readDirSync(bundle)) {
    await Deno.utime(join(bundle, name), EPOCH, EPOCH);
  }
  await compile(parts);
  await addCarried(target, output);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Version of `deno.json`. */
export async function version(): Promise<string> {
  const config = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))) as {
    version: string;
  };
  return config.version;
}

/** What differs between our own binaries. */
type OwnOptions = Pick<BuildOptions, "main" | "embedded" | "rehearse" | "flags" | "telemetry">;

/** Options of the unsealed binary. */
export async function unsealed(telemetry = false): Promise<OwnOptions> {
  const policy = await load(join(ROOT, DEFAULT_POLICY), BUILT_IN);
  const embedded: Embedded = { version: await version(), sealed: false, policy };
  return {
    main: mainModule(),
    embedded: { ...embedded, ...(telemetry ? { telemetry } : {}) },
    rehearse: rehearseModule(embedded),
    flags: UNSEALED_FLAGS,
    telemetry,
  };
}

/**
 * Options of a binary that is sealed with the policy in `file`, and that carries the custom tools which it names. Throws
 * Error where it is none.
 */
export async function sealed(file: string, telemetry = false): Promise<OwnOptions> {
  const sealing = { version: await version(), ...(telemetry ? { telemetry } : {}) };
  const embedded = await sealedWith(file, sealing);
  return {
    ...await unsealed(telemetry),
    embedded,
    flags: permissionFlags(sealedPermissions(embedded.policy)),
  };
}

/** A policy that loads whole, or an Error with all that is wrong with it. */
async function load(file: string, source: string): Promise<LoadedPolicy> {
  const parsed = parsePolicy(await Deno.readTextFile(file), source);
  if ("problems" in parsed) throw new Error(renderProblems(parsed.problems));
  return { source, policy: parsed.policy };
}

/** Where a build goes unless told: named after the policy, where there is one. */
function defaultOutput(policy: string | undefined, target: Target): string {
  const seal = policy === undefined ? "" : `-${basename(policy).replace(/\.ya?ml$/, "")}`;
  const cross = target === hostTarget() ? "" : `-${target}`;
  const ending = target.includes("windows") ? ".exe" : "";
  return join("dist", `toolgate${seal}${cross}${ending}`);
}

async function main(args: readonly string[]): Promise<void> {
  const unknown: string[] = [];
  const options = parseArgs(args, {
    string: ["policy", "target", "output"],
    boolean: ["release", "otel"],
    unknown: (arg) => {
      unknown.push(arg);
      return false;
    },
  });
  if (unknown.length > 0) {
    throw new Error(
      `unknown argument ${
        unknown[0]
      }; known: --policy FILE, --target T, --output FILE, --release, --otel`,
    );
  }
  for (const name of ["policy", "target", "output"] as const) {
    if (options[name] === "") throw new Error(`--${name} needs a value`);
  }
  const target = TARGETS.find((known) => known === (options.target ?? hostTarget()));
  if (target === undefined) {
    throw new Error(`unknown target ${options.target}; known: ${TARGETS.join(", ")}`);
  }
  const started = performance.now();
  const output = resolve(options.output ?? defaultOutput(options.policy, target));
  await build({
    ...(options.policy === undefined
      ? await unsealed(options.otel)
      : await sealed(options.policy, options.otel)),
    target,
    output,
    release: options.release,
    report: (line) => console.error(line),
  });
  const { size } = await Deno.stat(output);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(
    `built ${relative(Deno.cwd(), output)} for ${target}: ${
      (size / 2 ** 20).toFixed(1)
    } MiB in ${seconds} s`,
  );
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exitCode = 1;
  }
}
