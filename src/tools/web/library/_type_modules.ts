/** What a package's `.d.ts` files export, followed from the file that its users import. */

import type { CodeSymbol } from "../../../toolkit/code/symbols.ts";
import type { PackageFiles } from "./archive.ts";
import { type LibrarySymbol, MOST_SYMBOLS } from "./library.ts";
import {
  declaredDefault,
  type Export,
  exportsOf,
  importsOf,
  isDeclaredExport,
} from "./_module_statements.ts";
import { librarySymbol, type Outliner } from "./outliner.ts";

/** Files of one package that are followed: those of the largest have a few hundred. */
const MOST_MODULES = 2_000;
/** `export * as a` within `export * as b`. */
const DEEPEST = 4;

interface Module {
  readonly path: string;
  /** By the first part of their names: a declaration, and what lies in it. */
  readonly declared: ReadonlyMap<string, readonly CodeSymbol[]>;
  readonly exports: readonly Export[];
  /** What it imports: local names by where they come from; `*` for a whole module. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  /** `/// <reference path>` */
  readonly references: readonly string[];
}

/** Modules that were told whole, by the prefix of their names; single exports by path and name. */
type Seen = Map<string, string>;

/** One package's files. */
export class TypeModules {
  readonly #files: PackageFiles;
  readonly #outliner: Outliner;
  readonly #modules = new Map<string, Module | null>();

  constructor(files: PackageFiles, outliner: Outliner) {
    this.#files = files;
    this.#outliner = outliner;
  }

  /** Of the module at `entry`, which users import as `name`. */
  exportsOf(entry: string, name: string): readonly LibrarySymbol[] {
    const found: LibrarySymbol[] = [];
    const start = this.#module(entry);
    if (start === null) return found;
    if (start.exports.length > 0) {
      this.#tell(start, "", found, new Map(), 0);
      this.#tellAdditions(start, start, found, new Set());
    } else this.#tellGlobals(start, name, found, new Set());
    return found.slice(0, MOST_SYMBOLS);
  }

