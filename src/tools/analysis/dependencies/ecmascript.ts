/** Modules of TypeScript and JavaScript: as Node, Deno and the compiler of TypeScript find them. */

import { below, folderOf, foldersAround } from "./paths.ts";
import {
  type Fields,
  fieldsIn,
  fieldsOf,
  listIn,
  textIn,
} from "../../../toolkit/project/fields.ts";
import type { Manifests } from "../../../toolkit/project/manifests.ts";
import {
  builtin,
  external,
  node,
  type Resolve,
  type Target,
  type Tree,
  UNRESOLVED,
} from "./target.ts";

/** What a path without an ending may end with, in the order of TypeScript. */
const ENDINGS = [
  ".ts",
  ".tsx",
  ".d.ts",
  ".mts",
  ".cts",
  ".js",
  ".jsx",
  ".mjs",
  ".cjs",
  ".d.mts",
  ".d.cts",
  ".json",
];

/** The same for a file that runs as it is: what is made of a source comes before its declarations. */
const RUN = [".js", ".cjs", ".mjs", ".jsx", ".json"];
const ENDINGS_OF_RUN = [...RUN, ...ENDINGS.filter((ending) => !RUN.includes(ending))];

/** What an ending in an import may stand for in the source. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".d.ts", ".jsx"],
  ".jsx": [".tsx", ".d.ts"],
  ".mjs": [".mts", ".d.mts"],
  ".cjs": [".cts", ".d.cts"],
};

/** Conditions of `exports` that code within the project takes, in the order in which they are tried. */
const CONDITIONS = ["types", "deno", "import", "module", "node", "browser", "require", "default"];

/** Settings that extend one another further than this are a circle. */
const MOST_EXTENDED = 8;

/** The modules that Node.js has itself (nodejs.org/api, `module.builtinModules`, those without a prefix). */
const NODE = new Set(
  ("assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain " +
    "events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl " +
    "stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib")
    .split(" "),
);

/** Finds modules by path, by the fields of manifests, and by what TypeScript's configuration maps. */
export function createEcmascript(tree: Tree, manifests: Manifests): Resolve {
  const packages = new Map<string, string>();
  for (const path of manifests.named("package.json")) {
    const name = textIn(manifests.json(path), "name");
    if (name !== null && !packages.has(name)) packages.set(name, folderOf(path));
  }
  for (const path of [...manifests.named("deno.json"), ...manifests.named("deno.jsonc")]) {
    const name = textIn(manifests.json(path), "name");
    if (name !== null && !packages.has(name)) packages.set(name, folderOf(path));
  }
  const typed = new Resolver(tree, manifests, packages, ENDINGS);
  const run = new Resolver(tree, manifests, packages, ENDINGS_OF_RUN);
  return (from, { module }) => {
    const resolver = RUN.some((ending) => from.endsWith(ending)) ? run : typed;
    return [resolver.resolve(from, module)];
  };
}

class Resolver {
  readonly #tree: Tree;
  readonly #manifests: Manifests;
  /** Folders of the packages of the tree, by name. */
  readonly #packages: ReadonlyMap<string, string>;
  readonly #endings: readonly string[];

  constructor(
    tree: Tree,
    manifests: Manifests,
    packages: ReadonlyMap<string, string>,
    endings: readonly string[],
  ) {
    this.#endings = endings;
    this.#tree = tree;
    this.#manifests = manifests;
    this.#packages = packages;
  }

  resolve(from: string, module: string): Target {
    const folder = folderOf(from);
    const bare = module.replace(/[?#].*$/, "") || module;
    if (/^\.{0,2}\//.test(bare) || bare === "." || bare === "..") {
      const path = bare.startsWith("/") ? below(".", bare) : below(folder, bare);
      return this.#file(path) ?? UNRESOLVED;
    }
    return this.#mapped(folder, bare) ?? this.#named(folder, bare);
  }

  /** By the import map, or the paths of the compiler's settings, that hold in a folder. */
  #mapped(folder: string, module: string): Target | null {
    for (const around of foldersAround(folder)) {
      for (const name of ["deno.json", "deno.jsonc", "import_map.json"]) {
        const path = below(around, name) ?? name;
        const found = byImportMap(fieldsIn(this.#manifests.json(path), "imports"), module);
        if (found === null) continue;
        if (/^\.{0,2}\//.test(found)) return this.#file(below(around, found)) ?? UNRESOLVED;
        return this.#named(folder, found);
      }
      if (module.startsWith("#")) {
        const own = fieldsIn(this.#manifests.json(below(around, "package.json") ?? ""), "imports");
        const found = own === null ? null : exported(own, module);
        if (found !== null) return this.#file(below(around, found)) ?? this.#named(folder, found);
      }
      for (const name of ["tsconfig.json", "jsconfig.json"]) {
        const path = below(around, name) ?? name;
        if (this.#manifests.text(path) === null) continue;
        return this.#byPaths(path, module, MOST_EXTENDED);
      }
    }
    return null;
  }

  #byPaths(settings: string, module: string, depth: number): Target | null {
    const read = this.#manifests.json(settings);
    const options = fieldsIn(read, "compilerOptions");
    const base = textIn(options, "baseUrl");
    const folder = below(folderOf(settings), base ?? ".") ?? ".";
    const paths = fieldsIn(options, "paths");
    for (const [pattern, targets] of Object.entries(paths ?? {})) {
      const rest = restOf(pattern, module);
      if (rest === null || !Array.isArray(targets)) continue;
      for (const target of targets) {
        if (typeof target !== "string") continue;
        const found = this.#file(below(folder, target.replace("*", rest)));
        if (found !== null) return found;
      }
    }
    if (base !== null) {
      const found = this.#file(below(folder, module));
      if (found !== null) return found;
    }
    const extended = [textIn(read, "extends"), ...listIn(read, "extends")];
    for (const each of extended) {
      if (typeof each !== "string" || !each.startsWith(".") || depth === 0) continue;
      const path = below(folderOf(settings), each.endsWith(".json") ? each : `${each}.json`);
      const found = path === null ? null : this.#byPaths(path, module, depth - 1);
      if (found !== null) return found;
    }
    return null;
  }

  /** A package: of the tree, of Node, or of somebody else. */
  #named(folder: string, module: string): Target {
    const [, scheme, rest = ""] = /^(node|npm|jsr|bun):\/?(.*)$/.exec(module) ?? [];
    if (scheme === "node" || scheme === "bun") return builtin(module);
    if (/^(https?|data|blob|file):/.test(module)) return external(module);
    const [, name = "", version, inner = ""] =
      /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]+))?(\/.*)?$/.exec(scheme === undefined ? module : rest) ??
        [];
    if (name === "") return UNRESOLVED;
    const own = this.#packages.get(name);
    if (own !== undefined) return this.#inPackage(own, `.${inner}`) ?? UNRESOLVED;
    if (scheme === undefined && NODE.has(name)) return builtin(`node:${name}`);
    const locked = this.#manifests.version("npm", name);
    const exact = version !== undefined && /^\d/.test(version) ? version : undefined;
    return external(
      scheme === "jsr" ? `jsr:${name}` : name,
      exact ?? locked ?? this.#ranged(folder, name),
    );
  }

  /** The range that the nearest package asks for, where it is a version. */
  #ranged(folder: string, name: string): string | undefined {
    for (const around of foldersAround(folder)) {
      const own = this.#manifests.json(below(around, "package.json") ?? "");
      for (const kind of ["dependencies", "devDependencies", "peerDependencies"]) {
        const range = textIn(fieldsIn(own, kind), name);
        if (range !== null && /^\d+\.\d+\.\d+/.test(range)) return range;
      }
    }
    return undefined;
  }

