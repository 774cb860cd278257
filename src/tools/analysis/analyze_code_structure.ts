/** `analyze_code_structure`: what a file, or a tree of them, is made of: symbols, imports, lines, languages. */

import { LANGUAGE_NAMES } from "../../toolkit/code/languages/languages.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { ReadContext, Tool, ToolContext } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import type { CodeFile } from "../../toolkit/code/code_file.ts";
import { importsOf } from "./_imports.ts";
import { commentsOf, countLines, type LineCounts } from "../../toolkit/code/lines.ts";
import { FILE, LANGUAGE, LINE, PATH, SKIPPED, SKIPPED_TOTAL, skippedOf } from "./_schemas.ts";
import { type CodeSymbol, outlineOf } from "../../toolkit/code/symbols.ts";
import { helpWalk, type Seen, type Walk, walkCode } from "./_walk.ts";

/** Depth at which files are shown, and that at which their outermost symbols are. */
const FILES = 1;

/** Symbols that are shown unless more are asked for, and how many for each entry that the policy allows. */
const SYMBOLS = 1_000;
const SYMBOLS_PER_ENTRY = 20;

const input = {
  type: "object",
  properties: {
    path: PATH,
    depth: {
      type: "integer",
      minimum: 0,
      maximum: 100,
      default: 100,
      description: "How deep to look: 0 totals, 1 files, 2 their outermost symbols, 3 members, …",
    },
    max_symbols: {
      type: "integer",
      minimum: 1,
      maximum: 100_000,
      default: SYMBOLS,
      description: "Symbols to answer at most.",
    },
  },
} as const satisfies Schema;

const LINES = {
  type: "object",
  properties: {
    code: { type: "integer", description: "Lines that hold code." },
    comment: { type: "integer", description: "Lines that hold comments alone." },
    blank: { type: "integer", description: "Empty lines, wherever they stand." },
  },
  required: ["code", "comment", "blank"],
} as const;

const SYMBOL = {
  type: "object",
  properties: {
    name: { type: "string", description: "As it is declared." },
    kind: {
      type: "string",
      description:
        "function, method, class, interface, struct, union, enum, member (of an enum), trait, type, module, constant, " +
        "variable, property or macro.",
    },
    line: LINE,
    end_line: { type: "integer", description: "Its last line." },
    signature: { type: "string", description: "Its declaration up to its body." },
    exported: { type: "boolean", description: "Whether other files may use it." },
    parent: { type: "string", description: "The symbol it belongs to, such as Class.method." },
    doc: { type: "string", description: "Its comment or docstring." },
  },
  required: ["name", "kind", "line", "end_line", "signature", "exported"],
} as const;

const output = {
  type: "object",
  properties: {
    files: {
      type: "array",
      description: "Files in a language that is analysed, in the order of paths.",
      items: {
        type: "object",
        properties: {
          path: FILE,
          language: LANGUAGE,
          lines: { ...LINES, description: "How many hold what." },
          imports: {
            type: "array",
            items: { type: "string" },
            description: "Modules as the file names them.",
          },
          symbols: { type: "array", items: SYMBOL, description: "In the order of lines." },
        },
        required: ["path", "language", "lines", "imports", "symbols"],
      },
    },
    languages: {
      type: "array",
      description: "Most code first. Where a language is not analysed, filled counts its lines.",
      items: {
        type: "object",
        properties: {
          language: LANGUAGE,
          files: { type: "integer", description: "How many." },
          code: { type: "integer", description: "Lines of code." },
          comment: { type: "integer", description: "Lines of comment." },
          filled: { type: "integer", description: "Lines that are not blank." },
          blank: { type: "integer", description: "Empty lines." },
        },
        required: ["language", "files", "blank"],
      },
    },
    totals: {
      type: "object",
      description: "Of the files that were analysed.",
      properties: {
        files: { type: "integer", description: "How many." },
        lines: { ...LINES, description: "Sums of their lines." },
        symbols: { type: "integer", description: "How many, at any depth." },
      },
      required: ["files", "lines", "symbols"],
    },
    skipped: SKIPPED,
    skipped_total: SKIPPED_TOTAL,
    truncated: { type: "boolean", description: "Whether there are more files or symbols." },
  },
  required: ["files", "languages", "totals", "skipped", "skipped_total", "truncated"],
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;

/** Of one file. */
interface Structure {
  readonly lines: LineCounts;
  readonly imports: readonly string[];
  readonly symbols: readonly CodeSymbol[];
  /** Symbols that there are, and how many of them down to the depth. */
  readonly total: number;
  readonly within: number;
}

const tool: Tool<typeof input, typeof output> = {
  name: "analyze_code_structure",
  category: "analysis",
  description:
    "Outlines a file or a directory of source code: for each file its language, lines of code, comment and blank, what it " +
    "imports, and its symbols (functions, classes, types, …) with kind, lines, signature, export and doc comment. depth " +
    "keeps the answer short: 0 totals by language, 1 files, 2 outermost symbols. " +
    `${LANGUAGE_NAMES}; other languages are counted. ` +
    "What ignore files name, hidden files and node_modules are left out.",
  risk: "safe",
  long: true,
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "the symbols of one file", args: { path: "src/main.ts" } },
    { note: "a large tree in few words", args: { path: "src", depth: 1 } },
  ],
  describe: ({ path }) => `Analyse code structure: ${printable(path, 100)}`,
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: true }, ...ignoreCapabilities(path)],
  prepare: loadValidators,
  help: (input, context) => helpWalk(walkOf(input, context), context),
  run: (input, context) =>
    walkCode(walkOf(input, context), context, (seen) => outputOf(input, context, seen)),
};

