/** The programs of a grant: which words may be started, and as what. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Destination } from "../../core/tool.ts";
import type { Grant, SpawnGrant } from "../../policy/grant.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { OwnStart } from "./program_holds.ts";

/** The entry of the grant for exactly these words. */
export function grantedSpawn(grant: Grant, argv: readonly string[], cwd: string): SpawnGrant {
  const entries = grant.spawn.filter((entry) =>
    entry.open !== true && entry.own === undefined && entry.argv.length === argv.length &&
    entry.argv.every((word, index) => word === argv[index])
  );
  const path = folderOf(grant, cwd);
  const entry = entries.length === 1 ? entries[0] : entries.find((entry) => entry.cwd === path);
  if (entry !== undefined) return entry;
  throw new ToolError(
    "COMMAND_DENIED",
    `"${
      argv[0] ?? ""
    }" with these arguments is none of the commands that were allowed for this call`,
  );
}

/** The entry for a hook in exactly that folder; null where it was left out. */
export function grantedHook(
  grant: Grant,
  argv: readonly string[],
  cwd: string,
): SpawnGrant | null {
  const path = folderOf(grant, cwd);
  return grant.spawn.find((entry) =>
    entry.own === undefined && entry.open !== true && entry.cwd === path &&
    entry.argv.length === argv.length && entry.argv.every((word, index) => word === argv[index])
  ) ?? null;
}

/** What a tool may start for its own use: where, and in which folders it writes. Throws COMMAND_DENIED, PATH_DENIED. */
export function grantedOwn(
  grant: Grant,
  argv: readonly string[],
  { cwd, writes, connects }: {
    readonly cwd: string;
    readonly writes: readonly string[];
    readonly connects?: Destination;
  },
): { readonly entry: SpawnGrant; readonly directory: CanonicalPath; readonly use: OwnStart } {
  const entry = grant.spawn.find(({ argv: [name], own }) => own !== undefined && name === argv[0]);
  if (entry?.own === undefined) {
    throw new ToolError("COMMAND_DENIED", `"${argv[0] ?? ""}" was not granted to this call`);
  }
  const folders = [cwd, ...writes].map((path) => folderOf(grant, path));
  const isPlain = (path: string): boolean =>
    path.split("/").slice(1).every((part) => part !== "" && part !== "." && part !== "..");
  const { home } = grant.git;
  const isOurs = (path: string): boolean =>
    isWithin(grant.workspace, path) || home !== null && isWithin(home.common, path);
  if (!folders.every((path) => isOurs(path) && isPlain(path))) {
    throw new ToolError("PATH_DENIED", `"${argv[0] ?? ""}" may only be used in the workspace`);
  }
  const [directory = grant.workspace, ...written] = folders;
  const { access, starts } = entry.own;
  const use = {
    argv: entry.argv,
    starts,
    writes: access === "write" ? written : [],
    ...(connects === undefined ? {} : { connects: true } as const),
  };
  return { entry, directory, use };
}

/** A folder of the workspace by its path in it. */
export function folderOf({ workspace }: Grant, path: string): CanonicalPath {
  if (path.startsWith("/")) return path as CanonicalPath;
  if (path === "." || path === "") return workspace;
  return `${workspace === "/" ? "" : workspace}/${path}` as CanonicalPath;
}

/** Judged before anything began, word for word and where it is. */
export function isSpawnGranted(
  grant: Grant,
  argv: readonly string[],
  directory: CanonicalPath,
): boolean {
  return grant.spawn.some((entry) =>
    entry.open !== true && entry.looks !== true && entry.own === undefined &&
    entry.cwd === directory && entry.argv.length === argv.length &&
    entry.argv.every((word, index) => word === argv[index])
  );
}

/** The program that this name was found to be; a path means something else in another directory. */
export function programOf(
  grant: Grant,
  [name = ""]: readonly string[],
  directory: CanonicalPath,
): Program | null {
  const entry = grant.spawn.find(({ argv, cwd, own }) =>
    own === undefined && argv[0] === name && (!name.includes("/") || cwd === directory)
  );
  return entry?.program ?? null;
}
