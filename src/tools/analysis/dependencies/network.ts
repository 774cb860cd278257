/** From the imports of all files to who imports whom. */

import type { Import } from "../_imports.ts";
import { languageOf } from "../../../toolkit/code/languages/languages.ts";
import { createEcmascript } from "./ecmascript.ts";
import { createGo, goNode } from "./go.ts";
import type { Manifests } from "../../../toolkit/project/manifests.ts";
import { createC, createJava, createShell } from "./others.ts";
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
  const resolvers = createResolvers(tree, manifests);
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
    const grammar = grammarOf(path);
    const from = named(nodeOf(path));
    const drawn = packages.get(from) ?? new Set<string>();
    if (grammar === "go") packages.set(from, drawn);
    const resolve = resolvers[grammar] ?? (() => [NOTHING]);
    for (const imported of imports) {
      const { module, line } = imported;
      const kind = grammar === "go" && path.endsWith("_test.go") ? "test" : imported.kind;
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
  return grammarOf(path) === "go" ? goNode(path) : path;
}

function grammarOf(path: string): string {
  const found = languageOf(path);
  return found !== null && "language" in found ? found.language.grammar : "bash";
}

function createResolvers(
  tree: Tree,
  manifests: Manifests,
): Readonly<Record<string, Resolve>> {
  const ecmascript = createEcmascript(tree, manifests);
  const c = createC(tree);
  return {
    typescript: ecmascript,
    tsx: ecmascript,
    javascript: ecmascript,
    python: createPython(tree, manifests),
    go: createGo(tree, manifests),
    rust: createRust(tree, manifests),
    java: createJava(tree),
    c,
    cpp: c,
    bash: createShell(tree),
  };
}
