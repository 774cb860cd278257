/** Symbols of outlines, beside those of the TypeScript compiler and of universal-ctags. */

import { join } from "@std/path";
import ts from "typescript";
import {
  type Ask,
  compared,
  type Explain,
  outline,
  type Outlined,
  printed,
  pythonLibrary,
  sourcesOf,
} from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

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
    ],
    more: ["--kinds-C=+p"],
    without: ["variable", "constant"],
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
    ],
    more: ["--kinds-C++=+p"],
    without: ["variable", "constant"],
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
      .map((name) => `${path} ${name}`);
  });
  return compared("symbols of TypeScript", "its compiler", theirs, ours);
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
  const { language, endings, kinds, more = [], without } = tagged;
  const files = outline(ask, root).filter(({ path }) => endings.some((end) => path.endsWith(end)));
  const args = ["--fields=+nK", "--extras=-q", "--output-format=json", "-f", "-"];
  const text = printed(
    "ctags",
    [`--languages=${language}`, ...more, ...args, ...files.map(({ path }) => path)],
    root,
  );
  if (text === null) return [];
  const isCounted = ({ kind, name }: Tag) =>
    kinds.includes(kind) && name !== "_" && !name.startsWith("__anon");
  const theirs = text.split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Tag)
    .filter(isCounted)
    .map(({ path, line, name }) => keyOf(path, line, name));
  const lastOf = new Map<string, number>();
  for (const key of theirs) {
    const [, path = "", line = ""] = /^(.*):(\d+) /.exec(key) ?? [];
    lastOf.set(path, Math.max(lastOf.get(path) ?? 0, Number(line)));
  }
  const ours = files.flatMap(({ path, symbols }) => {
    const lines = Deno.readTextFileSync(join(root, path)).split("\n");
    return symbols.filter(({ kind }) => !without.includes(kind))
      .map((symbol) => keyOf(path, namedIn(lines, symbol), symbol.name));
  });
  const explain = explainTags(root, new Map(files.map((file) => [file.path, file])), lastOf);
  return [compared(`symbols of ${language}`, "universal-ctags", theirs, ours, explain)];
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
): number {
  const plain = /[\w$]+$/.exec(name)?.[0] ?? name;
  const isWord = new RegExp(`(?<![\\w$])${plain.replace(/\W/g, "\\$&")}(?![\\w$])`);
  const span = Array.from({ length: end_line - line + 1 }, (_, at) => line + at);
  if (kind === "type" && /^\s*typedef\b/.test(lines[line - 1] ?? "")) span.reverse();
  return span.find((at) => isWord.test(lines[at - 1] ?? "")) ?? line;
}

/** Specialisations by the name of their template, raw names of Rust and operators without the difference in writing. */
function keyOf(path: string, line: number, name: string): string {
  const plain = name.replace(/^r#/, "").replace(/^operator\s+(?=\W)/, "operator")
    .replace(/(?<!operator)<[^]*$/, "");
  return `${path}:${line} ${plain}`;
}

/** What the two do not mean alike: found by the text of the line. `lastOf`: the last that ctags has anything in. */
function explainTags(
  root: string,
  files: ReadonlyMap<string, Outlined>,
  lastOf: ReadonlyMap<string, number>,
): Explain {
  const texts = new Map<string, readonly string[]>();
  return (key, side) => {
    const [, path = "", line = "", name = ""] = /^(.*):(\d+) ([^]*)$/.exec(key) ?? [];
    let lines = texts.get(path);
    if (lines === undefined) {
      lines = Deno.readTextFileSync(join(root, path)).split("\n");
      texts.set(path, lines);
    }
    const text = lines[Number(line) - 1] ?? "";
    const file = files.get(path);
    if (file?.isPartly === true) {
      return "in a file of which the answer says that places were left out";
    }
    const within = (kinds: readonly string[], from = 1) =>
      (file?.symbols ?? []).some((each) =>
        each.name !== name && each.line <= Number(line) - from &&
        Number(line) <= each.end_line && kinds.includes(each.kind)
      );
    if (within(["function", "method"])) return "local to a function";
    if (side === "there") {
      if (/^\s*(pub(\([^)]*\))?\s+)?mod \w+;/.test(text)) return "`mod x;`: an import here";
      if (text.includes(`@${name}`)) return "an annotation, read as a constant there";
      if (new RegExp(`default\\s+${name}`).test(text)) return "a default, read as a field there";
      if (/^\s*[A-Z_0-9]+\s*\([^]*\{\s*$/.test(text)) return "a constant with a body";
      if (path.endsWith(".go") && /^\s*\*?[\w.]*\w+(\s*[`/][^]*)?$|\{ ?\*?[\w.]+ ?\}/.test(text)) {
        return "an embedded field";
      }
      return null;
    }
    if (/\.(c|cc|cpp|h)$/.test(path) && /^\s*[A-Z][A-Z0-9_]+\s*\(/.test(text)) {
      return "a macro's call, with a body";
    }
    if (Number(line) > (lastOf.get(path) ?? 0)) {
      return "ctags has nothing of the file from there on";
    }
    return within(["property", "variable", "constant", "member"], 0)
      ? "a member of an anonymous type, or of a variant"
      : null;
  };
}
