/** What a run's programs keep: a private folder for its time, and the caches of their workspace. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { KeptFolders } from "./kept_folders.ts";
import type { ProgramOptions } from "./program_options.ts";

/** What a run has of its own. */
export interface OwnFolders {
  readonly environment: Readonly<Record<string, string>>;
  /** The folder that is gone afterwards; null where there is none. */
  readonly temporary: CanonicalPath | null;
}

/**
 * Runs with a TMPDIR of its own where the policy gives programs one, and with the variables that lead caches out of a
 * home directory that programs cannot write to. What the policy or the call sets goes before.
 */
export async function inTemporary<T>(
  { temporaryRoot, caches, keptFolders = null }: Pick<
    ProgramOptions,
    "temporaryRoot" | "caches" | "keptFolders"
  >,
  environment: Readonly<Record<string, string>>,
  run: (own: OwnFolders) => Promise<T>,
): Promise<T> {
  if (temporaryRoot === null) {
    return await run({
      environment: { ...cacheVariables(caches, false), ...environment },
      temporary: null,
    });
  }
  const temporary = keptFolders?.take() ?? makeFolder(temporaryRoot, keptFolders);
  // The one name that all look for (POSIX, 8.3); TMP and TEMP are names that people give variables of their own.
  const places = { TMPDIR: temporary };
  const kept = cacheVariables(caches ?? `${temporary}/.cache`, caches === null);
  try {
    return await run({ environment: { ...kept, ...environment, ...places }, temporary });
  } finally {
    if (keptFolders?.give(temporary) !== true) removeTree(temporary);
  }
}

function makeFolder(root: string, kept: KeptFolders | null): CanonicalPath {
  const folder = Deno.makeTempDirSync({ dir: root, prefix: "run-" }) as CanonicalPath;
  kept?.mark(folder);
  return folder;
}

/** What a folder of caches has for Go (`go help environment`, GOENV). */
export const GO_SETTINGS = "go-env";

/** Its text, for a folder of caches. */
export function goSettings(folder: string): string {
  return `GOPATH=${folder}/go\nGOCACHE=${folder}/go-build\n`;
}

/**
 * `passing`: it is gone with the run.
 * XDG Base Directory Specification (pip, mypy, black, deno and most others), npm-config(7), `go help environment`, the
 * Cargo book (Environment Variables), yarn's and gradle's documentation.
 */
function cacheVariables(
  folder: string | null,
  passing: boolean,
): Readonly<Record<string, string>> {
  if (folder === null) return {};
  // Where a folder stays, a file of settings says where Go's lie: one name that looks like no other's PATH.
  const go = passing
    ? { GOPATH: `${folder}/go`, GOCACHE: `${folder}/go-build` }
    : { GOENV: `${folder}/${GO_SETTINGS}` };
  return {
    ...go,
    XDG_CACHE_HOME: folder,
    npm_config_cache: `${folder}/npm`,
    CARGO_HOME: `${folder}/cargo`,
    YARN_CACHE_FOLDER: `${folder}/yarn`,
    GRADLE_USER_HOME: `${folder}/gradle`,
  };
}

/** Removes the folder; a program that hangs in the kernel may still have a file there: the sweep of the root takes it. */
export function removeTree(folder: string): void {
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    try {
      // Go keeps its modules in folders that nobody may write to (`go help modcache`).
      openFolders(folder);
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // It is left for the system's own sweep.
    }
  }
}

function openFolders(folder: string): void {
  Deno.chmodSync(folder, 0o700);
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) openFolders(`${folder}/${name}`);
  }
}
