/** From the imports of all files to who imports whom. */

import type { Import } from "../_imports.ts";
import type { Language, ModuleRule } from "../../../toolkit/code/languages/language.ts";
import { languageOf } from "../../../toolkit/code/languages/languages.ts";
import { SHELL } from "../../../toolkit/code/languages/shell.ts";
import { createEcmascript } from "./ecmascript.ts";
import { createGo, goNode } from "./go.ts";
import type { Manifests } from "../../../toolkit/project/manifests.ts";
import { createClasses, createHeaders, createScripts } from "./others.ts";
import { folderOf, foldersAround } from "./paths.ts";
import { createPython } from "./python.ts";
import { createRust } from "./rust.ts";
import { NOTHING, type Resolve, type Target, type Tree } from "./target.ts";

/** A file, and what it imports. */
export interface Importer {
  readonly path: string;
  readonly imports: readonly Import[];
}

/** That one file imports another, first on this line. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly line: number;
}

/** A package of somebody else, and the files that use it. */
export interface External {
  readonly name: string;
  readonly version?: string;
  readonly builtin?: true;
  readonly used_by: readonly string[];
}

/** All that the files of a tree import. */
export interface Network {
  readonly nodes: readonly string[];
  /** One for each pair and kind, at its first line. */
  readonly edges: readonly Edge[];
  readonly external: readonly External[];
  /** The first of them, and how many there are. */
  readonly unresolved: readonly Unresolved[];
  readonly unresolvedTotal: number;
}

/** An import that leads to nothing that is there. */
export interface Unresolved {
  readonly from: string;
  /** As the file names it. */
  readonly module: string;
  readonly line: number;
}

/** `exists`: whether a file that is no code is there, and may be seen. `room`: how many imports that lead nowhere are kept. */
export function networkOf(
  importers: readonly Importer[],
  manifests: Manifests,
  exists: (path: string) => boolean,
  room: number,
  pause: () => void,
): Network {
  const code = new Set(importers.map(({ path }) => path));
  const folders = new Set([...code].flatMap((path) => foldersAround(folderOf(path))));
  const tree: Tree = { code, folders, exists: (path) => code.has(path) || exists(path) };
  const resolverOf = createResolvers(tree, manifests);
  // One string for each name: those that resolving makes are as many as there are imports.
  const nodes = new Map<string, string>();
  const named = (name: string): string => {
    const known = nodes.get(name);
    if (known === undefined) nodes.set(name, name);
    return known ?? name;
  };
  const edges: Edge[] = [];
  /** Of packages of Go, which are several files: what has an edge already. */
  const packages = new Map<string, Set<string>>();
  const external = new Map<string, { target: Target & { is: "external" }; users: Set<string> }>();
  const unresolved: Unresolved[] = [];
  let unresolvedTotal = 0;
  for (const { path, imports } of importers) {
    pause();
    const language = languageAt(path);
    const isGo = language.modules?.by === "go";
    const from = named(nodeOf(path));
    const drawn = packages.get(from) ?? new Set<string>();
    if (isGo) packages.set(from, drawn);
    const resolve = resolverOf(language);
    for (const imported of imports) {
      const { module, line } = imported;
      const kind = isGo && path.endsWith("_test.go") ? "test" : imported.kind;
      for (const target of resolve(path, imported)) {
        if (target.is === "unresolved") {
          if (unresolvedTotal++ < room) unresolved.push({ from: path, module, line });
        } else if (target.is === "node") {
          const to = named(target.path);
          const key = `${kind} ${to}`;
          if (from === to || drawn.has(key)) continue;
          drawn.add(key);
          edges.push({ from, to, kind, line });
        } else if (target.is === "external") {
          const key = `${target.name} ${target.version ?? ""}`;
          const known = external.get(key) ?? { target, users: new Set() };
          known.users.add(from);
          external.set(key, known);
        }
      }
    }
  }
  return {
    nodes: [...nodes.keys()].sort(),
    edges,
    external: [...external.values()].map(({ target, users }) => ({
      name: target.name,
      ...(target.version === undefined ? {} : { version: target.version }),
      ...(target.builtin === undefined ? {} : { builtin: target.builtin }),
      used_by: [...users],
    })).sort((a, b) => b.used_by.length - a.used_by.length || (a.name < b.name ? -1 : 1)),
    unresolved,
    unresolvedTotal,
  };
}

/** Files, but of Go their packages. */
function nodeOf(path: string): string {
  return languageAt(path).modules?.by === "go" ? goNode(path) : path;
}

/** Code whose name says nothing of its language is taken for a script. */
function languageAt(path: string): Language {
  const found = languageOf(path);
  return found !== null && "language" in found ? found.language : SHELL;
}

/** How imports of each language are found, made for the first file in it. */
function createResolvers(tree: Tree, manifests: Manifests): (language: Language) => Resolve {
  const made = new Map<ModuleRule | undefined, Resolve>();
  return (language) => {
    let resolve = made.get(language.modules);
    if (resolve === undefined) {
      resolve = createResolver(language, tree, manifests);
      made.set(language.modules, resolve);
    }
    return resolve;
  };
}

function createResolver(
  { modules, endings }: Language,
  tree: Tree,
  manifests: Manifests,
): Resolve {
  switch (modules?.by) {
    case "ecmascript":
      return createEcmascript(tree, manifests);
    case "python":
      return createPython(tree, manifests);
    case "go":
      return createGo(tree, manifests);
    case "rust":
      return createRust(tree, manifests);
    case "classes":
      return createClasses(tree, endings, modules.builtin);
    case "headers":
      return createHeaders(tree);
    case "scripts":
      return createScripts(tree);
    case undefined:
      return () => [NOTHING];
  }
}
