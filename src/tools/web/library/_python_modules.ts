/** What a Python package offers: its public modules by `.pyi` and `.py`, and what `__init__` hands on from others. */

import type { CodeSymbol } from "../../../toolkit/code/symbols.ts";
import type { PackageFiles } from "./archive.ts";
import { type LibrarySymbol, MOST_SYMBOLS } from "./library.ts";
import { librarySymbol, type Outliner } from "./outliner.ts";

/** Where docstrings turn from what something does to its arguments: reStructuredText, Google, NumPy. */
const FIELDS =
  /\s(?::(?:param|type|returns?|rtype|raises?)\b|(?:Args|Arguments|Returns|Raises|Usage|Examples?)::?\s|(?:Parameters|Returns|Raises)\s+-{3})[^]*$/;

/** One name hands on another at most so often. */
const DEEPEST = 6;

interface Module {
  /** With dots. */
  readonly name: string;
  readonly isPackage: boolean;
  readonly symbols: readonly CodeSymbol[];
  readonly imports: readonly Imported[];
  /** `__all__`, as far as it is written out; null where there is none. */
  readonly listed: ReadonlySet<string> | null;
}

/** `from MODULE import NAME as AS`; `*` for all of it. */
interface Imported {
  readonly from: string;
  readonly name: string;
  readonly as: string;
}

/** What was found, and whether type stubs say it. */
export interface PythonSymbols {
  readonly symbols: readonly LibrarySymbol[];
  readonly hasStubs: boolean;
}

/** `files`: paths from where modules are imported. What the package calls private is left out. */
export function readPython(files: PackageFiles, outliner: Outliner): PythonSymbols {
  const modules = new Map<string, Module>();
  const paths = [...files.keys()].filter((path) => moduleName(path) !== null);
  // Stubs say what is public; what is written at it stands in the code.
  const docs = new Map<string, string>();
  for (
    const path of paths.toSorted((a, b) => Number(a.endsWith(".pyi")) - Number(b.endsWith(".pyi")))
  ) {
    const name = moduleName(path);
    const bytes = files.get(path);
    const outline = name === null || bytes === undefined ? null : outliner.read(path, bytes);
    if (name === null || outline === null) continue;
    const isPackage = /(?:^|\/)__init__\.pyi?$/.test(path);
    const functions = new Set(
      outline.symbols.flatMap((one) =>
        /^(?:function|method)$/.test(one.kind) ? [fullName(one)] : []
      ),
    );
    const symbols = outline.symbols.filter((one) =>
      !isPrivate(one) && !isWithin(one.parent ?? "", functions)
    );
    for (const one of symbols) if (one.doc !== undefined) docs.set(placeOf(name, one), one.doc);
    modules.set(name, {
      name,
      isPackage,
      symbols: symbols.map((one) => {
        const doc = one.doc ?? docs.get(placeOf(name, one));
        return doc === undefined ? one : { ...one, doc: doc.replace(FIELDS, "") };
      }),
      imports: outline.statements.flatMap(({ kind, text }) =>
        kind === "import_from_statement" ? importsOf(text, name, isPackage) : []
      ),
      listed: listOf(outline.statements),
    });
  }
  const told = new Set<string>();
  const found: LibrarySymbol[] = [];
  const named = [...modules.values()].filter(({ name }) => isPublic(name))
    .toSorted((a, b) => depthOf(a.name) - depthOf(b.name) || (a.name < b.name ? -1 : 1));
  for (const module of named) tell(module, modules, told, found);
  return {
    symbols: found.slice(0, MOST_SYMBOLS),
    hasStubs: paths.some((path) => path.endsWith(".pyi")),
  };
}

function tell(
  module: Module,
  modules: ReadonlyMap<string, Module>,
  told: Set<string>,
  found: LibrarySymbol[],
): void {
  const { name, symbols, listed } = module;
  for (const [as, origin] of handedOn(module, modules, 0)) {
    for (const one of origin.of) {
      if (found.length > MOST_SYMBOLS) return;
      told.add(placeOf(origin.module, one));
      found.push(librarySymbol(one, `${name}.${as}${fullName(one).slice(origin.name.length)}`));
    }
  }
  for (const one of symbols) {
    const first = fullName(one).split(".")[0] ?? "";
    if (listed !== null && !listed.has(first)) continue;
    if (found.length > MOST_SYMBOLS || told.has(placeOf(name, one))) continue;
    found.push(librarySymbol(one, `${name}.${fullName(one)}`));
  }
}

interface Origin {
  readonly module: string;
  readonly name: string;
  readonly of: readonly CodeSymbol[];
}

