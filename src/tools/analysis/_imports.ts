/** What a file imports: modules as its text names them, with the line. */

import { NODE, type SyntaxTree } from "../../core/syntax_tree.ts";
import {
  childBy,
  childOf,
  isLeaf,
  kindOf,
  type Numbered,
  textOf,
} from "../../toolkit/code/kinds.ts";
import type { ImportRule } from "../../toolkit/code/languages/language.ts";
import type { LineIndex } from "../../toolkit/code/lines.ts";

/** How a module is imported. */
export type ImportKind =
  | "import"
  | "export"
  | "type"
  | "dynamic"
  | "require"
  | "include"
  | "module"
  /** Of Rust: what paths in code begin with, once a file. It may be a crate, or a name of the file. */
  | "path";

/** An import as the file has it. */
export interface Import {
  /** As it is written: `./a.ts`, `..pkg.mod`, `std::io::Read`, `<stdio.h>`. */
  readonly module: string;
  readonly kind: ImportKind;
  readonly line: number;
  /** Names taken from it, where what they are may be a module of its own (`from . import a`). */
  readonly names?: readonly string[];
}

/** Use trees of Rust that are nested deeper are no work of people. */
const DEEPEST = 32;

/** In the order of their lines. */
export function importsOf(
  tree: SyntaxTree,
  numbers: Numbered,
  lines: LineIndex,
): readonly Import[] {
  const found: Import[] = [];
  const heads = new Set<string>();
  // Paths within `use` are part of what it imports.
  let used = 0;
  for (let node = 0; node < tree.count; node++) {
    const rule = numbers.imports[tree.kinds[node] as number] ?? null;
    if (rule === null || ((tree.flags[node] as number) & NODE.named) === 0) continue;
    if (rule.form === "use") used = tree.nexts[node] as number;
    if (rule.form === "path" && node < used) continue;
    const line = lines.line(tree.starts[node] as number);
    for (const each of READERS[rule.form](tree, numbers, node, rule)) {
      if (each.kind === "path") {
        if (heads.has(each.module)) continue;
        heads.add(each.module);
      }
      found.push({ ...each, line });
    }
  }
  return found;
}

type Reader = (
  tree: SyntaxTree,
  numbers: Numbered,
  node: number,
  rule: ImportRule,
) => readonly Omit<Import, "line">[];

const READERS: Readonly<Record<ImportRule["form"], Reader>> = {
  string(tree, numbers, node, { field = "" }) {
    const at = childBy(tree, node, numbers.field(field));
    if (at < 0) return [];
    const kind = kindOf(tree, node) === "export_statement" ? "export" : "import";
    return [{ module: literal(textOf(tree, at)), kind: isTypeOnly(tree, node) ? "type" : kind }];
  },
  call(tree, numbers, node, { field = "", names = [] }) {
    const called = childBy(tree, node, numbers.field(field));
    if (called < 0) return [];
    const name = textOf(tree, called);
    const list = childBy(tree, node, numbers.field("arguments"));
    if (!names.includes(name) || list < 0) return [];
    const first = list + 2;
    if (first >= (tree.nexts[list] as number) || kindOf(tree, first) !== "string") return [];
    const kind = name === "require" ? "require" : "dynamic";
    return [{ module: literal(textOf(tree, first)), kind }];
  },
  dotted(tree, numbers, node, { field = "" }) {
    return childrenBy(tree, node, numbers.field(field)).map((child) => {
      const name = childBy(tree, child, numbers.field("name"));
      return { module: textOf(tree, name < 0 ? child : name).replace(/\s/g, ""), kind: "import" };
    });
  },
  from(tree, numbers, node, { field }) {
    const at = field === undefined ? -1 : childBy(tree, node, numbers.field(field));
    const module = at < 0 ? "__future__" : textOf(tree, at).replace(/\s/g, "");
    const names = childrenBy(tree, node, numbers.field("name")).map((child) => {
      const name = childBy(tree, child, numbers.field("name"));
      return textOf(tree, name < 0 ? child : name).replace(/\s/g, "");
    });
    return [{ module, kind: "import", names }];
  },
  use(tree, numbers, node, { field = "" }) {
    const argument = childBy(tree, node, numbers.field(field));
    return argument < 0 ? [] : pathsOf(tree, numbers, argument, "", DEEPEST)
      .map((module) => ({ module, kind: "import" }));
  },
  path(tree, numbers, node, { field = "" }) {
    const head = childBy(tree, node, numbers.field(field));
    if (head < 0 || kindOf(tree, head) !== "identifier") return [];
    const module = textOf(tree, head);
    return /^[a-z]/.test(module) ? [{ module, kind: "path" }] : [];
  },
  module(tree, numbers, node, { field = "" }) {
    if (childBy(tree, node, numbers.field("body")) >= 0) return [];
    const name = childBy(tree, node, numbers.field(field));
    return name < 0 ? [] : [{ module: textOf(tree, name), kind: "module" }];
  },
  words(tree, numbers, node, { field }) {
    if (field !== undefined) {
      const at = childBy(tree, node, numbers.field(field));
      const kind = kindOf(tree, node) === "preproc_include" ? "include" : "import";
      return at < 0 ? [] : [{ module: textOf(tree, at), kind }];
    }
    const words = textOf(tree, node).replace(/\s+/g, " ");
    const module = /^import (?:static )?([\w.$* ]+?) ?;?$/.exec(words)?.[1];
    return module === undefined ? [] : [{ module: module.replaceAll(" ", ""), kind: "import" }];
  },
  command(tree, numbers, node, { field = "", names = [] }) {
    const name = childBy(tree, node, numbers.field(field));
    if (name < 0 || !names.includes(textOf(tree, name))) return [];
    const argument = childBy(tree, node, numbers.field("argument"));
    return argument < 0 ? [] : [{ module: unquoted(textOf(tree, argument)), kind: "include" }];
  },
};