  #inPackage(folder: string, path: string): Target | null {
    const own = this.#manifests.json(below(folder, "package.json") ?? "") ??
      this.#manifests.json(below(folder, "deno.json") ?? "");
    const exports = own?.["exports"];
    const map = typeof exports === "string" ? { ".": exports } : fieldsOf(exports);
    if (map !== null) {
      const isMap = Object.keys(map).some((key) => key.startsWith("."));
      const found = exported(isMap ? map : { ".": map }, path);
      const file = found === null ? null : this.#file(below(folder, found));
      if (file !== null) return file;
    }
    if (path !== ".") {
      return this.#file(below(folder, path)) ?? this.#file(below(`${folder}/src`, path));
    }
    for (const field of ["source", "types", "module", "main"]) {
      const main = textIn(own, field);
      const file = main === null ? null : this.#file(below(folder, main));
      if (file !== null) return file;
    }
    return this.#file(folder) ?? this.#file(below(folder, "src")) ??
      this.#file(below(folder, "mod"));
  }

  /** The file that a path means: itself, with an ending, or the index of a folder. */
  #file(path: string | null): Target | null {
    if (path === null) return null;
    const { code, folders } = this.#tree;
    if (code.has(path)) return node(path);
    const ending = /\.[^./]+$/.exec(path)?.[0] ?? "";
    // Where no code is nothing is tried: imports that lead nowhere are many in a tree that is a part of another.
    if (folders.has(folderOf(path))) {
      for (const source of SOURCES[ending] ?? []) {
        const candidate = path.slice(0, path.length - ending.length) + source;
        if (code.has(candidate)) return node(candidate);
      }
      for (const more of this.#endings) {
        if (code.has(path + more)) return node(path + more);
      }
    }
    if (folders.has(path)) {
      for (const more of this.#endings) {
        const index = path === "." ? `index${more}` : `${path}/index${more}`;
        if (code.has(index)) return node(index);
      }
    }
    return ending !== "" && this.#tree.exists(path) ? node(path) : null;
  }
}

/** What an import map has for a module: the key itself, or the longest that ends in `/` and begins it. */
function byImportMap(imports: Fields | null, module: string): string | null {
  if (imports === null) return null;
  const own = textIn(imports, module);
  if (own !== null) return own;
  const key = Object.keys(imports)
    .filter((each) => each.endsWith("/") && module.startsWith(each))
    .sort((a, b) => b.length - a.length)[0];
  const target = key === undefined ? null : textIn(imports, key);
  return target === null || key === undefined ? null : target + module.slice(key.length);
}

/** What stands for the `*` of a pattern; null where the module is not as it says. */
function restOf(pattern: string, module: string): string | null {
  const at = pattern.indexOf("*");
  if (at < 0) return pattern === module ? "" : null;
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)];
  const fits = module.length >= before.length + after.length && module.startsWith(before) &&
    module.endsWith(after);
  return fits ? module.slice(before.length, module.length - after.length) : null;
}

/** The file that a map of `exports` or `imports` has for a path. */
function exported(map: Fields, path: string): string | null {
  for (const [pattern, target] of Object.entries(map)) {
    const rest = restOf(pattern, path);
    const found = rest === null ? null : conditional(target, 8);
    if (found !== null && rest !== null) return found.replace("*", rest);
  }
  return null;
}

function conditional(target: unknown, depth: number): string | null {
  if (typeof target === "string") return target;
  if (depth === 0) return null;
  const fields = Array.isArray(target) ? null : fieldsOf(target);
  const options = Array.isArray(target)
    ? target
    : CONDITIONS.flatMap((condition) => fields?.[condition] ?? []);
  for (const option of options) {
    const found = conditional(option, depth - 1);
    if (found !== null) return found;
  }
  return null;
}
