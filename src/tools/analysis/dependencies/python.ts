/** Modules of Python: relative ones by folder, absolute ones by the folders that a project's code may be started from. */

import type { Import } from "../_imports.ts";
import type { Manifests } from "../../../toolkit/project/manifests.ts";
import { below, folderOf, foldersAround } from "./paths.ts";
import { LIBRARY } from "./_python_library.ts";
import {
  builtin,
  external,
  node,
  type Resolve,
  type Target,
  type Tree,
  UNRESOLVED,
} from "./target.ts";

/** The packages that Python runs before a module in them, the innermost first. `has`: which files there are. */
export function packagesOf(path: string, has: (path: string) => boolean): readonly string[] {
  if (!/\.pyi?$/.test(path)) return [];
  const found: string[] = [];
  for (const folder of foldersAround(folderOf(path))) {
    const own = below(folder, "__init__.py");
    if (own === null || !has(own)) break;
    found.push(own);
  }
  return found;
}

/** Finds modules from the folders that Python would search. */
export function createPython(tree: Tree, manifests: Manifests): Resolve {
  const projects = ["pyproject.toml", "setup.py"].flatMap((name) =>
    manifests.named(name).map(folderOf)
  );
  const roots = [
    ...new Set([...projects, "."].flatMap((root) => [root, below(root, "src") ?? root])),
  ];

  /** The file of a module below a folder: a module, or a package. */
  const moduleIn = (folder: string, parts: readonly string[]): string | null => {
    const path = below(folder, parts.join("/"));
    if (path === null) return null;
    const candidates = path === "."
      ? ["__init__.py"]
      : [`${path}.py`, `${path}/__init__.py`, `${path}.pyi`, `${path}/__init__.pyi`];
    return candidates.find((each) => tree.code.has(each)) ?? null;
  };

  /** The folder that holds the outermost package of a file. */
  const outermost = (from: string): string => {
    let folder = folderOf(from);
    while (folder !== "." && tree.code.has(`${folder}/__init__.py`)) folder = folderOf(folder);
    return folder;
  };

  /** What `names` from a module are: modules of their own, or of it. */
  const take = (
    folder: string,
    parts: readonly string[],
    names: readonly string[],
  ): readonly Target[] => {
    const own = moduleIn(folder, parts);
    const inner = names.map((name) => moduleIn(folder, [...parts, ...name.split(".")]));
    const found = [
      ...inner.flatMap((path) => path ?? []),
      // Only a name that is no module makes the module itself be used.
      ...(own !== null && (names.length === 0 || inner.includes(null)) ? [own] : []),
    ];
    return [...new Set(found)].map(node);
  };

  const relative = (from: string, { module, names = [] }: Import): readonly Target[] => {
    const dots = /^\.+/.exec(module)?.[0].length ?? 1;
    let folder: string | null = folderOf(from);
    for (let up = 1; up < dots && folder !== null; up++) folder = below(folder, "..");
    if (folder === null) return [UNRESOLVED];
    const parts = module.slice(dots).split(".").filter((part) => part !== "");
    const found = take(folder, parts, names);
    return found.length > 0 ? found : [UNRESOLVED];
  };

  return (from, imported) => {
    const { module, names = [] } = imported;
    if (module.startsWith(".")) return relative(from, imported);
    const parts = module.split(".");
    const own = [outermost(from), folderOf(from)];
    const around = roots.filter((root) => foldersAround(folderOf(from)).includes(root));
    for (const root of new Set([...own, ...around, ...roots])) {
      const found = take(root, parts, names);
      // A module does not import itself by a name that stands for another one.
      if (found.some((target) => target.is === "node" && target.path !== from)) {
        return found.filter((target) => target.is !== "node" || target.path !== from);
      }
    }
    const [top = ""] = parts;
    if (LIBRARY.has(top)) return [builtin(top)];
    // A folder of the tree without a file for it: a package that is made elsewhere, or not yet.
    if (roots.some((root) => tree.folders.has(below(root, top) ?? "")) && parts.length > 1) {
      return [UNRESOLVED];
    }
    return [external(top, manifests.version("python", top))];
  };
}
