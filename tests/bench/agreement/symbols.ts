/** Symbols of outlines, beside those of the TypeScript compiler and of universal-ctags. */

import { join } from "@std/path";
import ts from "typescript";
import {
  type Ask,
  compared,
  outline,
  type Outlined,
  printed,
  pythonLibrary,
  sourcesOf,
} from "./_compared.ts";
import type { Agreement } from "./profiles.ts";
import { tagReasons } from "./_tag_reasons.ts";

/** A language of ctags, and which of its kinds are declarations here. */
interface Tagged {
  readonly language: string;
  /** Of {@linkcode sourcesOf}; Python's lie with Python. */
  readonly sources: string;
  readonly endings: readonly string[];
  readonly kinds: readonly string[];
  readonly more?: readonly string[];
  /** Kinds of ours that ctags has no kind for. */
  readonly without: readonly string[];
  /** A preprocessor goes through it first. */
  readonly hasMacros?: true;
}

const TAGGED: readonly Tagged[] = [
  {
    language: "Python",
    sources: "python",
    endings: [".py"],
    kinds: ["class", "function", "member", "variable"],
    without: ["type"],
  },
  {
    language: "Go",
    sources: "go",
    endings: [".go"],
    kinds: [
      "func",
      "type",
      "const",
      "var",
      "struct",
      "interface",
      "methodSpec",
      "member",
      "talias",
    ],
    without: [],
  },
  {
    language: "Rust",
    sources: "rust",
    endings: [".rs"],
    kinds: [
      "module",
      "struct",
      "interface",
      "function",
      "method",
      "enum",
      "enumerator",
      "macro",
      "typedef",
      "field",
    ],
    // ctags 5.9 has no constants, and takes `&'static str` for a variable `str`.
    without: ["constant", "variable", "union"],
  },
  {
    language: "Java",
    sources: "java",
    endings: [".java"],
    kinds: ["class", "interface", "enum", "method", "field", "enumConstant", "annotation"],
    without: [],
  },
  {
    language: "C",
    sources: "c",
    endings: [".c"],
    kinds: [
      "struct",
      "union",
      "enum",
      "enumerator",
      "function",
      "prototype",
      "macro",
      "typedef",
      "member",
      "variable",
      "externvar",
    ],
    more: ["--kinds-C=+px"],
    without: [],
    hasMacros: true,
  },
  {
    language: "C++",
    sources: "cpp",
    endings: [".cc", ".cpp"],
    kinds: [
      "class",
      "struct",
      "union",
      "enum",
      "enumerator",
      "function",
      "prototype",
      "member",
      "macro",
      "typedef",
      "namespace",
      "variable",
      "externvar",
    ],
    more: ["--kinds-C++=+px"],
    without: [],
    hasMacros: true,
  },
  {
    language: "Sh",
    sources: "shell",
    endings: [".sh", ".bash"],
    kinds: ["function"],
    without: ["variable"],
  },
];

