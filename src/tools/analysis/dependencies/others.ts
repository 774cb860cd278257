/** What files of most languages name: other files by paths, or classes by packages. */

import { baseName } from "../../../core/path_text.ts";
import { below, folderOf } from "./paths.ts";
import {
  builtin,
  external,
  node,
  NOTHING,
  type Resolve,
  type Target,
  type Tree,
  UNRESOLVED,
} from "./target.ts";

/** Files by the last part of their paths. */
function byName(tree: Tree): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(tree.code, (path) => baseName(path));
}

/** Headers: beside the file, then wherever one path of the tree ends as the name does. */
export function createHeaders(tree: Tree): Resolve {
  const names = byName(tree);
  return (from, { module }) => {
    const name = module.slice(1, -1);
    const isSystem = module.startsWith("<");
    const beside = isSystem ? null : below(folderOf(from), name);
    if (beside !== null && tree.code.has(beside)) return [node(beside)];
    const ending = name.replace(/^(\.\.?\/)+/, "");
    const found = (names.get(baseName(ending)) ?? [])
      .filter((path) => path === ending || path.endsWith(`/${ending}`));
    const [only] = nearest(found, from);
    if (only !== undefined) return [node(only)];
    return [isSystem ? builtin(module) : UNRESOLVED];
  };
}

/** Those that share the longest path with a file; none where several do as well. */
function nearest(paths: readonly string[], from: string): readonly string[] {
  const shared = (path: string) => {
    let at = 0;
    while (at < path.length && path[at] === from[at]) at++;
    return at;
  };
  const longest = Math.max(0, ...paths.map(shared));
  const best = paths.filter((path) => shared(path) === longest);
  return best.length === 1 ? best : [];
}

/** A class by its package: the file whose path ends as its name does. `builtins`: what names of the runtime begin with. */
export function createClasses(
  tree: Tree,
  endings: readonly string[],
  builtins: readonly string[],
): Resolve {
  const names = byName(tree);
  return (_from, { module }) => {
    const parts = module.split(".");
    if (parts.at(-1) === "*") parts.pop();
    // A name of a class may follow, or two: of a static member, of a class within.
    for (let length = parts.length; length > Math.max(0, parts.length - 3); length--) {
      const name = parts.slice(0, length).join("/");
      for (const ending of endings) {
        const found = (names.get(`${parts[length - 1]}${ending}`) ?? [])
          .find((path) => endsWith(path, name + ending));
        if (found !== undefined) return [node(found)];
      }
    }
    const folder = parts.join("/");
    if (module.endsWith("*") && [...tree.folders].some((path) => endsWith(path, folder))) {
      return [NOTHING];
    }
    const [top = ""] = parts;
    if (builtins.includes(top)) {
      return [builtin(parts.slice(0, 2).join("."))];
    }
    const inner = parts.findIndex((part) => /^\p{Lu}/u.test(part));
    return [external(parts.slice(0, inner < 0 ? 3 : Math.min(inner, 3)).join("."))];
  };
}

function endsWith(path: string, ending: string): boolean {
  return path === ending || path.endsWith(`/${ending}`);
}

/** A script, beside the one that reads it or from the workspace: shells look from where they stand. */
export function createScripts(tree: Tree): Resolve {
  return (from, { module }): readonly Target[] => {
    const plain = module
      .replace(/^"?\$(\(dirname [^)]*\)|\{?(BASH_SOURCE%\/\*|DIR|SCRIPT_DIR|HERE)\}?)"?\//, "./");
    if (plain.includes("$")) return [UNRESOLVED];
    const candidates = [below(folderOf(from), plain), below(".", plain)];
    const found = candidates.find((path) => path !== null && tree.exists(path)) ?? null;
    return [found !== null ? node(found) : plain.startsWith("/") ? builtin(plain) : UNRESOLVED];
  };
}