/** `import type`, `export type`: gone when it runs. */
function isTypeOnly(tree: SyntaxTree, node: number): boolean {
  const second = tree.nexts[node + 1] as number;
  return second < (tree.nexts[node] as number) && kindOf(tree, second) === "type";
}

function childrenBy(tree: SyntaxTree, node: number, field: number): readonly number[] {
  const found: number[] = [];
  const end = tree.nexts[node] as number;
  for (let child = node + 1; child < end; child = tree.nexts[child] as number) {
    if (field > 0 && tree.fields[child] === field) found.push(child);
  }
  return found;
}

/** The paths that a tree of Rust's `use` stands for. */
function pathsOf(
  tree: SyntaxTree,
  numbers: Numbered,
  node: number,
  prefix: string,
  depth: number,
): readonly string[] {
  const join = (text: string) => prefix === "" ? text : `${prefix}::${text}`;
  const kind = kindOf(tree, node);
  if (depth === 0) return [];
  if (kind === "use_as_clause") {
    const path = childBy(tree, node, numbers.field("path"));
    return path < 0 ? [] : pathsOf(tree, numbers, path, prefix, depth - 1);
  }
  if (kind === "use_wildcard") return [join(textOf(tree, node).replace(/\s/g, ""))];
  if (kind !== "use_list" && kind !== "scoped_use_list") {
    const text = textOf(tree, node).replace(/\s/g, "");
    return [text === "self" && prefix !== "" ? prefix : join(text)];
  }
  const path = childBy(tree, node, numbers.field("path"));
  const within = path < 0 ? prefix : join(textOf(tree, path).replace(/\s/g, ""));
  const list = kind === "use_list" ? node : childOf(tree, node, numbers.set(["use_list"]));
  if (list < 0) return [];
  const found: string[] = [];
  const end = tree.nexts[list] as number;
  for (let child = list + 1; child < end; child = tree.nexts[child] as number) {
    const isNamed = ((tree.flags[child] as number) & NODE.named) !== 0;
    const isPath = isNamed && numbers.comments[tree.kinds[child] as number] !== 1;
    if (isPath) found.push(...pathsOf(tree, numbers, child, within, depth - 1));
    else if (isLeaf(tree, child) && textOf(tree, child) === "self") found.push(within);
  }
  return found;
}

/** What each sign behind a backslash stands for that does not stand for itself. */
const ESCAPED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
  "\r\n": "",
};

/** What a string says: `"\x61"` is `a` (ECMA-262 12.9.4.1). In backquotes, as Go has them, nothing is escaped. */
function literal(text: string): string {
  const said = unquoted(text);
  if (text.startsWith("`") || !said.includes("\\")) return said;
  return said.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{0*([0-9a-f]{1,6})\}|(\r\n|[^]))/gi,
    (all, byte, unit, point, sign) => {
      if (sign !== undefined) return ESCAPED[sign] ?? sign;
      const code = Number.parseInt(byte ?? unit ?? point, 16);
      return code > 0x10ffff ? all : String.fromCodePoint(code);
    },
  );
}

function unquoted(text: string): string {
  return text.replace(/^(["'`])([^]*)\1$/, "$2");
}
