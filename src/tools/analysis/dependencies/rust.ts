/** Modules of Rust: the files that `mod` names, and those that paths of `use` lead into. */

import { type Fields, fieldsIn, fieldsOf, textIn } from "../../../toolkit/project/fields.ts";
import type { Manifests } from "../../../toolkit/project/manifests.ts";
import { below, folderOf, foldersAround, stemOf } from "./paths.ts";
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

/** Crates that come with the compiler. */
const LIBRARY = new Set(["std", "core", "alloc", "proc_macro", "test"]);

interface Crate {
  /** As code names it. */
  readonly name: string;
  readonly folder: string;
  /** The file that others see. */
  readonly library: string;
  /** By their names in code: as the registry knows them. */
  readonly dependencies: ReadonlyMap<string, string>;
}

/** Finds modules by the crates of the tree. */
export function createRust(tree: Tree, manifests: Manifests): Resolve {
  const paths = manifests.named("Cargo.toml");
  const shared =
    paths.map((path) => fieldsIn(fieldsIn(manifests.toml(path), "workspace"), "dependencies")).find(
      (table) => table !== null,
    ) ?? null;
  const crates = paths.flatMap((path) => crateAt(manifests, path, shared) ?? []);
  const parts = new Resolver(tree, manifests, crates);
  return (from, { module, kind }) => {
    if (kind === "module") return [parts.child(from, module)];
    return [kind === "path" ? parts.named(from, module) : parts.used(from, module.split("::"))];
  };
}

/** `shared`: what the workspace says of dependencies that its crates have of it. */
function crateAt(manifests: Manifests, path: string, shared: Fields | null): Crate | null {
  const read = manifests.toml(path);
  const name = textIn(fieldsIn(read, "package"), "name");
  if (name === null) return null;
  const folder = folderOf(path);
  const library = fieldsIn(read, "lib");
  const tables = [read, ...Object.values(fieldsIn(read, "target") ?? {}).map(fieldsOf)];
  const dependencies = tables.flatMap((table) =>
    ["dependencies", "dev-dependencies", "build-dependencies"]
      .flatMap((kind) => Object.entries(fieldsIn(table, kind) ?? {}))
  ).map(([name, value]) => {
    const renamed = textIn(fieldsOf(value), "package") ?? textIn(fieldsIn(shared, name), "package");
    return [inCode(name), renamed ?? name] as const;
  });
  return {
    name: inCode(textIn(library, "name") ?? name),
    folder,
    library: below(folder, textIn(library, "path") ?? "src/lib.rs") ?? "src/lib.rs",
    dependencies: new Map(dependencies),
  };
}

function inCode(name: string): string {
  return name.replaceAll("-", "_");
}

class Resolver {
  readonly #tree: Tree;
  readonly #manifests: Manifests;
  readonly #crates: readonly Crate[];

  constructor(tree: Tree, manifests: Manifests, crates: readonly Crate[]) {
    this.#tree = tree;
    this.#manifests = manifests;
    this.#crates = crates;
  }

  /** The file of `mod name;` in another. */
  child(from: string, name: string): Target {
    const path = this.#childOf(from, name);
    return path === null ? UNRESOLVED : node(path);
  }

  used(from: string, path: readonly string[]): Target {
    const [first = "", ...rest] = path;
    const crate = this.#crateOf(from);
    if (first === "crate") return this.#into(this.#rootOf(from, crate), rest, from);
    if (first === "self") return this.#into(from, rest, from);
    if (first === "super") {
      let at = this.#parentOf(from);
      let left = rest;
      while (left[0] === "super" && at !== null) {
        at = this.#parentOf(at);
        left = left.slice(1);
      }
      return at === null ? NOTHING : this.#into(at, left, from);
    }
    if (LIBRARY.has(first)) return builtin(first);
    const child = this.#childOf(from, first);
    if (child !== null) return this.#into(child, rest, from);
    const registered = crate?.dependencies.get(first);
    const other = this.#crates.find(({ name }) => name === inCode(registered ?? first));
    if (other !== undefined) return this.#into(other.library, rest, from);
    if (crate === undefined || registered !== undefined) return this.#external(registered ?? first);
    // A name of the file itself: a type, a module within it.
    return NOTHING;
  }

  /** What a path in code begins with: a crate that the manifest names, or a name of the file. */
  named(from: string, first: string): Target {
    if (LIBRARY.has(first)) return builtin(first);
    const registered = this.#crateOf(from)?.dependencies.get(first);
    if (registered === undefined || this.#childOf(from, first) !== null) return NOTHING;
    const other = this.#crates.find(({ name }) => name === inCode(registered));
    return other === undefined ? this.#external(registered) : this.#into(other.library, [], from);
  }

  #external(name: string): Target {
    return external(name, this.#manifests.version("rust", name));
  }

  /** As far along a path as there are files; the file itself where there are none. */
  #into(start: string, path: readonly string[], from: string): Target {
    let at = start;
    for (const name of path) {
      const next = this.#childOf(at, name);
      if (next === null) break;
      at = next;
    }
    if (at === from) return NOTHING;
    return this.#tree.code.has(at) ? node(at) : UNRESOLVED;
  }

  #childOf(file: string, name: string): string | null {
    const folder = this.#childFolder(file);
    const candidates = [below(folder, `${name}.rs`), below(folder, `${name}/mod.rs`)];
    return candidates.find((path) => path !== null && this.#tree.code.has(path)) ?? null;
  }

  /** Where the modules of a file lie: beside a root, in a folder of its name for others. */
  #childFolder(file: string): string {
    const folder = folderOf(file);
    const stem = stemOf(file);
    return this.#isRoot(file) || stem === "mod" ? folder : below(folder, stem) ?? folder;
  }

  /** Files that the compiler is started with. */
  #isRoot(file: string): boolean {
    const stem = stemOf(file);
    if (["lib", "main", "build"].includes(stem)) return true;
    const folder = folderOf(file).split("/").at(-1) ?? "";
    return ["bin", "tests", "examples", "benches"].includes(folder) ||
      this.#crates.some(({ library }) => library === file);
  }

  #parentOf(file: string): string | null {
    if (this.#isRoot(file)) return null;
    const folder = stemOf(file) === "mod" ? folderOf(folderOf(file)) : folderOf(file);
    const names = ["mod.rs", "lib.rs", "main.rs"].map((name) => below(folder, name));
    return [...names, `${folder}.rs`]
      .find((path) => path !== null && this.#tree.code.has(path)) ?? null;
  }

  #crateOf(file: string): Crate | undefined {
    const folders = foldersAround(folderOf(file));
    return folders.flatMap((folder) =>
      this.#crates.find((each) => each.folder === folder) ?? []
    )[0];
  }

  /** The root above a file: the nearest in the folders around it. */
  #rootOf(file: string, crate: Crate | undefined): string {
    if (this.#isRoot(file)) return file;
    for (const folder of foldersAround(folderOf(file))) {
      for (const name of ["lib.rs", "main.rs"]) {
        const path = below(folder, name);
        if (path !== null && this.#tree.code.has(path)) return path;
      }
      if (folder === crate?.folder) break;
    }
    return crate?.library ?? file;
  }
}
