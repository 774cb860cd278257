/** Paths of a workspace, as results show them. */

import { baseName } from "../../../core/path_text.ts";

/** The folder of a file, or of a folder; `.` of what lies in the workspace itself. */
export function folderOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : path.slice(0, at) || "/";
}

/** A path from a folder, without `.` and `..`; null where it leads out of the workspace. */
export function below(folder: string, path: string): string | null {
  const parts = folder === "." ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/") || ".";
}

/** A folder and those around it, the innermost first, `.` last. */
export function foldersAround(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder; at !== "." && at !== "/"; at = folderOf(at)) found.push(at);
  return [...found, "."];
}

/** The name of a file without its last ending. */
export function stemOf(path: string): string {
  const name = baseName(path);
  const at = name.lastIndexOf(".");
  return at <= 0 ? name : name.slice(0, at);
}
