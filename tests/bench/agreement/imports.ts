/** Who imports whom, beside madge, dependency-cruiser, `go list` and `cargo metadata`. */

import { join, relative } from "@std/path";
import { type Ask, compared, type Explain, printed, sourcesOf } from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

interface Graph {
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly external: readonly {
    readonly name: string;
    readonly builtin?: boolean;
    readonly used_by: readonly string[];
  }[];
}

/** A line for each program that is here; `tree`: sources of TypeScript. */
export function importGraphs(ask: Ask, tree: string): readonly Agreement[] {
  return [...byMadge(ask, tree), ...byCruiser(ask, tree), ...byGoList(ask), ...byCargo(ask)];
}

function graphOf(ask: Ask, root: string): Graph {
  return ask(root, "analyze_dependencies", {}) as unknown as Graph;
}

function edgesOf({ edges }: Graph): readonly string[] {
  return [...new Set(edges.map(({ from, to }) => `${from} → ${to}`))];
}

function byMadge(ask: Ask, tree: string): readonly Agreement[] {
  const text = printed("madge", ["--json", "--extensions", "ts", "."], tree);
  if (text === null) return [];
  const theirs = Object.entries(JSON.parse(text) as Record<string, readonly string[]>)
    .flatMap(([from, others]) => others.map((to) => `${from} → ${to}`));
  return [compared("imports of TypeScript", "madge", theirs, edgesOf(graphOf(ask, tree)))];
}

interface Cruised {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly {
      readonly resolved: string;
      readonly couldNotResolve: boolean;
    }[];
  }[];
}

function byCruiser(ask: Ask, tree: string): readonly Agreement[] {
  const args = ["--no-config", "--ts-pre-compilation-deps", "--output-type", "json", "."];
  const text = printed("depcruise", args, tree);
  if (text === null) return [];
  const { modules } = JSON.parse(text) as Cruised;
  const files = new Set(modules.map(({ source }) => source));
  const theirs = modules.flatMap(({ source, dependencies }) =>
    dependencies.filter(({ resolved, couldNotResolve }) => !couldNotResolve && files.has(resolved))
      .map(({ resolved }) => `${source} → ${resolved}`)
  ).filter((edge) => !edge.includes("node_modules"));
  const own = edgesOf(graphOf(ask, tree));
  const explain: Explain = (edge) =>
    / → [a-z_]+(\/[a-z]+)?$/.test(edge) ? "a module of Node's own" : null;
  return [
    compared("imports of TypeScript", "dependency-cruiser", [...new Set(theirs)], own, explain),
  ];
}

interface GoPackage {
  readonly ImportPath: string;
  readonly Dir: string;
  readonly Imports?: readonly string[];
  readonly TestImports?: readonly string[];
  readonly XTestImports?: readonly string[];
}

/** Of the toolchain's own commands, a module of its own; of other files than this machine's, `go list` says nothing. */
function byGoList(ask: Ask): readonly Agreement[] {
  const goRoot = printed("go", ["env", "GOROOT"], ".")?.trim();
  if (goRoot === undefined || goRoot === "") return [];
  const root = Deno.realPathSync(join(goRoot, "src/cmd"));
  const fields = "-json=ImportPath,Dir,Imports,TestImports,XTestImports";
  const text = printed("go", ["list", "-e", fields, "./..."], root);
  if (text === null) return [];
  const packages = JSON.parse(`[${text.replaceAll(/^}\n\{/gm, "},{")}]`) as readonly GoPackage[];
  const folders = new Map(
    packages.map(({ ImportPath, Dir }) =>
      [ImportPath, relative(root, Deno.realPathSync(Dir))] as const
    ),
  );
  const theirs = new Set(packages.flatMap((each) => {
    const from = folders.get(each.ImportPath);
    return [each.Imports, each.TestImports, each.XTestImports].flatMap((list) => list ?? [])
      .map((path) => folders.get(path))
      .flatMap((to) => to === undefined || to === from ? [] : [`${from} → ${to}`]);
  }));
  const known = new Set(folders.values());
  const ours = graphOf(ask, root).edges
    .filter(({ from, to }) => known.has(from) && known.has(to) && from !== to)
    .map(({ from, to }) => `${from} → ${to}`);
  return [compared("imports of Go's commands", "go list", [...theirs], [...new Set(ours)])];
}

interface CargoPackage {
  readonly name: string;
  readonly manifest_path: string;
  readonly dependencies: readonly { readonly name: string }[];
}

/** Crates that each crate of a workspace says it needs, beside those that its code names. */
function byCargo(ask: Ask): readonly Agreement[] {
  const root = sourcesOf("rust");
  const args = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
  const text = root === null ? null : printed("cargo", args, root);
  if (root === null || text === null) return [];
  const { packages } = JSON.parse(text) as { packages: readonly CargoPackage[] };
  const names = new Map(
    packages.map(({ name, manifest_path }) =>
      [relative(root, join(manifest_path, "..")), name] as const
    ),
  );
  const crateOf = (file: string): string => {
    const parts = file.split("/").slice(0, -1);
    for (; parts.length > 0; parts.pop()) {
      const name = names.get(parts.join("/"));
      if (name !== undefined) return name;
    }
    return names.get("") ?? "";
  };
  const theirs = packages.flatMap(({ name, dependencies }) =>
    dependencies.map((each) => `${name} → ${each.name}`)
  );
  const graph = graphOf(ask, root);
  const ours = [
    ...graph.edges.map(({ from, to }) => [crateOf(from), crateOf(to)] as const),
    ...graph.external.filter(({ builtin }) => builtin !== true)
      .flatMap(({ name, used_by }) => used_by.map((file) => [crateOf(file), name] as const)),
  ].filter(([from, to]) => from !== to).map(([from, to]) => `${from} → ${to}`);
  const explain: Explain = (_edge, side) =>
    side === "there"
      ? "said to be needed, but named in attributes and macros alone, or nowhere"
      : "needed by a crate that is in the folder and not of the workspace";
  const own = [...new Set(ours)];
  return [compared("crates that code names", "cargo metadata", [...new Set(theirs)], own, explain)];
}
