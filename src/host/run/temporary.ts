/** What a run's programs keep: a private folder for its time, and the caches of their workspace. */

import { joinedBytes } from "../../core/bytes.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { RunFolders } from "./kept_folders.ts";
import type { ProgramOptions } from "./program_options.ts";
import { removeTree } from "./remove_tree.ts";

/** What a run has of its own. */
export interface OwnFolders {
  readonly environment: Readonly<Record<string, string>>;
  /** The folder that is gone afterwards; null where there is none. */
  readonly temporary: CanonicalPath | null;
}

/**
 * Runs with a TMPDIR of its own where the policy gives programs one, and with the variables that lead caches out of a
 * home directory that programs cannot write to. What the policy or the call sets goes before.
 * `kept`: the TMPDIR is what this agent's lines have in place of /tmp, which goes with this process and not with the run.
 */
export async function inTemporary<T>(
  { temporaryRoot, caches, keptFolders = null }: Pick<
    ProgramOptions,
    "temporaryRoot" | "caches" | "keptFolders"
  >,
  environment: Readonly<Record<string, string>>,
  run: (own: OwnFolders) => Promise<T>,
  { kept = null }: { readonly kept?: string | null } = {},
): Promise<T> {
  if (temporaryRoot === null) {
    return await run({
      environment: { ...cacheVariables(caches, false), ...environment },
      temporary: null,
    });
  }
  const temporary = kept !== null
    ? keptFolder(temporaryRoot, kept)
    : keptFolders?.take() ?? makeFolder(temporaryRoot, keptFolders);
  // The one name that all look for (POSIX, 8.3); TMP and TEMP are names that people give variables of their own.
  const places = { TMPDIR: temporary };
  const variables = cacheVariables(caches ?? `${temporary}/.cache`, caches === null);
  try {
    return await run({ environment: { ...variables, ...environment, ...places }, temporary });
  } finally {
    if (kept === null && keptFolders !== null) keptFolders.give(temporary);
    else if (kept === null) removeTree(temporary);
  }
}

/** Characters of an agent's name, which policies give no more than 128. */
const MOST_NAME = 200;

/** Programs can make and remove in it, and cannot put another in its place: the folder around it is not theirs. */
function keptFolder(root: string, agent: string): CanonicalPath {
  const name = `tmp-${encodeURIComponent(agent).slice(0, MOST_NAME)}`;
  const folder = `${root}/${name}` as CanonicalPath;
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function makeFolder(root: string, kept: RunFolders | null): CanonicalPath {
  const folder = Deno.makeTempDirSync({ dir: root, prefix: "run-" }) as CanonicalPath;
  kept?.mark(folder);
  return folder;
}

/** What a line has said, with the folder under the name that the line has for it. */
export function asNamed(said: Uint8Array, folder: CanonicalPath): Uint8Array {
  const name = new TextEncoder().encode(folder);
  const own = new TextEncoder().encode("/tmp");
  const slash = name[0]!;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = said.indexOf(slash); at !== -1; at = said.indexOf(slash, at + 1)) {
    if (!name.every((byte, index) => said[at + index] === byte)) continue;
    parts.push(said.subarray(from, at), own);
    from = at + name.length;
    at = from - 1;
  }
  if (parts.length === 0) return said;
  return joinedBytes([...parts, said.subarray(from)]);
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