  #tell(module: Module, prefix: string, found: LibrarySymbol[], seen: Seen, depth: number) {
    if (depth > DEEPEST || found.length > MOST_SYMBOLS) return;
    const told = seen.get(module.path);
    if (told === prefix) return;
    // Whole modules under a second name are named, and not told once more.
    if (told !== undefined && prefix !== "") {
      found.push({
        name: prefix.slice(0, -1),
        kind: "module",
        signature: "",
        summary: told === ""
          ? "The same as the module itself."
          : `The same as ${told.slice(0, -1)}.`,
      });
      return;
    }
    seen.set(module.path, prefix);
    const isWhole = (each: Export) =>
      each.kind === "module" ||
      (each.kind === "own" && module.imports.get(each.name)?.name === "*");
    for (const each of module.exports.toSorted((a, b) => Number(isWhole(a)) - Number(isWhole(b)))) {
      switch (each.kind) {
        case "own":
          this.#tellName(module, each.name, prefix + each.as, found, seen, depth);
          break;
        case "is":
          this.#tellWhole(module, each.name, prefix, found, seen, depth);
          break;
        case "from":
        case "module":
        case "all": {
          const from = this.#resolve(module, each.from);
          if (from === null) found.push(foreign(each, prefix));
          else if (each.kind === "all") this.#tell(from, prefix, found, seen, depth);
          else if (each.kind === "module") {
            this.#tell(from, `${prefix}${each.as}.`, found, seen, depth + 1);
          } else this.#tellExport(from, each.name, prefix + each.as, found, seen, depth);
          break;
        }
      }
    }
  }

  /** What the module calls `name`, by its declaration or where it imports it from. */
  #tellName(
    module: Module,
    name: string,
    as: string,
    found: LibrarySymbol[],
    seen: Seen,
    depth: number,
  ): void {
    const declared = module.declared.get(name);
    if (declared !== undefined) {
      for (const one of declared) found.push(renamed(one, name, as));
      return;
    }
    const imported = module.imports.get(name);
    if (imported === undefined) return;
    const from = this.#resolve(module, imported.from);
    if (from === null) found.push(foreign({ kind: "from", ...imported, as }, ""));
    else if (imported.name === "*") this.#tell(from, `${as}.`, found, seen, depth + 1);
    else this.#tellExport(from, imported.name, as, found, seen, depth);
  }

  /** One export of another module. */
  #tellExport(
    module: Module,
    name: string,
    as: string,
    found: LibrarySymbol[],
    seen: Seen,
    depth: number,
  ): boolean {
    const key = `${module.path} ${name} ${as}`;
    if (seen.has(key) || found.length > MOST_SYMBOLS) return false;
    seen.set(key, "");
    for (const each of module.exports) {
      if (each.kind === "all" || !("as" in each) || each.as !== name) continue;
      if (each.kind === "own") this.#tellName(module, each.name, as, found, seen, depth);
      else {
        const from = this.#resolve(module, each.from);
        if (from === null) found.push(foreign({ ...each, as }, ""));
        else if (each.kind === "from") {
          this.#tellExport(from, each.name, as, found, seen, depth);
        } else this.#tell(from, `${as}.`, found, seen, depth + 1);
      }
      return true;
    }
    for (const each of module.exports) {
      if (each.kind !== "all") continue;
      const from = this.#resolve(module, each.from);
      if (from !== null && this.#tellExport(from, name, as, found, seen, depth)) return true;
    }
    return false;
  }

  /** `export = name`: the module is that, with all that lies in it. */
  #tellWhole(
    module: Module,
    name: string,
    prefix: string,
    found: LibrarySymbol[],
    seen: Seen,
    depth: number,
  ): void {
    for (const one of module.declared.get(name) ?? []) {
      if (one.parent === undefined) {
        if (one.kind !== "module") found.push(librarySymbol(shown(one), prefix + name));
      } else {
        const whole = fullName(one);
        found.push(librarySymbol(shown(one), prefix + whole.slice(name.length + 1)));
      }
    }
    if (!module.declared.has(name)) {
      this.#tellName(module, name, prefix + name, found, seen, depth);
    }
  }

  /** A file that exports nothing declares for all: modules by name, and what it refers to. */
  #tellGlobals(module: Module, name: string, found: LibrarySymbol[], seen: Set<string>): void {
    if (seen.has(module.path) || found.length > MOST_SYMBOLS) return;
    seen.add(module.path);
    for (const [declared, symbols] of module.declared) {
      for (const one of symbols) {
        if (one.kind === "module" && one.parent === undefined) continue;
        const whole = fullName(one);
        found.push(
          librarySymbol(shown(one), declared === name ? whole.slice(name.length + 1) : whole),
        );
      }
    }
    for (const reference of module.references) {
      const path = joined(module.path, reference);
      const next = path === null ? null : this.#module(path);
      if (next !== null) this.#tellGlobals(next, name, found, seen);
    }
  }

  /** What files that the module refers to add to it: `declare module "../index"`. */
  #tellAdditions(to: Module, from: Module, found: LibrarySymbol[], seen: Set<string>): void {
    for (const reference of from.references) {
      const path = joined(from.path, reference);
      const next = path === null || seen.has(path) ? null : this.#module(path);
      if (next === null || found.length > MOST_SYMBOLS) continue;
      seen.add(next.path);
      for (const [declared, symbols] of next.declared) {
        if (!declared.startsWith(".") || this.#resolve(next, declared) !== to) continue;
        for (const one of symbols) {
          if (one.parent === undefined) continue;
          found.push(librarySymbol(shown(one), fullName(one).slice(declared.length + 1)));
        }
      }
      this.#tellAdditions(to, next, found, seen);
    }
  }

  #resolve(of: Module, specifier: string): Module | null {
    if (!/^\.\.?(?:\/|$)/.test(specifier)) return null;
    const path = joined(of.path, specifier);
    const found = path === null ? null : typesAt(this.#files, path);
    return found === null ? null : this.#module(found);
  }

  #module(path: string): Module | null {
    const known = this.#modules.get(path);
    if (known !== undefined) return known;
    const bytes = this.#files.get(path);
    const made = bytes === undefined || this.#modules.size >= MOST_MODULES
      ? null
      : this.#read(path, bytes);
    this.#modules.set(path, made);
    return made;
  }

  #read(path: string, bytes: Uint8Array): Module | null {
    const outline = this.#outliner.read(path, bytes);
    if (outline === null) return null;
    const declared = new Map<string, CodeSymbol[]>();
    const exports: Export[] = [];
    for (const symbol of outline.symbols) {
      if (isHidden(symbol)) continue;
      const whole = fullName(symbol);
      const first = firstPart(symbol, declared);
      const known = declared.get(first) ?? [];
      known.push(symbol);
      declared.set(first, known);
      const isOwn = symbol.parent === undefined && symbol.exported;
      if (isOwn && !exports.some((one) => one.kind === "own" && one.name === whole)) {
        exports.push({ kind: "own", name: whole, as: whole });
      }
    }
    const imports = new Map<string, { from: string; name: string }>();
    for (const { kind, text } of outline.statements) {
      if (kind === "import_statement") {
        for (const [as, of] of importsOf(text)) imports.set(as, of);
      }
    }
    const usual = new Set(
      outline.statements.flatMap(({ kind, text }) =>
        kind === "export_statement" ? declaredDefault(text) ?? [] : []
      ),
    );
    const named = outline.statements.flatMap(({ kind, text }) =>
      kind === "export_statement" ? exportsOf(text) : []
    );
    // What is named in a list of exports is exported by the names of the list.
    const listed = new Set(named.flatMap((one) => one.kind === "own" ? [one.name] : []));
    const is = new Set(named.flatMap((one) => one.kind === "is" ? [one.name] : []));
    const own = exports.filter((one) =>
      one.kind === "own" && !is.has(one.name) &&
      (!listed.has(one.name) || isDeclaredExport(outline.statements, one.name))
    );
    const declaredHere = own.map((one) =>
      one.kind === "own" && usual.has(one.name) ? { ...one, as: "default" } : one
    );
    const local = named.map((one): Export => {
      const from = one.kind === "own" ? imports.get(one.name) : undefined;
      return from === undefined || one.kind !== "own" || from.name === "*"
        ? one
        : { kind: "from", from: from.from, name: from.name, as: one.as };
    });
    const taken = new Set(declaredHere.map((one) => one.kind === "own" ? one.as : ""));
    const references = [
      ...new TextDecoder().decode(bytes.subarray(0, 65_536))
        .matchAll(/^\/\/\/\s*<reference\s+path\s*=\s*["']([^"']+)["']/gm),
    ].map(([, to = ""]) => to);
    return {
      path,
      declared,
      exports: [
        ...declaredHere,
        ...local.filter((one) => one.kind !== "own" || !taken.has(one.as)),
      ],
      imports,
      references,
    };
  }
}

