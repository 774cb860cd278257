/**
 * Builds the binary: bundles the command line and the worker with code splitting, then compiles.
 *
 *     deno task build [--policy FILE] [--target T] [--output FILE] [--release] [--otel]
 *
 * Without `--policy` the binary carries `policy/default.yaml` and takes others at run time; with it the
 * binary is sealed: it carries that policy, and its runtime permissions are that policy's and no more.
 */

import { parseArgs } from "@std/cli";
import { basename, dirname, join, relative, resolve, toFileUrl } from "@std/path";
import type { Embedded } from "../src/cli/embedded.ts";
import { EMBEDDED_FILE, sealedWith } from "../src/cli/seal/embedding.ts";
import { sealedPermissions } from "../src/cli/seal/sealed_permissions.ts";
import type { LoadedPolicy } from "../src/policy/model.ts";
import { parsePolicy, renderProblems } from "../src/policy/parse/parse.ts";
import { permissionFlags } from "../src/sandbox/permission_flags.ts";
import { createRegistry } from "../src/tools/registry.ts";
import { addCarried, compressed, embedCarried } from "./_carried.ts";
import { OF_PROGRAMS, produceCaches, REHEARSED, SCRIPTS } from "./_code_caches.ts";
import { joinScripts, type ScriptPlan, standAlone } from "./_compiled_scripts.ts";
import { packScript } from "./_packed_scripts.ts";
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

/** The modules of calls through a gate: of nearly all of them, and of the others. */
export const CALL_ALONE = "call_alone.js";
export const CALL_AT_GATE = "call_at_gate.js";

/** The stem of the files that the tools are in as listings have them: compressed, and a module that reads them once. */
export const LISTING = "tools_listing";

/** What few calls take, and all that is used with it: compressed, since every start reads all files of a build. */
const SELDOM: readonly ScriptPlan[] = [
  { name: "typescript_syntax", roots: ["typescript", "jsx", "strip_types"] },
  { name: "javascript_syntax", roots: ["javascript"] },
  { name: "pages", roots: ["html", "page"] },
  {
    name: "analysis",
    roots: [
      "analyze_code_structure",
      "analyze_dependencies",
      "find_code_patterns",
      "find_similar_code",
      "measure_code_complexity",
      "outliner",
    ],
  },
  { name: "profiles", roots: ["analyze_performance"] },
  { name: "telemetry_export", roots: ["telemetry"] },
];

/** The scripts that are compressed. */
const PACKED = [...SELDOM.map(({ name }) => name), ...OF_PROGRAMS];

/** What threads start with that take no calls from a pool. */
const OTHER_WORKERS = [
  "src/engine/modules/module_worker.ts",
  "src/serve/listener/listener_worker.ts",
] as const;

/** The modules that threads start with. */
const ENTRIES = [
  "main.js",
  "worker.js",
  "listener_worker.js",
  "module_worker.js",
  "rehearse.js",
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
    "export const start = async (text, listing) =>\n" +
    "  Deno.exit(await run(Deno.args, { ...JSON.parse(text), listing }));\n";
}

/**
 * What is embedded lies in a file of its own, which sealing replaces: all else of a binary is the same whatever it is
 * sealed with.
 */
const WHOLE_MODULE = `import { start } from "./main.js";
import text from "./${EMBEDDED_FILE}" with { type: "text" };
await start(text, () => import("./${LISTING}.js"));
`;

/** Every start reads all files of a build, and few list tools. */
const LISTING_MODULE = `import { zstdDecompressSync } from "node:zlib";
import bytes from "./${LISTING}.zst" with { type: "bytes" };
export default JSON.parse(new TextDecoder().decode(zstdDecompressSync(bytes)));
`;

/** The module that a process begins with. A call through a gate takes none of what all else takes. */
export const START_MODULE = `const { args } = Deno;
if (args.includes("call") && (args.some((word) => word.startsWith("--gate")) || (Deno.env.get("TOOLGATE_GATE") ?? "") !== "")) {
  const begun = (await import("./${CALL_ALONE}")).callAlone(args);
  const status = typeof begun === "number" ? begun : await (await import("./${CALL_AT_GATE}")).callAtGate(args, begun);
  if (status !== null) Deno.exit(status);
}
await import("./whole.js");
`;

/** Main module that does with what is embedded what starts do with what its first argument names. */
export function rehearseModule(embedded: Embedded): string {
  const text = JSON.stringify(JSON.stringify(embedded));
  return `import { run } from ${JSON.stringify(moduleUrl("src/cli/run.ts"))};\n` +
    `const rehearsed = ${JSON.stringify(REHEARSED)};\n` +
    `for (const argv of rehearsed[Deno.args[0]]) await run(argv, JSON.parse(${text}));\n` +
    `Deno.exit(0);\n`;
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
  for (const module of OTHER_WORKERS) {
    await Deno.writeTextFile(
      join(generated, basename(module)),
      `import ${JSON.stringify(moduleUrl(module))};\n`,
    );
  }
  for (const entry of [CALL_ALONE, CALL_AT_GATE]) {
    const module = `${basename(entry, ".js")}.ts`;
    await Deno.writeTextFile(
      join(generated, module),
      `export * from ${JSON.stringify(moduleUrl(`src/cli/gate/${module}`))};\n`,
    );
  }
  await Deno.writeTextFile(join(generated, "rehearse.ts"), options.rehearse ?? "export {};\n");
  await runDeno("bundle", [
    "--quiet",
    "--code-splitting",
    // A third less to parse at each start. Nothing that is bundled is CommonJS, which this would break.
    "--minify",
    `--outdir=${bundle}`,
    join(generated, "main.ts"),
    join(generated, "worker.ts"),
    ...OTHER_WORKERS.map((module) => join(generated, basename(module))),
    join(generated, "rehearse.ts"),
    join(generated, "call_alone.ts"),
    join(generated, "call_at_gate.ts"),
  ]);
  await nameParts(bundle);
  for (const entry of [CALL_ALONE, CALL_AT_GATE]) await standAlone(bundle, entry);
  if (options.rehearse !== undefined) {
    await joinScripts(bundle, ENTRIES, [...SCRIPTS, ...SELDOM]);
  }
  const workers = ["worker.ts", ...OTHER_WORKERS].map((path) => join(bundle, basename(path)));
  for (const worker of workers) {
    await Deno.writeTextFile(worker, `import "./${basename(worker, ".ts")}.js";\n`);
  }
  if (options.embedded !== undefined) {
    await Deno.writeTextFile(join(bundle, EMBEDDED_FILE), JSON.stringify(options.embedded));
    await Deno.writeTextFile(join(bundle, "whole.js"), WHOLE_MODULE);
    await Deno.writeTextFile(join(bundle, "start.js"), START_MODULE);
    await Deno.writeTextFile(join(bundle, `${LISTING}.js`), LISTING_MODULE);
    await Deno.writeFile(join(bundle, `${LISTING}.zst`), await compressedListing());
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
  if (options.rehearse !== undefined) {
    const policy = join(ROOT, DEFAULT_POLICY);
    await produceCaches({ ...parts, flags: UNSEALED_FLAGS }, { bundle, policy, report });
    for (const name of PACKED) await packScript(bundle, name);
  }
  for (const { name } of Deno.readDirSync(bundle)) {
    await Deno.utime(join(bundle, name), EPOCH, EPOCH);
  }
  await compile(parts);
  await addCarried(target, output);
}

async function compressedListing(): Promise<Uint8Array> {
  const listed = await createRegistry().listed();
  return compressed(new TextEncoder().encode(JSON.stringify(listed)));
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
