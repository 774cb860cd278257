/** Code that stands twice, beside jscpd. */

import { join } from "@std/path";
import { languageOf } from "../../../src/toolkit/code/languages/languages.ts";
import { type Ask, compared, type Explain, printed, sourcesOf } from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

/**
 * Words that a finding of jscpd has at least, and those of ours that it is looked for among: the two part texts into words
 * each in its own way (jscpd counts spaces and signs of strings).
 */
const FOUND = 100;
const AMONG = 20;

/**
 * Different words of a row with fewer than which it is a table of data here, told of no copy: names and literals, of
 * whatever text, are one word each.
 */
const OF_TABLES = 14;
const KEYWORDS = new Set(
  ("as async await break case catch class const continue default delete do else export extends finally for from function " +
    "get if import in instanceof let new of return set static super switch this throw true false null try typeof " +
    "undefined var void while with yield").split(" "),
);

/** Words of what is called a copy here, and held against its own text. */
const COPIED = 50;

interface Place {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
}

interface Group {
  readonly kind: string;
  readonly places: readonly Place[];
}

/** Lines that jscpd has, among ours; and copies of ours, word for word. Nothing where there is no source, or no jscpd. */
export function clones(ask: Ask): readonly Agreement[] {
  const root = sourcesOf("javascript");
  const theirs = root === null ? null : foundThere(root, FOUND);
  if (root === null || theirs === null) return [];
  const all = new Set(linesOf(groupsOf(ask, root, AMONG).flatMap(({ places }) => places)));
  const copies = groupsOf(ask, root, COPIED).filter(({ kind }) => kind === "exact");
  const same = copies.filter(({ places }) => isCopied(root, places));
  const names = (groups: readonly Group[]) => groups.map(({ places }) => JSON.stringify(places[0]));
  return [
    compared(
      "repeated lines of JavaScript",
      "jscpd",
      theirs.lines,
      theirs.lines.filter((line) => all.has(line)),
      reasonOf(theirs),
    ),
    compared("copies in JavaScript", "their own texts", names(copies), names(same)),
  ];
}

function groupsOf(ask: Ask, root: string, tokens: number): readonly Group[] {
  const { groups } = ask(root, "find_similar_code", { min_tokens: tokens, max_results: 100_000 });
  return groups as readonly Group[];
}

/** Whether the lines within all places are the same but for spaces and comments. */
function isCopied(root: string, places: readonly Place[]): boolean {
  const texts = places.map(({ file, line, end_line }) =>
    Deno.readTextFileSync(join(root, file)).split("\n").slice(line, end_line - 1).join("\n")
      .replaceAll(/\/\*[^]*?\*\/|(^|\s)\/\/.*$/gm, "").replaceAll(/\s+/g, "")
  );
  const shortest = texts.toSorted((a, b) => a.length - b.length)[0] ?? "";
  // A place may begin and end within a line.
  const inner = shortest.slice(20, -20);
  return texts.every((text) => text.includes(inner));
}

function linesOf(places: readonly Place[]): readonly string[] {
  // The first and the last may be but begun.
  const lines = places.flatMap(({ file, line, end_line }) =>
    Array.from({ length: Math.max(0, end_line - line - 1) }, (_, at) => `${file}:${line + 1 + at}`)
  );
  return [...new Set(lines)];
}

/** What of jscpd's findings is none here by design. */
function reasonOf({ tables, ends, unlike }: Found): Explain {
  return (line) => {
    const found = languageOf(line.replace(/:\d+$/, "").replace(/:\w+$/, ""));
    if (found === null || !("language" in found)) return "text in no language that is analysed";
    if (tables.has(line)) return "rows of data, with fewer than 14 different words";
    if (unlike.has(line)) return "two pieces that do not read the same";
    return ends.has(line)
      ? "the end of a repeat, which there has a word more that is another"
      : null;
  };
}

/** Whether a piece of code is a table, as the tool counts it. */
function isTable(code: string): boolean {
  const words = code.replaceAll(/\/\*[^]*?\*\/|(^|\s)\/\/.*$/gm, " ").matchAll(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w$]+|=>|[=!]==?|&&|\|\||\+\+|[^\s\w]/g,
  );
  const different = new Set(
    [...words].map(([word]) =>
      KEYWORDS.has(word) || /^[^"'\w$]/.test(word) ? word : /^["'\d]/.test(word) ? "0" : "a"
    ),
  );
  return different.size < OF_TABLES;
}

interface Piece {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly endLoc: { readonly column: number };
}

interface Duplicate {
  readonly fragment: string;
  readonly firstFile: Piece;
  readonly secondFile: Piece;
}

/** Lines that jscpd has twice; those of them in tables, at the end of what is the same, and in what is not the same. */
interface Found {
  readonly lines: readonly string[];
  readonly tables: ReadonlySet<string>;
  readonly ends: ReadonlySet<string>;
  readonly unlike: ReadonlySet<string>;
}

/** Of a piece whose last word is not the same in the other: the line before, with those that hold no code. */
function endsOf(root: string, { firstFile, secondFile }: Duplicate): readonly string[] {
  const [first, second] = [firstFile, secondFile].map(({ name, end, endLoc }) => {
    const lines = Deno.readTextFileSync(join(root, name)).split("\n");
    const empty = lines.slice(0, end - 1).findLastIndex((line) => !/^\s*(?:\/\/.*)?$/.test(line));
    return {
      word: (lines[end - 1] ?? "").slice(0, endLoc.column).trim(),
      lines: Array.from({ length: end - 1 - empty }, (_, at) => `${name}:${empty + 1 + at}`),
    };
  });
  return first?.word === second?.word ? [] : [...first?.lines ?? [], ...second?.lines ?? []];
}

/** Whether the lines between the first and the last of both are not the same, but for spaces and comments. */
function isUnlike(root: string, { firstFile, secondFile }: Duplicate): boolean {
  const places = [firstFile, secondFile].map(({ name, start, end }) => ({
    file: name,
    line: start,
    end_line: end,
  }));
  return !isCopied(root, places);
}

function foundThere(root: string, tokens: number): Found | null {
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
  try {
    const output = ["--reporters", "json", "--output", folder, "--silent"];
    const limits = ["--min-tokens", `${tokens}`, "--min-lines", "1", "--mode", "weak"];
    if (printed("jscpd", [...limits, ...output, "."], root) === null) return null;
    const text = Deno.readTextFileSync(join(folder, "jscpd-report.json"));
    const { duplicates } = JSON.parse(text) as { readonly duplicates: readonly Duplicate[] };
    const linesIn = (all: readonly Duplicate[]) =>
      linesOf(
        all.flatMap(({ firstFile, secondFile }) =>
          [firstFile, secondFile].map(({ name, start, end }) => ({
            file: name,
            line: start,
            end_line: end,
          }))
        ),
      );
    const tables = duplicates.filter(({ fragment }) => isTable(fragment));
    return {
      lines: linesIn(duplicates),
      tables: new Set(linesIn(tables)),
      unlike: new Set(linesIn(duplicates.filter((each) => isUnlike(root, each)))),
      ends: new Set(duplicates.flatMap((each) => endsOf(root, each))),
    };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
