/** Finding programs: over the trusted part of the search path only, and each only once. */

import { nearestOf } from "../../core/nearest.ts";
import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath, Program } from "../../core/capability.ts";
import { OWN_FOLDER } from "../../policy/match/own_folder.ts";
import { ToolError } from "../../core/errors.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import { isWithin } from "../../sandbox/within.ts";
import { resolvePath } from "../paths/canonicalize.ts";
import { createKernelProbe, type PathProbe, RUNTIME_PROBE } from "../paths/path_probe.ts";

/** Finds programs as a shell would, in what may be executed. */
export interface ProgramFinder {
  /**
   * The program that `name` means: a bare name over the search path, a path from `cwd`. Null where there is none,
   * or where it lies neither in the workspace (paths only) nor in what programs may execute. `own`: the folder that
   * the run has to itself, where it may have made one; rules call that `$TMPDIR/NAME`.
   */
  find(name: string, cwd: CanonicalPath, own?: CanonicalPath | null): Program | null;
  /** What a bare name that means none may have been meant to be. Takes the time of reading the folders. */
  near(name: string): NearPrograms;
  /** The folders that bare names are looked for in, as `PATH` has them. */
  readonly searchPath: string;
}

/** Where a program that was not found may be. */
export interface NearPrograms {
  /** Bare names that are found, the nearest first; three at most. */
  readonly names: readonly string[];
  /** The first folder of `PATH` that has a program of that name and is not looked in; null where none has. */
  readonly untrusted: string | null;
}

/** Nothing is known. */
export const NOTHING_NEAR: NearPrograms = { names: [], untrusted: null };

const ROOT = "/" as CanonicalPath;

/** What execvp(3) takes where there is no PATH, with the folders of administrators. */
const DEFAULT_SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/** What finding programs takes of a probe. */
export type ProgramProbe = Pick<PathProbe, "entryAt" | "isProgram" | "isStraight">;

/** Where programs are looked for, and how. */
export interface SearchOptions {
  /** `PATH`: of its entries count those that are absolute, outside the workspace and inside `system`. */
  readonly searchPath?: string;
  readonly probe?: ProgramProbe;
}

/**
 * A finder that remembers what it found: a search over many folders costs more than a small program's run.
 * `system` is what programs may read and execute beyond the workspace. It looks at nothing before it is
 * first asked.
 */
export function createProgramFinder(
  workspace: CanonicalPath,
  system: readonly string[],
  options: SearchOptions = {},
): ProgramFinder {
  let finder: ProgramFinder | null = null;
  const opened = (): ProgramFinder =>
    finder ??= openFinder(workspace, system, {
      searchPath: options.searchPath ?? Deno.env.get("PATH") ?? DEFAULT_SEARCH_PATH,
      probe: options.probe ?? availableProbe(),
    });
  return {
    find: (name, cwd, own) =>
      name === "" || name.includes("\0") ? null : opened().find(name, cwd, own),
    near: (name) => /[/\0]|^$/.test(name) ? NOTHING_NEAR : opened().near(name),
    get searchPath() {
      return opened().searchPath;
    },
  };
}

/** The runtime's, where it may look everywhere; else the kernel's, where there is one. */
function availableProbe(): ProgramProbe {
  if (Deno.permissions.querySync({ name: "read" }).state === "granted") return RUNTIME_PROBE;
  const libc = openLibc();
  return libc === null ? RUNTIME_PROBE : createKernelProbe(libc);
}

/** Near names that are told, and those that are looked at for it: not all that lies in such folders is a program. */
const MOST_NEAR = 3;
const MOST_TRIED = 12;

/** What lies in a folder; nothing where it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

function openFinder(
  workspace: CanonicalPath,
  systemPaths: readonly string[],
  { searchPath, probe }: Required<SearchOptions>,
): ProgramFinder {
  const real = (path: string, base: CanonicalPath = ROOT): CanonicalPath | null => {
    try {
      return resolvePath(base, path, probe.entryAt, probe.isStraight);
    } catch (error) {
      if (error instanceof ToolError) return null;
      throw error;
    }
  };
  const system = systemPaths.flatMap((path) => real(path) ?? []);
  const isTrusted = (path: CanonicalPath): boolean =>
    system.some((folder) => isWithin(folder, path)) && !isWithin(workspace, path);
  const places = searchPath.split(":").flatMap((folder) => {
    const path = folder.startsWith("/") ? real(folder) : null;
    return path === null ? [] : [{ folder, path, trusted: isTrusted(path) }];
  });
  const folders = places.filter(({ trusted }) => trusted).map(({ folder }) => folder);
  // What is not there may be installed later: only what was found is remembered, and nothing of the workspace.
  const known = new Map<string, Program>();
  const remember = (name: string, program: Program | null): Program | null => {
    if (program !== null && isTrusted(program.path)) known.set(name, program);
    return program;
  };
  const findBare = (name: string): Program | null =>
    known.get(name) ?? remember(name, searchBare(name));
  const searchBare = (name: string): Program | null => {
    for (const folder of folders) {
      const start = `${folder.replace(/\/+$/, "")}/${name}`;
      const path = real(start);
      if (path === null || !isTrusted(path) || !probe.isProgram(path)) continue;
      return { path, start, names: [...new Set([name, start, path])] };
    }
    return null;
  };
  /** The last part keeps its name (a multi-call binary reads it), all before it is resolved. */
  const findPath = (
    name: string,
    cwd: CanonicalPath,
    own: CanonicalPath | null = null,
  ): Program | null => {
    const last = baseName(name);
    const folder = real(name.slice(0, name.length - last.length), cwd);
    if (folder === null || last === "" || last === "." || last === "..") return null;
    const start = `${folder === "/" ? "" : folder}/${last}`;
    const path = real(start);
    if (path === null || !probe.isProgram(path)) return null;
    const isOwn = (one: string): boolean => own !== null && isWithin(own, one);
    if (!isTrusted(path) && !isWithin(workspace, path) && !isOwn(path)) return null;
    if (isOwn(start)) {
      const named = `${OWN_FOLDER}${start.slice(own?.length)}`;
      return { path, start, names: [...new Set([named, start, path])] };
    }
    const same = findBare(last)?.path === path;
    const names = same ? [last, start, path] : [start, path];
    return { path, start, names: [...new Set(names)] };
  };

  return {
    searchPath: folders.join(":"),
    near(name) {
      const there = folders.flatMap(namesIn).sort();
      const names = nearestOf(name, [...new Set(there)], MOST_TRIED)
        .filter((one) => findBare(one) !== null).slice(0, MOST_NEAR);
      const untrusted = places.find(({ path, trusted }) => {
        const program = trusted || isWithin(workspace, path) ? null : real(name, path);
        return program !== null && probe.isProgram(program);
      });
      return { names, untrusted: untrusted?.folder ?? null };
    },
    find(name, cwd, own) {
      if (!name.includes("/")) return findBare(name);
      if (!name.startsWith("/")) return findPath(name, cwd, own);
      return known.get(name) ?? remember(name, findPath(name, cwd, own));
    },
  };
}
