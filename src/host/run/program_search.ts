/** Finding programs: over the trusted part of the search path only, and each only once. */

import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import { isWithin } from "../../sandbox/within.ts";
import { resolvePath } from "../paths/canonicalize.ts";
import { createKernelProbe, type PathProbe, RUNTIME_PROBE } from "../paths/path_probe.ts";

/** Finds programs as a shell would, in what may be executed. */
export interface ProgramFinder {
  /**
   * The program that `name` means: a bare name over the search path, a path from `cwd`. Null where there is none,
   * or where it lies neither in the workspace (paths only) nor in what programs may execute.
   */
  find(name: string, cwd: CanonicalPath): Program | null;
  /** The folders that bare names are looked for in, as `PATH` has them. */
  readonly searchPath: string;
}

const ROOT = "/" as CanonicalPath;

/** What execvp(3) takes where there is no PATH, with the folders of administrators. */
const DEFAULT_SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/** What finding programs takes of a probe. */
export type ProgramProbe = Pick<PathProbe, "entryAt" | "isProgram">;

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
    find: (name, cwd) => name === "" || name.includes("\0") ? null : opened().find(name, cwd),
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

function openFinder(
  workspace: CanonicalPath,
  systemPaths: readonly string[],
  { searchPath, probe }: Required<SearchOptions>,
): ProgramFinder {
  const real = (path: string, base: CanonicalPath = ROOT): CanonicalPath | null => {
    try {
      return resolvePath(base, path, probe.entryAt);
    } catch (error) {
      if (error instanceof ToolError) return null;
      throw error;
    }
  };
  const system = systemPaths.flatMap((path) => real(path) ?? []);
  const isTrusted = (path: CanonicalPath): boolean =>
    system.some((folder) => isWithin(folder, path)) && !isWithin(workspace, path);
  const folders = searchPath.split(":").filter((folder) => {
    if (!folder.startsWith("/")) return false;
    const path = real(folder);
    return path !== null && isTrusted(path);
  });
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
  const findPath = (name: string, cwd: CanonicalPath): Program | null => {
    const last = baseName(name);
    const folder = real(name.slice(0, name.length - last.length), cwd);
    if (folder === null || last === "" || last === "." || last === "..") return null;
    const start = `${folder === "/" ? "" : folder}/${last}`;
    const path = real(start);
    if (path === null || !probe.isProgram(path)) return null;
    if (!isTrusted(path) && !isWithin(workspace, path)) return null;
    const same = findBare(last)?.path === path;
    const names = same ? [last, start, path] : [start, path];
    return { path, start, names: [...new Set(names)] };
  };

  return {
    searchPath: folders.join(":"),
    find(name, cwd) {
      if (!name.includes("/")) return findBare(name);
      if (!name.startsWith("/")) return findPath(name, cwd);
      return known.get(name) ?? remember(name, findPath(name, cwd));
    },
  };
}
