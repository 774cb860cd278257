/**
 * Builds what is handed out: a binary for each target, and the SHA-256 sums of them.
 *
 *     deno task release [--target T …] [--output FOLDER] [--packaged-bases]
 *
 * Without `--target`: both Linux targets, and those others whose compile base this machine can have. The same sources
 * give the same bytes, wherever they are built, so that the sums can be checked by who builds them again.
 * `--packaged-bases`: for tries; as `deno task build` does, it takes bases from npm packages where Deno's own
 * download is out of reach.
 */

import { parseArgs } from "@std/cli";
import { join, relative, resolve } from "@std/path";
import { createHash } from "node:crypto";
import { build, unsealed, version } from "./build.ts";
import { localBase, ROOT } from "./compile.ts";
import { type Target, TARGETS } from "./target.ts";

/** Nothing is released without these. */
const REQUIRED: readonly Target[] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/** The name that a release's binary goes by. */
export function releaseName(version: string, target: Target): string {
  return `toolgate-${version}-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/** One line a file, by name, as `sha256sum -c` reads it: hash, two blanks, name. */
export function sumsText(files: ReadonlyMap<string, Uint8Array>): string {
  return [...files].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`)
    .join("");
}

interface Release {
  /** None: all that can be built. */
  readonly targets: readonly Target[];
  readonly folder: string;
  readonly packagedBases: boolean;
  readonly report: (line: string) => void;
}

/** Throws Error where a target that was named, or is required, has no base. */
async function release({ targets, folder, packagedBases, report }: Release): Promise<void> {
  const needed = targets.length > 0 ? targets : REQUIRED;
  for (const target of needed) await localBase(target, !packagedBases);
  const options = await unsealed();
  const number = await version();
  const built = new Map<string, Uint8Array>();
  for (const target of targets.length > 0 ? targets : TARGETS) {
    if (!needed.includes(target) && !await hasBase(target, packagedBases)) {
      report(`${target}: left out, there is no compile base for it here`);
      continue;
    }
    const name = releaseName(number, target);
    const output = join(folder, name);
    await build({ ...options, target, output, release: !packagedBases, report });
    built.set(name, await Deno.readFile(output));
    report(`built ${relative(Deno.cwd(), output)}`);
  }
  await Deno.writeTextFile(join(folder, "SHA256SUMS"), sumsText(built));
}

async function hasBase(target: Target, packagedBases: boolean): Promise<boolean> {
  try {
    await localBase(target, !packagedBases);
    return true;
  } catch {
    return false;
  }
}

/** The default folder is ours and starts empty; another must be, so that nothing old is taken for new. */
async function openFolder(named: string | undefined): Promise<string> {
  const folder = named === undefined ? join(ROOT, "dist", "release") : resolve(named);
  if (named === undefined) await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  if ([...Deno.readDirSync(folder)].length > 0) {
    throw new Error(`${named ?? folder} is not empty: name a folder that is, or is not there`);
  }
  return folder;
}

async function main(args: readonly string[]): Promise<void> {
  const unknown: string[] = [];
  const options = parseArgs(args, {
    string: ["target", "output"],
    boolean: ["packaged-bases"],
    collect: ["target"],
    unknown: (arg) => {
      unknown.push(arg);
      return false;
    },
  });
  if (unknown.length > 0) {
    throw new Error(
      `unknown argument ${unknown[0]}; known: --target T, --output FOLDER, --packaged-bases`,
    );
  }
  if (options.output === "") throw new Error("--output needs a value");
  const targets = options.target.map((name) => {
    const target = TARGETS.find((known) => known === name);
    if (target === undefined) {
      throw new Error(`unknown target ${name}; known: ${TARGETS.join(", ")}`);
    }
    return target;
  });
  await release({
    targets: [...new Set(targets)],
    folder: await openFolder(options.output),
    packagedBases: options["packaged-bases"],
    report: (line) => console.error(line),
  });
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exitCode = 1;
  }
}
