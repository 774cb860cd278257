/**
 * Why an outline and ctags differ in a name: what each means otherwise, or what ctags is seen to have taken for something
 * else. Each reason is tested for in the sources and in the two lists; what none fits is printed as it is.
 */

import { join } from "@std/path";
import type { Explain, Outlined } from "./_compared.ts";

/** Both lists, of lines `path:line name`, and what they are of. */
export interface Tagged {
  readonly files: readonly Outlined[];
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
  /** Macros with arguments that the sources define. */
  readonly macros: ReadonlySet<string>;
  /** Those of which ctags is told. */
  readonly told: ReadonlySet<string>;
}

/** A name, where it stands, and all that may tell why one of the two has not got it. */
interface Difference {
  readonly name: string;
  readonly line: number;
  readonly text: string;
  readonly path: string;
  readonly side: "here" | "there";
  readonly lines: readonly string[];
  readonly symbols: Outlined["symbols"];
  /** What each has in the file, by line. */
  readonly theirs: ReadonlyMap<number, readonly string[]>;
  readonly ours: readonly number[];
  readonly macros: ReadonlySet<string>;
  readonly told: ReadonlySet<string>;
}

/** As many names of ours in a row, none of which ctags has: it has lost its way in the file. */
const LOST = 3;

/** The first that fits tells. */
const REASONS: readonly (readonly [reason: string, fits: (difference: Difference) => boolean])[] = [
  ["a macro's use, of which ctags makes a declaration", isMacroUse],
  [
    "ctags has the macro behind the name for the name",
    (each) =>
      each.side === "here" &&
      [...each.macros].some((macro) => each.theirs.get(each.line)?.includes(macro) === true),
  ],
  [
    "an explicit instantiation of a template, which declares nothing",
    ({ side, text }) => side === "there" && /^\s*(extern\s+)?template\s+(?!<)/.test(text),
  ],
  [
    "a call, of which ctags makes a prototype",
    ({ side, text, name, path }) =>
      side === "there" && isOfC(path) &&
      new RegExp(`^\\s+((return|[\\w>.\\[\\]-]+ =) )?${name}\\s*\\([^{]*\\)\\s*;`).test(text),
  ],
  ["in a branch of a condition, or in #if 0, of which ctags has nothing", isInUnreadBranch],
  [
    "a function of the name of a macro elsewhere, of which ctags is told",
    ({ side, name, told }) => side === "here" && told.has(name),
  ],
  [
    'extern "C", which is no C to ctags',
    ({ side, text, path }) => side === "here" && path.endsWith(".c") && /extern "C"/.test(text),
  ],
  [
    "a raw name, r#…, of Rust, which ctags does not know",
    ({ side, text, name, path }) =>
      side === "here" && path.endsWith(".rs") && text.includes(`r#${name}`),
  ],
  [
    "in a record, of which ctags has its methods with arguments and no more",
    ({ side, line, path, symbols, lines }) =>
      side === "here" && path.endsWith(".java") &&
      symbols.some((each) =>
        each.line <= line && line <= each.end_line &&
        /\brecord\s+\w+/.test(lines.slice(each.line - 1, each.line + 2).join(" "))
      ),
  ],
  [
    "a constant that is initialised with std::array{…}, which ctags takes for a function's body",
    ({ side, text, name, path }) =>
      side === "here" && isOfC(path) && new RegExp(`\\b${name} = [\\w:]+\\{`).test(text),
  ],
  [
    "a module, which ctags does not know",
    ({ side, text }) => side === "here" && /^\s*export module /.test(text),
  ],
  [
    "a name in brackets of its own",
    ({ side, text, name }) =>
      side === "here" && new RegExp(`\\((\\w+::)*${name}\\)\\s*\\(`).test(text),
  ],
  [
    "behind the head of a template that ctags does not take",
    ({ side, path, lines, line, theirs }) =>
      side === "here" && isOfC(path) && !theirs.has(line) &&
      lines.slice(Math.max(0, line - 4), line).some((each) => /^\s*template\s*</.test(each)),
  ],
  [
    "a macro in the words of its head, of which ctags is told",
    ({ side, path, lines, line, name, macros }) =>
      side === "here" && isOfC(path) &&
      [...(/^[^{;]*/.exec(lines.slice(line - 1, line + 2).join(" "))?.[0] ?? "").matchAll(
        /(\w+)\(/g,
      )]
        .some(([, called = ""]) => called !== name && macros.has(called)),
  ],
  [
    "behind u8'…', at which ctags ends",
    ({ side, path, lines, line }) =>
      side === "here" && isOfC(path) &&
      lines.slice(0, line).some((each) => /\bu8'/.test(each)),
  ],
  [
    "behind uses of macros without a sign at their end, which ctags takes for a declaration",
    ({ side, path, lines, line, ours }) => {
      const before = Math.max(0, ...ours.filter((at) => at < line));
      return side === "here" && isOfC(path) &&
        lines.slice(before, line - 1).some((each) => /^[A-Z][A-Z0-9_]+\([^;{]*\)$/.test(each));
    },
  ],
  [
    "behind text between directives that is no code",
    ({ side, path, lines, line }) =>
      side === "there" && isOfC(path) &&
      lines.slice(Math.max(0, line - 6), line).some((each) => /^[A-Z]\w* [\w ,]+\.$/.test(each)),
  ],
  [
    "a macro defined within a value: here a part of it",
    ({ side, path, lines, line, text }) =>
      side === "there" && isOfC(path) && /^#define /.test(text) &&
      lines.slice(Math.max(0, line - 7), line).some((each) => /=\s*$/.test(each)),
  ],
  [
    "in a type with parameters, which ctags does not know",
    ({ side, path, lines, line, symbols }) =>
      side === "here" && path.endsWith(".go") &&
      symbols.some((each) =>
        each.line < line && line <= each.end_line &&
        /^type \w+\[\w+ /.test(lines[each.line - 1] ?? "")
      ),
  ],
  [
    "in a type of arrays, before which ctags ends",
    ({ side, path, lines, line, symbols }) =>
      side === "here" && path.endsWith(".go") &&
      symbols.some((each) =>
        each.line < line && line <= each.end_line &&
        /^type \w+ \[\w*\]/.test(lines[each.line - 1] ?? "")
      ),
  ],
  [
    "behind a value that begins with a bracket, at which ctags ends",
    ({ side, path, lines, line }) =>
      side === "here" && path.endsWith(".go") &&
      lines.slice(Math.max(0, line - 3), line - 1).some((each) => /^\s+\w+\s*= \(\*/.test(each)),
  ],
  [
    "in a value that goes on, of which ctags makes a declaration",
    ({ side, path, lines, line }) =>
      side === "there" && path.endsWith(".go") &&
      /[|&]\s*(\/\*.*\*\/)?$/.test(lines[line - 2] ?? ""),
  ],
  ["local to a function", (each) => isWithin(each, ["function", "method"], 1)],
  [
    "an annotation, read as a constant there",
    ({ side, text, name }) => side === "there" && text.includes(`@${name}`),
  ],
  [
    "a default, read as a field there",
    ({ side, text, name }) => side === "there" && text.includes(`default ${name}`),
  ],
  [
    "a constant with a body, of which ctags makes a method",
    ({ side, text, path }) =>
      side === "there" && path.endsWith(".java") && /^\s*[A-Z_0-9]+\s*\([^]*\{\s*$/.test(text),
  ],
  ["an embedded field", ({ side, text, path }) =>
    side === "there" && path.endsWith(".go") &&
    /^\s*\*?[\w.]*\w+(\[[^\]]*\])?(\s*[`/][^]*)?$|\{ ?\*?[\w.]+ ?\}/.test(text)],
  [
    "its type begins with ::, before which ctags ends",
    ({ side, text }) => side === "here" && /^\s*(const |static )?::/.test(text),
  ],
  [
    "a destructor that says more than its name",
    ({ side, text, name }) =>
      side === "here" && name.startsWith("~") && /\)\s*(override|noexcept|final|=)/.test(text),
  ],
  [
    "a member of a variant",
    (each) => each.side === "here" && each.path.endsWith(".rs") && isWithin(each, ["member"], 0),
  ],
  [
    "in a here-document, whose text ctags takes for code",
    ({ side, path, lines, line }) =>
      side === "there" && /sh$/.test(path) && isInHereDocument(lines, line),
  ],
  [
    "in a text in quotes of several lines, which ctags takes for code",
    ({ side, path, lines, line }) =>
      side === "there" && /sh$/.test(path) && isInQuotes(lines, line),
  ],
  [
    "a macro not in capitals before the type, which is taken for the type here",
    ({ side, path, line, text, ours, theirs, macros }) =>
      isOfC(path) && (side === "here" || ours.includes(line)) && theirs.has(line) &&
      [.../^\s*(\w+)\s+const\s/.exec(text)?.slice(1, 2) ?? []].some((word) =>
        !/[A-Z]/.test(word) && word !== "static" && word !== "extern" && !macros.has(word)
      ),
  ],
  [
    "a prototype whose parameters stand in a macro behind its name, OF((…)), left out here with others of its words",
    ({ side, path, text, name }) =>
      side === "there" && isOfC(path) && new RegExp(`\\b${name}\\)?\\s+[A-Z]+\\(\\(`).test(text),
  ],
  [`ctags has lost its way: none of ${LOST} names in a row or more`, isLost],
  [
    "ctags has nothing of the file from there on",
    ({ side, line, theirs }) => side === "here" && line > Math.max(0, ...theirs.keys()),
  ],
];

/** Looks the reason of a difference up. */
export function tagReasons(root: string, { files, theirs, ours, macros, told }: Tagged): Explain {
  const symbols = new Map(files.map((file) => [file.path, file.symbols]));
  const placed = (keys: readonly string[]) => Map.groupBy(keys.map(partsOf), ({ path }) => path);
  const [there, here] = [placed(theirs), placed(ours)];
  const texts = new Map<string, readonly string[]>();
  return (key, side) => {
    const { path, line, name } = partsOf(key);
    let lines = texts.get(path);
    if (lines === undefined) {
      lines = Deno.readTextFileSync(join(root, path)).split("\n");
      texts.set(path, lines);
    }
    const tags = Map.groupBy(there.get(path) ?? [], (each) => each.line);
    const difference: Difference = {
      name,
      line,
      text: lines[line - 1] ?? "",
      path,
      side,
      lines,
      symbols: symbols.get(path) ?? [],
      theirs: new Map([...tags].map(([at, list]) => [at, list.map((each) => each.name)])),
      ours: (here.get(path) ?? []).map((each) => each.line),
      macros,
      told,
    };
    return REASONS.find(([, fits]) => fits(difference))?.[0] ?? null;
  };
}

function partsOf(
  key: string,
): { readonly path: string; readonly line: number; readonly name: string } {
  const [, path = "", line = "", name = ""] = /^(.*?):(\d+) ([^]*)$/.exec(key) ?? [];
  return { path, line: Number(line), name };
}

function isOfC(path: string): boolean {
  return /\.(c|cc|cpp|h|hpp)$/.test(path);
}

/** A macro that the sources define, or a word in capitals with arguments, at the beginning of its line. */
function isMacroUse({ side, name, text, path, macros }: Difference): boolean {
  if (side !== "there" || !isOfC(path) || /^\s*#/.test(text)) return false;
  const isCalled = new RegExp(`(?<!\\w)${name.replaceAll(/\W/g, "\\$&")}\\s*(\\(|$)`).test(text);
  return isCalled && (macros.has(name) || /^[A-Z][A-Z0-9_]+$/.test(name));
}

/** In another branch than the first, or in the first of `#if 0`: and ctags has nothing in all of that branch. */
function isInUnreadBranch({ side, line, lines, path, theirs }: Difference): boolean {
  if (side !== "here" || !isOfC(path)) return false;
  const isDirective = (at: number) =>
    /^\s*#\s*(if|ifdef|ifndef|el|else|elif|endif)/.test(lines[at - 1] ?? "");
  const edge = (step: 1 | -1): number => {
    let depth = 0;
    for (let at = line + step; at > 0 && at <= lines.length; at += step) {
      if (!isDirective(at)) continue;
      const word = /#\s*(\w+)/.exec(lines[at - 1] ?? "")?.[1] ?? "";
      const opens = word.startsWith("if") === (step === -1);
      if (depth === 0 && (opens || word.startsWith("el") || word === "endif")) {
        if (word.startsWith("el") || opens) return at;
      }
      depth += opens ? -1 : word.startsWith("el") ? 0 : 1;
    }
    return step === 1 ? lines.length + 1 : 0;
  };
  const [first, last] = [edge(-1), edge(1)];
  const begins = lines[first - 1] ?? "";
  if (!/#\s*(el|if\s+0\b)/.test(begins)) return false;
  return ![...theirs.keys()].some((at) => first < at && at < last);
}

/** Between `<<WORD`, quoted or not, and the line that is WORD. */
function isInHereDocument(lines: readonly string[], line: number): boolean {
  let end: string | null = null;
  for (const text of lines.slice(0, line)) {
    if (end !== null) {
      if (text.trim() === end) end = null;
      continue;
    }
    end = /<<-?\s*["'\\]?(\w+)/.exec(text)?.[1] ?? null;
  }
  return end !== null;
}

/** Behind a line that ends with a quote, with none between that begins with one. */
function isInQuotes(lines: readonly string[], line: number): boolean {
  const before = lines.slice(0, line - 1);
  const opened = before.findLastIndex((text) =>
    /(^|\s)["']$/.test(text) && !/^\s*["']$/.test(text)
  );
  return opened >= 0 && !before.slice(opened + 1).some((text) => /^\s*["']/.test(text));
}

/** In something of ours of such a kind that begins some lines before. */
function isWithin(
  { name, line, symbols }: Difference,
  kinds: readonly string[],
  from: number,
): boolean {
  return symbols.some((each) =>
    each.name !== name && each.line <= line - from && line <= each.end_line &&
    kinds.includes(each.kind)
  );
}

/** Between the names of ctags before and behind the line stand at least some of ours. */
function isLost({ side, line, theirs, ours }: Difference): boolean {
  if (side !== "here") return false;
  const before = Math.max(0, ...[...theirs.keys()].filter((at) => at < line));
  const behind = Math.min(Infinity, ...[...theirs.keys()].filter((at) => at > line));
  return ours.filter((at) => before < at && at < behind).length >= LOST;
}
