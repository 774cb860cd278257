/** What `.gitignore` files name, for one walk through a tree (gitignore(5)). */

import type { Ignore } from "ignore";
import { ToolError } from "../../core/errors.ts";
import type { ReadContext } from "../../core/tool.ts";

/** Rules as they are found on the way; `add` a directory before asking for what lies in it. */
export interface IgnoreRules {
  /** Reads the directory's `.gitignore`, if there is one that may be read. */
  add(directory: string): void;
  /** The file or directory itself: what lies in an ignored directory is never asked for. */
  ignores(path: string, isDirectory: boolean): boolean;
}

const NAME = ".gitignore";

/** The `.gitignore` files of the directories above `path`, from the workspace on; none for paths with `..`. */
export function ignoreFilesAbove(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..")) return [];
  return parts.map((_, depth) => [...parts.slice(0, depth), NAME].join("/"));
}

/** Rules for a walk that starts in `start` (as results show it), with those above it. */
export async function createIgnoreRules(
  start: string,
  above: readonly string[],
  { files, limits }: ReadContext,
): Promise<IgnoreRules> {
  const { default: ignore } = await import("ignore");
  const decoder = new TextDecoder();
  const found: { readonly directory: string; readonly rules: Ignore }[] = [];

  function read(directory: string): void {
    const path = directory === "." ? NAME : `${directory}/${NAME}`;
    try {
      if (files.find(path)?.type !== "file") return;
      const rules = ignore({ ignorecase: false }).add(
        decoder.decode(files.read(path, limits.read).bytes),
      );
      found.push({ directory, rules });
    } catch (error) {
      // Denied, too large, gone: then it names nothing.
      if (!(error instanceof ToolError)) throw error;
    }
  }

  /** The innermost file that says anything of the path decides. */
  function ignores(path: string, isDirectory: boolean): boolean {
    for (let index = found.length - 1; index >= 0; index--) {
      const one = found[index];
      const below = one === undefined ? null : partBelow(one.directory, path);
      if (one === undefined || below === null) continue;
      const verdict = one.rules.test(isDirectory ? `${below}/` : below);
      if (verdict.ignored || verdict.unignored) return verdict.ignored;
    }
    return false;
  }

  for (const file of above) read(file === NAME ? "." : file.slice(0, -NAME.length - 1));
  // Whoever names an ignored directory wants to see into it.
  if (start !== "." && ignores(start, true)) found.length = 0;
  return { add: read, ignores };
}

/** The part of `path` below `directory`; null where it lies elsewhere. */
function partBelow(directory: string, path: string): string | null {
  if (directory === ".") return path.startsWith("/") ? null : path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null;
}