export default tool;

function walkOf({ path, depth, max_symbols }: Input, { limits }: ReadContext): Walk<Structure> {
  return {
    paths: [path],
    again: true,
    look: (file, wanted) => look(file, depth, wanted),
    cost: ({ symbols }) => symbols.length,
    room: depth > FILES ? Math.min(max_symbols, SYMBOLS_PER_ENTRY * limits.entries) : 0,
  };
}

function look(file: CodeFile, depth: number, wanted: number): Structure {
  const { tree, numbers, lines, text } = file;
  const { symbols, total, taken } = outlineOf(file, {
    most: wanted,
    takes: (parent) => levelOf(parent) <= depth,
  });
  const imports = importsOf(tree, numbers, lines).filter(({ kind }) => kind !== "path")
    .map(({ module }) => module);
  return {
    lines: countLines(text, commentsOf(tree, numbers)),
    imports: depth >= FILES ? [...new Set(imports)] : [],
    symbols,
    total,
    within: taken,
  };
}

/** 2 of an outermost symbol, as `depth` counts. */
function levelOf(parent: string | undefined): number {
  return FILES + 1 + (parent === undefined ? 0 : parent.split(".").length);
}

function outputOf(
  { depth, max_symbols }: Input,
  { limits, count }: ToolContext,
  seen: readonly Seen<Structure>[],
): Output {
  count("bytes_read", seen.reduce((sum, { bytes }) => sum + bytes, 0));
  const analysed = seen.flatMap(({ path, language, result }) =>
    result === undefined ? [] : [{ path, language, ...result }]
  );
  const shown = depth >= FILES ? analysed.slice(0, limits.entries) : [];
  let room = Math.min(max_symbols, SYMBOLS_PER_ENTRY * limits.entries);
  const files = shown.map(({ path, language, lines, imports, symbols }) => {
    const taken = symbols.slice(0, room);
    room -= taken.length;
    return { path, language, lines, imports, symbols: taken };
  });
  const there = depth > FILES ? sum(analysed.map(({ within }) => within)) : 0;
  const given = sum(files.map(({ symbols }) => symbols.length));
  return {
    files,
    languages: languagesOf(seen),
    totals: {
      files: analysed.length,
      lines: sumOfLines(analysed.map(({ lines }) => lines)),
      symbols: sum(analysed.map(({ total }) => total)),
    },
    ...skippedOf(seen),
    truncated: depth >= FILES && (shown.length < analysed.length || given < there),
  };
}

function languagesOf(seen: readonly Seen<Structure>[]): Output["languages"] {
  const groups = Map.groupBy(
    seen.filter(({ plain, result }) => plain !== undefined || result !== undefined),
    ({ language }) => language,
  );
  return [...groups].map(([language, files]) => {
    const results = files.flatMap(({ result }) => result ?? []);
    if (results.length > 0) {
      return { language, files: files.length, ...sumOfLines(results.map(({ lines }) => lines)) };
    }
    const filled = sum(files.map(({ plain }) => plain?.filled ?? 0));
    return {
      language,
      files: files.length,
      filled,
      blank: sum(files.map((file) => file.plain?.blank ?? 0)),
    };
  }).sort((a, b) => weightOf(b) - weightOf(a) || (a.language < b.language ? -1 : 1));
}

/** Languages that are analysed come first. */
function weightOf(language: { readonly code?: number; readonly filled?: number }): number {
  return language.code === undefined ? -1 / (1 + (language.filled ?? 0)) : language.code;
}

function sumOfLines(lines: readonly LineCounts[]): LineCounts {
  return {
    code: sum(lines.map(({ code }) => code)),
    comment: sum(lines.map(({ comment }) => comment)),
    blank: sum(lines.map(({ blank }) => blank)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
