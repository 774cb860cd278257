/** Packages of Go: folders, by the module whose `go.mod` lies around them. */

import type { Manifests } from "../../../toolkit/project/manifests.ts";
import { below, folderOf, foldersAround } from "./paths.ts";
import {
  builtin,
  external,
  node,
  type Resolve,
  type Target,
  type Tree,
  UNRESOLVED,
} from "./target.ts";

interface Module {
  readonly path: string;
  readonly folder: string;
  /** Version by module. */
  readonly required: ReadonlyMap<string, string>;
  /** Folders that stand for modules. */
  readonly replaced: ReadonlyMap<string, string>;
}

/** Finds packages by the modules of the tree; what no module of it has is somebody else's. */
export function createGo(tree: Tree, manifests: Manifests): Resolve {
  const modules = manifests.named("go.mod").flatMap((path) => {
    const read = readModule(manifests.text(path) ?? "", folderOf(path));
    return read === null ? [] : [read];
  });
  const around = (from: string): Module | undefined => {
    const folders = foldersAround(folderOf(from));
    return folders.flatMap((folder) => modules.find((each) => each.folder === folder) ?? [])[0];
  };
  return (from, { module }) => {
    if (module === "C" || module === "unsafe") return [builtin(module)];
    const own = around(from);
    if (module.startsWith(".")) return [packageAt(tree, below(folderOf(from), module))];
    for (const each of [...(own === undefined ? [] : [own]), ...modules]) {
      const rest = within(each.path, module);
      if (rest !== null) return [packageAt(tree, below(each.folder, rest))];
    }
    for (const [path, folder] of own?.replaced ?? []) {
      const rest = within(path, module);
      if (rest !== null) return [packageAt(tree, below(folder, rest))];
    }
    const [host = ""] = module.split("/");
    if (!host.includes(".")) return [builtin(module)];
    const required = [...own?.required.keys() ?? []]
      .filter((path) => within(path, module) !== null)
      .sort((a, b) => b.length - a.length)[0];
    const name = required ?? module.split("/").slice(0, 3).join("/");
    return [external(name, own?.required.get(name))];
  };
}

function packageAt(tree: Tree, folder: string | null): Target {
  return folder !== null && tree.folders.has(folder) ? node(folder) : UNRESOLVED;
}

/** What of an import lies in a module: `.` for itself; null where it is another's. */
function within(module: string, imported: string): string | null {
  if (imported === module) return ".";
  return imported.startsWith(`${module}/`) ? imported.slice(module.length + 1) : null;
}

function readModule(text: string, folder: string): Module | null {
  const bare = text.replace(/\/\/[^\n]*/g, "");
  const path = /^\s*module\s+"?([^\s"]+)"?/m.exec(bare)?.[1];
  if (path === undefined) return null;
  const lines = [
    ...[...bare.matchAll(/^\s*(require|replace)\s*\(([^)]*)\)/gm)].flatMap((
      [, word = "", inner = ""],
    ) => inner.split("\n").map((line) => `${word} ${line.trim()}`)),
    ...bare.split("\n").map((line) => line.trim()),
  ];
  const required = new Map<string, string>();
  const replaced = new Map<string, string>();
  for (const line of lines) {
    const [, module, version] = /^require\s+([^\s(]+)\s+(v[^\s]+)/.exec(line) ?? [];
    if (module !== undefined && version !== undefined) required.set(module, version);
    const [, from, to] = /^replace\s+([^\s(]+)(?:\s+v\S+)?\s+=>\s+(\.\S*)/.exec(line) ?? [];
    const place = to === undefined ? null : below(folder, to);
    if (from !== undefined && place !== null) replaced.set(from, place);
  }
  return { path, folder, required, replaced };
}

/** A file is of its folder's package: what a package imports of itself is nothing. */
export function goNode(path: string): string {
  return folderOf(path);
}
