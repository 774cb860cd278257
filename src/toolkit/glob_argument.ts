/** Globs as arguments of tools. */

import { ToolError } from "../core/errors.ts";
import { compileGlob, type Glob, GlobError, type GlobPlace } from "../core/glob.ts";
import { quoted } from "../core/printable.ts";

/**
 * A glob, or what it does not match where it begins with `!`. Throws INVALID_PATTERN that names the argument. Without
 * a glob everything matches.
 */
export function globArgument(name: string, glob = "**"): Glob {
  try {
    return glob.startsWith("!") ? without(compileGlob(glob.slice(1))) : compileGlob(glob);
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

function without({ start, matches }: Glob): Glob {
  return { start: outside(start), matches: (path) => !matches(path), namesHidden: false };
}

/** `null`: where nothing can match, all does. */
function outside(place: GlobPlace | null): GlobPlace {
  const here: GlobPlace = {
    matches: (name) => place?.matches(name) !== true,
    into(name) {
      const below = place?.into(name) ?? null;
      return below === place ? here : outside(below);
    },
  };
  return here;
}
