/** Where a repository lies: found by Toolgate itself, inside the workspace with all that it points to. */

import { ToolError } from "../../core/errors.ts";
import type { GitHome } from "../../core/git/settings.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { FileInfo, ReadFiles } from "../../core/tool.ts";
import { textOf } from "./names.ts";

/** Longer ones are no settings and no pointers that anybody wrote. */
const LONGEST_FILE = 1 << 20;
/** Alternates of alternates; git itself follows five (object-file.c). */
const MOST_ALTERNATES = 5;

/** Where a repository lies, relative to the workspace. */
export interface Place {
  readonly root: string;
  readonly folder: string;
}

/** The repository of exactly that folder: with files of its own, or bare; null where there is none. */
export function repositoryAt(tool: string, files: ReadFiles, root: string): Place | null {
  const dot = within(root, ".git");
  const found = look(files, dot);
  if (found?.type === "file") return { root, folder: pointed(tool, files, root, null) };
  const folder = found?.type === "directory" ? dot : root;
  const parts = ["HEAD", "objects", "refs"].map((name) => look(files, within(folder, name)));
  return parts.every((part) => part !== null) ? { root, folder } : null;
}

/** The nearest repository, from a folder upwards. Throws NOT_A_REPOSITORY, PATH_OUTSIDE_WORKSPACE. */
export function findPlace(
  tool: string,
  files: ReadFiles,
  start: string,
  home: GitHome | null,
): Place {
  for (let root = start;; root = above(root)) {
    const dot = within(root, ".git");
    const found = look(files, dot);
    if (found?.type === "symlink") throw leadsOut(tool, `${dot} is a symbolic link`);
    if (found?.type === "file") return { root, folder: pointed(tool, files, root, home) };
    if (found?.type === "directory" && look(files, `${dot}/HEAD`) !== null) {
      return { root, folder: dot };
    }
    if (root === "." || root.startsWith("/")) {
      throw new ToolError(
        "NOT_A_REPOSITORY",
        `${tool}: ${
          quoted(start)
        } lies in no git repository of the workspace that the policy lets ` +
          "be read (.git/**); name one as repository, or make one with `git init`",
      );
    }
  }
}

/**
 * FILE_NOT_FOUND and NOT_A_DIRECTORY: of a folder that is misspelt, another repository would be found above it. What may not
 * be seen may be one.
 */
export function requireFolder(tool: string, files: ReadFiles, start: string): void {
  if (start === ".") return;
  let found;
  try {
    found = files.find(start);
  } catch (error) {
    if (error instanceof ToolError) return;
    throw error;
  }
  if (found === null) {
    throw new ToolError("FILE_NOT_FOUND", `${tool}: repository: there is no ${quoted(start)}`);
  }
  if (found.type === "file") {
    throw new ToolError(
      "NOT_A_DIRECTORY",
      `${tool}: repository: ${quoted(start)} is a file; name the folder that it is in`,
    );
  }
}

/** The same files, of which each is looked at once: what is asked about one repository is asked as of one moment. */
export function seenOnce(files: ReadFiles): ReadFiles {
  const seen = new Map<string, FileInfo | null>();
  return {
    ...files,
    find(path) {
      const known = seen.get(path);
      if (known !== undefined) return known;
      const found = look(files, path);
      seen.set(path, found);
      return found;
    },
  };
}

/** What may not be seen is not there. */
export function look(files: ReadFiles, path: string): FileInfo | null {
  try {
    return files.find(path);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}

/** The text of a file; null where there is none that may be seen. */
export function textIn(files: ReadFiles, path: string): string | null {
  if (look(files, path)?.type !== "file") return null;
  return textOf(files.read(path, LONGEST_FILE).bytes);
}

/** gitrepository-layout(5): `gitdir: PATH`. The agent's own worktree leads to the one folder that is its own. */
function pointed(tool: string, files: ReadFiles, root: string, home: GitHome | null): string {
  const dot = within(root, ".git");
  const target = /^gitdir: ([^\n]+)\n*$/.exec(textIn(files, dot) ?? "")?.[1];
  if (home !== null && root === "." && target === home.own) return target;
  const folder = target === undefined ? null : inside(files, root, target);
  if (folder === null) throw leadsOut(tool, `the file ${dot} leads out of the workspace`);
  if (look(files, folder)?.type !== "directory") {
    throw leadsOut(tool, `the file ${dot} leads to no folder of the workspace`);
  }
  return folder;
}

/** The folder that all worktrees share; its own where it shares none. Throws PATH_OUTSIDE_WORKSPACE. */
export function commonOf(
  tool: string,
  files: ReadFiles,
  folder: string,
  home: GitHome | null,
): string {
  if (folder === home?.own) return home.common;
  const path = `${folder}/commondir`;
  if (look(files, path) === null) return folder;
  const common = inside(files, folder, (textIn(files, path) ?? "").replace(/\n+$/, ""));
  if (common === null) throw leadsOut(tool, `${path} leads out of the workspace`);
  return common;
}

/**
 * gitrepository-layout(5), `objects/info/alternates`: a folder of objects a line, comments with `#`. Throws
 * PATH_OUTSIDE_WORKSPACE for one that leads out.
 */
export function checkAlternates(
  tool: string,
  files: ReadFiles,
  objects: string,
  depth = MOST_ALTERNATES,
): void {
  const path = `${objects}/info/alternates`;
  if (look(files, path) === null) return;
  for (const line of (textIn(files, path) ?? "\0").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const other = line.startsWith('"') || objects.startsWith("/")
      ? null
      : inside(files, objects, line);
    if (other === null || depth === 0) {
      throw leadsOut(tool, `${path} leads out of the workspace`);
    }
    checkAlternates(tool, files, other, depth - 1);
  }
}

/** Throws PATH_OUTSIDE_WORKSPACE where a link lies there. */
export function requireNoLink(tool: string, files: ReadFiles, path: string): void {
  if (look(files, path)?.type === "symlink") {
    throw leadsOut(tool, `${path} is a symbolic link`);
  }
}

/** Throws GIT_ERROR where a pipe, a socket or a device lies there, which git would open and wait for. */
export function requireFile(tool: string, files: ReadFiles, path: string): void {
  if (look(files, path)?.type !== "other") return;
  throw new ToolError(
    "GIT_ERROR",
    `${tool}: ${printable(path)} is no file, and git would wait for it without end; remove it`,
  );
}

/** PATH_OUTSIDE_WORKSPACE. */
export function leadsOut(tool: string, what: string): ToolError {
  return new ToolError(
    "PATH_OUTSIDE_WORKSPACE",
    `${tool}: ${printable(what)}; git is only used on what lies in the workspace itself`,
  );
}

/** Where a pointer of the repository leads, relative to the workspace; null for outside of it, and where nothing is. */
export function inside(files: ReadFiles, from: string, target: string): string | null {
  if (target === "" || target.includes("\0")) return null;
  const absolute = target.startsWith("/");
  const base = absolute || from === "." ? [] : from.split("/");
  const parts = plainParts(base, target);
  if (parts === null) return null;
  if (!absolute) return parts.length === 0 ? "." : parts.join("/");
  const shown = files.display(`/${parts.join("/")}`);
  return shown.startsWith("/") ? null : shown;
}

/** Null where it climbs above the beginning. */
function plainParts(base: readonly string[], path: string): readonly string[] | null {
  const parts = [...base];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts;
}

/** The path of a name in a folder, which is `.` for the one that paths begin at. */
export function within(folder: string, name: string): string {
  return folder === "." ? name : `${folder}/${name}`;
}

function above(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "." : path.slice(0, slash);
}
