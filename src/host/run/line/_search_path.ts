/** Where programs are looked for once a line has put folders of its own before the others (`. venv/bin/activate`). */

import { normalize } from "@std/path";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { isWithin } from "../../../sandbox/within.ts";
import type { LineHost } from "./line_host.ts";

/** Where a line stands, and what its variables are. */
interface Standing {
  readonly directory: CanonicalPath;
  valueOf(name: string): string | undefined;
}

/**
 * The words with the first as the path that it leads to, where a folder in front of the search path has it. A program of
 * the system keeps its bare name.
 */
export function locate(
  words: readonly string[],
  state: Standing,
  { host, searchPath }: { readonly host: LineHost; readonly searchPath: string },
): readonly string[] {
  const [name = "", ...rest] = words;
  const path = state.valueOf("PATH") ?? "";
  if (path === searchPath || name.includes("/")) return words;
  for (const folder of addedFolders(path, searchPath) ?? []) {
    const candidate = `${folder.replace(/\/+$/, "")}/${name}`;
    if (host.isProgram(candidate, state.directory)) return [candidate, ...rest];
  }
  return words;
}

/** The folders before the search path; null where it is no search path with folders before it. */
export function addedFolders(path: string, searchPath: string): readonly string[] | null {
  if (path === searchPath) return [];
  if (!path.endsWith(`:${searchPath}`)) return null;
  const folders = path.slice(0, -searchPath.length - 1).split(":");
  return folders.every((folder) => folder.startsWith("/")) ? folders : null;
}

/** What a search path is held against. */
export interface Places {
  /** As it was when the line began. */
  readonly searchPath: string;
  /** Null where no line may change it: nothing holds programs to what they may start. */
  readonly workspace: CanonicalPath | null;
}

/** Throws where a line makes PATH something else than the search path with folders of the workspace before it. */
export function mustBeSearchPath(path: string, { searchPath, workspace }: Places): void {
  const folders = addedFolders(path, searchPath);
  const inside = (folder: string): boolean =>
    workspace !== null && isWithin(workspace, normalize(folder));
  if (folders?.every(inside) === true) return;
  throw new ToolError(
    "COMMAND_DENIED",
    "PATH may only get absolute folders of the workspace in front of what it was, where the kernel holds programs",
  );
}
