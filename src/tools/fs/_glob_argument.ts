/** Globs as arguments of tools. */

import { ToolError } from "../../core/errors.ts";
import { compileGlob, GlobError, type GlobMatcher } from "../../core/glob.ts";
import { quoted } from "../../core/printable.ts";

/** Throws INVALID_PATTERN that names the argument. Without a glob everything matches. */
export function globArgument(name: string, glob: string | undefined): GlobMatcher {
  if (glob === undefined) return () => true;
  try {
    return compileGlob(glob);
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    throw new ToolError("INVALID_PATTERN", `${name}: ${quoted(glob)} is no glob: ${error.message}`);
  }
}

/** The part of `path` below `directory`, both as results show them. */
export function pathBelow(directory: string, path: string): string {
  if (directory === ".") return path;
  const prefix = directory.endsWith("/") ? directory : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