/** The compiler's names of TypeScript, file by file. */
export function symbolsByCompiler(files: readonly Outlined[], root: string): Agreement {
  const ours = files.flatMap(({ path, symbols }) => symbols.map(({ name }) => `${path} ${name}`));
  const theirs = files.flatMap(({ path }) => {
    const text = Deno.readTextFileSync(join(root, path));
    return declaredIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
      .map((name) => `${path} ${name.replace(/^(["'`])(.*)\1$/, "$2")}`);
  });
  return compared("symbols of TypeScript", "its compiler", theirs, ours, (key, side) => {
    const [path = "", name = ""] = key.split(" ");
    const isAssigned = new RegExp(`[.]${name.replaceAll(/\W/g, "\\$&")} = (async )?(function|\\()`)
      .test(Deno.readTextFileSync(join(root, path)));
    return side === "here" && isAssigned
      ? "a function that a property is given: no declaration to the compiler"
      : null;
  });
}

/** Names of what an outline has: declarations, members, and variables that are local to no function. */
function declaredIn(file: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const bind = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) found.push(name.text);
    else for (const each of name.elements) if (ts.isBindingElement(each)) bind(each.name);
  };
  const visit = (node: ts.Node, isLocal: boolean): void => {
    if (ts.isConstructorDeclaration(node)) found.push("constructor");
    else if (isNamed(node) && node.name !== undefined) found.push(node.name.getText(file));
    else if (ts.isVariableStatement(node) && !isLocal) {
      for (const { name } of node.declarationList.declarations) bind(name);
    }
    const isFunction = ts.isFunctionLike(node) && !ts.isMethodSignature(node);
    ts.forEachChild(node, (child) => visit(child, isLocal || isFunction));
  };
  visit(file, false);
  return found;
}

function isNamed(node: ts.Node): node is ts.Node & { readonly name?: ts.Node } {
  return ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) || ts.isEnumMember(node) || ts.isModuleDeclaration(node) ||
    ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isAccessor(node) ||
    ((ts.isPropertySignature(node) || ts.isMethodSignature(node)) &&
      ts.isInterfaceDeclaration(node.parent));
}

/** A line for each language whose sources are here. */
export function symbolsByTags(ask: Ask): readonly Agreement[] {
  return TAGGED.flatMap((tagged) => {
    const root = tagged.language === "Python" ? pythonLibrary() : sourcesOf(tagged.sources);
    return root === null ? [] : tagsOf(ask, root, tagged);
  });
}

function tagsOf(ask: Ask, root: string, tagged: Tagged): readonly Agreement[] {
  const { language, endings, kinds, more = [], without, hasMacros = false } = tagged;
  const all = outline(ask, root);
  const files = all.filter(({ path }) => endings.some((end) => path.endsWith(end)));
  const macros = hasMacros ? macrosOf(root, all) : NO_MACROS;
  const text = tagsIn(root, files, [`--languages=${language}`, ...more], macros);
  if (text === null) return [];
  const isCounted = ({ kind, name }: Tag) =>
    kinds.includes(kind) && name !== "_" && !name.startsWith("__anon");
  const theirs = text.split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Tag)
    .filter(isCounted)
    .map(({ path, line, name }) => keyOf(path, line, name));
  const ours = files.flatMap(({ path, symbols }) => {
    const lines = Deno.readTextFileSync(join(root, path)).split("\n");
    return symbols.filter(({ kind }) => !without.includes(kind))
      .map((symbol) => keyOf(path, namedIn(lines, symbol, hasMacros), symbol.name));
  });
  const told = new Set(macros.ignored.map((name) => name.replace("+", "")));
  const explain = tagReasons(root, { files, theirs, ours, macros: macros.called, told });
  return [compared(`symbols of ${language}`, "universal-ctags", theirs, ours, explain)];
}

/** What ctags prints. Of macros it is told as its manual has it (`-I`). */
function tagsIn(
  root: string,
  files: readonly Outlined[],
  options: readonly string[],
  { ignored }: Macros,
): string | null {
  const list = Deno.makeTempFileSync({ prefix: "toolgate-bench-" });
  try {
    Deno.writeTextFileSync(list, ignored.join("\n"));
    const told = ignored.length === 0 ? [] : ["-I", list];
    const args = ["--fields=+nK", "--extras=-q", "--output-format=json", "-f", "-"];
    return printed("ctags", [...options, ...told, ...args, ...files.map(({ path }) => path)], root);
  } finally {
    Deno.removeSync(list);
  }
}

/** Macros that the sources define. */
interface Macros {
  /** Those with arguments. */
  readonly called: ReadonlySet<string>;
  /** As `-I` takes them: what is to be passed over, and with a sign behind it, its arguments too. */
  readonly ignored: readonly string[];
}

const NO_MACROS: Macros = { called: new Set(), ignored: [] };

/**
 * A word that ctags is told of it passes over wherever it stands, so it is told of those alone that are nothing else: with
 * arguments, but not of what has a body, as functions have, nor of what is named without them, as `TEST(A, CHECK)` does;
 * without arguments, but of nothing that becomes any code.
 */
function macrosOf(root: string, files: readonly Outlined[]): Macros {
  const texts = files.map(({ path }) => Deno.readTextFileSync(join(root, path)));
  const all = (pattern: RegExp, from: readonly string[] = texts) =>
    new Set(from.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name)));
  const called = all(/^[ \t]*#[ \t]*define[ \t]+(\w+)\(/gm);
  const heads = all(/^(\w+)\s*\([^;{}]*\)\s*\{/gm);
  const code = texts.map((text) =>
    text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|.)*/gm, " ")
  );
  const bare = all(/\b([A-Za-z_]\w*)\b(?!\s*\()/g, code);
  const attributes = all(/^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+__attribute__/gm);
  return {
    called,
    ignored: [
      ...[...called].filter((name) => !heads.has(name) && !bare.has(name)).map((name) =>
        `${name}+`
      ),
      ...attributes,
    ],
  };
}

interface Tag {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly kind: string;
}

/**
 * The line in which a declaration has its name, which is what ctags says: ours begins where the declaration does. That of
 * `typedef struct a { … } a;` stands at its end.
 */
function namedIn(
  lines: readonly string[],
  { name, kind, line, end_line }: Outlined["symbols"][number],
  isOfC: boolean,
): number {
  const plain = /[\w$]+$/.exec(name)?.[0] ?? name;
  const isWord = new RegExp(`(?<![\\w$])${plain.replace(/\W/g, "\\$&")}(?![\\w$])`);
  const span = Array.from({ length: end_line - line + 1 }, (_, at) => line + at);
  const begins = lines[line - 1] ?? "";
  const isLast = !isOfC
    ? false
    : kind === "type"
    ? /^\s*typedef\b/.test(begins)
    : ["property", "variable", "constant"].includes(kind) &&
      /^\s*(\w+ )*(struct|union|enum)\b/.test(begins);
  if (isLast) span.reverse();
  return span.find((at) => isWord.test(lines[at - 1] ?? "")) ?? line;
}

/** Specialisations by the name of their template, raw names of Rust and operators without the difference in writing. */
function keyOf(path: string, line: number, name: string): string {
  const plain = name.replace(/^r#/, "").replace(/^operator\s+(?=\W)/, "operator")
    .replace(/(?<!operator<?)<[^]*$/, "");
  return `${path}:${line} ${plain}`;
}