/** The `.d.ts` of a module that is imported by that path. */
export function typesAt(files: PackageFiles, path: string): string | null {
  const bare = path.replace(/\/$/, "");
  const stem = bare.replace(/\.([cm]?)[jt]sx?$/, "");
  const letter = /\.([cm]?)[jt]sx?$/.exec(bare)?.[1] ?? "";
  const candidates = [
    ...(/\.d\.[cm]?ts$/.test(bare) ? [bare] : []),
    `${stem}.d.${letter}ts`,
    `${stem}.d.ts`,
    `${bare}.d.ts`,
    `${bare}.d.mts`,
    `${bare}.d.cts`,
    ...["d.ts", "d.mts", "d.cts"].map((ending) =>
      bare === "" ? `index.${ending}` : `${bare}/index.${ending}`
    ),
  ];
  return candidates.find((one) => files.has(one)) ?? null;
}

/** Null for what leads out of the package. */
export function joined(from: string, to: string): string | null {
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return null;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

function fullName({ name, parent }: CodeSymbol): string {
  return parent === undefined ? name : `${parent}.${name}`;
}

/** Names of modules may have dots and slashes themselves. */
function firstPart(symbol: CodeSymbol, declared: ReadonlyMap<string, unknown>): string {
  if (symbol.parent === undefined) return symbol.name;
  if (declared.has(symbol.parent)) return symbol.parent;
  for (let at = symbol.parent.length; at > 0; at = symbol.parent.lastIndexOf(".", at - 1)) {
    const start = symbol.parent.slice(0, at);
    if (declared.has(start)) return start;
  }
  return symbol.parent.split(".")[0] ?? symbol.parent;
}

function isHidden({ name, signature }: CodeSymbol): boolean {
  return name.startsWith("#") ||
    /^(?:(?:static|readonly|abstract|declare|override)\s+)*(?:private|protected)\b/.test(signature);
}

function shown(symbol: CodeSymbol): CodeSymbol {
  const { signature, doc = "" } = symbol;
  return { ...symbol, signature: signature.replace(/^declare /, ""), doc: plainDoc(doc) };
}

/** Without the tags of JSDoc, and links as their text. */
function plainDoc(doc: string): string {
  return doc
    .replace(/\{@link(?:code|plain)?\s+([^}|\s]+)(?:[|\s]+([^}]*))?\}/g, (_, to, as) => as || to)
    .replace(/(?:^|\s)@[a-zA-Z]+(?:\s[^]*)?$/, "");
}

function renamed(symbol: CodeSymbol, name: string, as: string): LibrarySymbol {
  return librarySymbol(shown(symbol), as + fullName(symbol).slice(name.length));
}

/** What another package declares. */
function foreign(
  each: Exclude<Export, { readonly kind: "own" | "is" }>,
  prefix: string,
): LibrarySymbol {
  const [name, what] = each.kind === "all"
    ? ["*", "*"]
    : each.kind === "module"
    ? [each.as, `* as ${each.as}`]
    : [each.as, `{ ${each.name} }`];
  const signature = `export ${what} from ${JSON.stringify(each.from)}`;
  return { name: prefix + name, kind: "re-export", signature, summary: "" };
}