/** What a package's `__init__`, or the list of a module, names from its other modules. */
function handedOn(
  { name, isPackage, imports, listed }: Module,
  modules: ReadonlyMap<string, Module>,
  depth: number,
): ReadonlyMap<string, Origin> {
  const found = new Map<string, Origin>();
  if (depth > DEEPEST || (!isPackage && listed === null)) return found;
  const top = name.split(".")[0] ?? name;
  for (const each of imports) {
    const from = modules.get(each.from);
    if (from === undefined || (from.name !== top && !from.name.startsWith(`${top}.`))) continue;
    const names = each.name === "*" ? openNames(from, modules, depth) : [each.name];
    for (const one of names) {
      const as = each.name === "*" ? one : each.as;
      const isOpen = listed === null ? !as.startsWith("_") : listed.has(as);
      const origin = isOpen ? originOf(from, one, modules, depth) : null;
      if (origin !== null) found.set(as, origin);
    }
  }
  return found;
}

function openNames(
  module: Module,
  modules: ReadonlyMap<string, Module>,
  depth: number,
): readonly string[] {
  const own = module.symbols.flatMap(({ name, parent }) => parent === undefined ? [name] : []);
  const names = new Set([...own, ...handedOn(module, modules, depth + 1).keys()]);
  return [...names].filter((name) =>
    module.listed === null ? !name.startsWith("_") : module.listed.has(name)
  );
}

/** Where a name of a module is declared; null where it is not of this package. */
function originOf(
  module: Module,
  name: string,
  modules: ReadonlyMap<string, Module>,
  depth: number,
): Origin | null {
  const of = module.symbols.filter((one) => {
    const whole = fullName(one);
    return whole === name || whole.startsWith(`${name}.`);
  });
  if (of.length > 0) return { module: module.name, name, of };
  if (depth > DEEPEST) return null;
  for (const each of module.imports) {
    const from = modules.get(each.from);
    if (from === undefined || (each.as !== name && each.name !== "*")) continue;
    const found = originOf(from, each.name === "*" ? name : each.name, modules, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** `a.b` of `a/b.py` and `a/b/__init__.pyi`; null for what nobody imports. */
function moduleName(path: string): string | null {
  const [, stem] = /^(.*)\.pyi?$/.exec(path) ?? [];
  const parts = (stem ?? "").replace(/-stubs(?=\/)/, "").split("/");
  if (parts.at(-1) === "__init__") parts.pop();
  const isModule = parts.length > 0 &&
    parts.every((part) => /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(part));
  return isModule && !parts.some((part) => TESTS.has(part)) ? parts.join(".") : null;
}

const TESTS: ReadonlySet<string> = new Set(["tests", "test", "conftest", "setup"]);

function isPublic(module: string): boolean {
  return module.split(".").every((part) => !part.startsWith("_") || /^__\w+__$/.test(part)) &&
    !module.endsWith(".__main__");
}

function depthOf(module: string): number {
  return module.split(".").length;
}

function isPrivate(symbol: CodeSymbol): boolean {
  return fullName(symbol).split(".").some((part) =>
    /^_/.test(part) && part !== "__init__" && part !== "__call__"
  );
}

/** Whether it lies in a function: nobody else reaches that. */
function isWithin(parent: string, functions: ReadonlySet<string>): boolean {
  for (let at = parent; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    if (functions.has(at)) return true;
  }
  return false;
}

function fullName({ name, parent }: CodeSymbol): string {
  return parent === undefined ? name : `${parent}.${name}`;
}

function placeOf(module: string, symbol: CodeSymbol): string {
  return `${module} ${fullName(symbol)}`;
}

function importsOf(statement: string, module: string, isPackage: boolean): readonly Imported[] {
  const text = statement.replace(/#[^\n]*/g, "").replace(/\\\r?\n/g, " ");
  const [, dots = "", path = "", list = ""] =
    /^from\s+(\.*)\s*([\w.]*)\s+import\s+([^]*)$/.exec(text) ?? [];
  const from = dots === "" ? path : relative(module, dots.length - (isPackage ? 1 : 0), path);
  return list.replace(/[()]/g, "").split(",").flatMap((part) => {
    const [name = "", as = name] = part.trim().split(/\s+as\s+/);
    return /^(?:\*|[\p{ID_Start}_]\p{ID_Continue}*)$/u.test(name) ? [{ from, name, as }] : [];
  });
}

function relative(module: string, up: number, path: string): string {
  const parts = module.split(".");
  return [...parts.slice(0, parts.length - up), ...(path === "" ? [] : [path])].join(".");
}

/** `__all__ = [...]` and `__all__ += [...]`. */
function listOf(
  statements: readonly { readonly kind: string; readonly text: string }[],
): ReadonlySet<string> | null {
  const lists = statements.flatMap(({ text }) =>
    /^__all__\s*(?::[^=]*)?\+?=\s*[[(]([^]*)[\])]\s*$/.exec(text)?.[1] ?? []
  );
  if (lists.length === 0) return null;
  return new Set(
    lists.flatMap((list) =>
      [...list.matchAll(/["']([\p{ID_Continue}]+)["']/gu)].map(([, one = ""]) => one)
    ),
  );
}
