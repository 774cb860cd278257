/** `find_code_patterns`: code that is built in a certain way, whatever its layout. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Parsers, TreeQuery } from "../../core/syntax_tree.ts";
import type { ReadContext, Tool, ToolContext } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import { type CodeFile, CodeReader } from "../../toolkit/code/code_file.ts";
import { textOf } from "../../toolkit/code/kinds.ts";
import type { Language } from "../../toolkit/code/languages/language.ts";
import {
  LANGUAGE_NAMES,
  languageNamed,
  languageOf,
} from "../../toolkit/code/languages/languages.ts";
import { matchesOf, TooManyWays } from "./patterns/match.ts";
import { patternIn, type PatternRow, withNames } from "./patterns/pattern.ts";
import { FILE, LINE, PATH, SKIPPED, SKIPPED_TOTAL, skippedOf } from "./_schemas.ts";
import { helpWalk, isCode, type Seen, unsupported, type Walk, walkCode } from "./_walk.ts";

/** Longest text of a match or a capture that is shown, in UTF-16 code units. */
const LONGEST = 1_000;

/** Milliseconds that a pattern may take to parse. */
const PATTERN_TIME = 1_000;

/** What whoever meant code, or knows no kinds of nodes, needs. */
const QUERY_HINT =
  " (what begins with ( is a tree-sitter query, of the kinds in node-types.json of the language's " +
  "grammar; code is looked for without brackets around it)";

const input = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      maxLength: 10_000,
      description:
        "Code in which $NAME stands for one node and $$$NAME for any number: console.log($$$ARGS). The same name " +
        "stands for the same code. A text that begins with ( is a tree-sitter query.",
    },
    path: PATH,
    language: {
      type: "string",
      minLength: 1,
      maxLength: 50,
      description:
        "The one to look in: TypeScript, py, …; all in which the pattern is code, unless given.",
    },
    max_results: {
      type: "integer",
      minimum: 1,
      description: "Matches to answer at most; the policy caps it (50 by default).",
    },
  },
  required: ["pattern"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    matches: {
      type: "array",
      description: "In the order of paths and places.",
      items: {
        type: "object",
        properties: {
          file: FILE,
          line: LINE,
          column: { type: "integer", description: "From 1." },
          end_line: { type: "integer", description: "Its last line." },
          end_column: { type: "integer", description: "Behind its last character." },
          content: { type: "string", description: "Its text; a long one is cut with …" },
          captures: {
            type: "object",
            description: "What the names stand for: a text, or a list of them.",
            additionalProperties: {
              oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
            },
          },
        },
        required: ["file", "line", "column", "end_line", "end_column", "content", "captures"],
      },
    },
    total_matches: { type: "integer", description: "In all files." },
    files_searched: { type: "integer", description: "Files in a language of the pattern." },
    skipped: SKIPPED,
    skipped_total: SKIPPED_TOTAL,
    truncated: { type: "boolean", description: "Whether there are more matches than these." },
  },
  required: [
    "matches",
    "total_matches",
    "files_searched",
    "skipped",
    "skipped_total",
    "truncated",
  ],
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;
type Match = Omit<Output["matches"][number], "file">;

/** Of one file; `refused`: the pattern is none in its language; `passed`: why the file was passed over. */
type Matches =
  | { readonly found: readonly Match[]; readonly total: number }
  | { readonly refused: string }
  | { readonly passed: string };

const tool: Tool<typeof input, typeof output> = {
  name: "find_code_patterns",
  category: "analysis",
  description:
    "Finds code by its structure: layout, comments, quotes and what stands in strings do not matter. The pattern is code " +
    "with $NAME for one node and $$$NAME for any number of them, or a tree-sitter query where it begins with (. Answers " +
    "each match with what the names stand for. " +
    `${LANGUAGE_NAMES}.`,
  risk: "safe",
  long: true,
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "calls, whatever is handed over", args: { pattern: "newError($$$ARGS)" } },
    {
      note: "a thing compared with itself",
      args: { pattern: "$A === $A", language: "TypeScript" },
    },
    {
      note: "by a tree-sitter query",
      args: { pattern: "(function_declaration name: (identifier) @name)", language: "TypeScript" },
    },
  ],
  describe: ({ pattern, path }) =>
    `Find code like ${printable(pattern, 100)} in ${printable(path, 100)}`,
  check({ pattern, language }) {
    if (language !== undefined) languageOrRefuse(language);
    if (/^\s*\$(\$\$)?\w*\s*;?\s*$/.test(pattern) && pattern.includes("$")) {
      throw new ToolError(
        "INVALID_PATTERN",
        "pattern: a hole alone is everywhere; put code around it",
      );
    }
  },
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: true }, ...ignoreCapabilities(path)],
  prepare: loadValidators,
  help: async (given, context) => helpWalk(await walkOf(given, context), context),
  run: async (given, context) =>
    await walkCode(
      await walkOf(given, context),
      context,
      (seen) => outputOf(given, context, seen),
    ),
};

export default tool;

function languageOrRefuse(name: string): Language {
  const language = languageNamed(name);
  if (language === null) throw unsupported(`language: ${quoted(name)} is not known`);
  return language;
}

async function walkOf(given: Input, context: ReadContext): Promise<Walk<Matches>> {
  const { path, language, limits } = { ...given, limits: context.limits };
  const only = language === undefined ? null : languageOrRefuse(language).name;
  const search = new Search(given.pattern, await context.syntax.parsers(), context.checkpoint);
  return {
    paths: [path],
    takes: (name) => {
      const found = languageOf(name);
      if (only === null || found === null) return isCode(name);
      return "language" in found && found.language.name === only;
    },
    look: (file, wanted) => search.in(file, wanted),
    cost: (matches) => "found" in matches ? matches.found.length : 0,
    room: Math.min(given.max_results ?? limits.matches, limits.matches),
  };
}

/** A pattern, as it is in each grammar that was come to. */
class Search {
  readonly #pattern: string;
  readonly #parsers: Parsers;
  readonly #pause: () => void;
  readonly #reader: CodeReader;
  readonly #rows = new Map<Language, PatternRow | string>();
  readonly #queries = new Map<string, TreeQuery | string>();

  constructor(pattern: string, parsers: Parsers, pause: () => void) {
    this.#pattern = pattern.trim();
    this.#parsers = parsers;
    this.#pause = pause;
    this.#reader = new CodeReader(parsers, pause);
  }

  in(file: CodeFile, wanted: number): Matches {
    return isQuery(this.#pattern) ? this.#asked(file, wanted) : this.#like(file, wanted);
  }

  #like(file: CodeFile, wanted: number): Matches {
    const { language, text, numbers, lines } = file;
    let { tree } = file;
    let row = this.#rows.get(language);
    if (row === undefined) {
      row = this.#rowIn(language);
      this.#rows.set(language, row);
      // The pattern took the place of the file's tree, which was made in its time a moment ago.
      const options = { pause: this.#pause, timeMs: Infinity };
      const again = this.#parsers.of(language.grammar).parse(text, options);
      if (typeof again === "string") return { passed: "its tree was made once and not again" };
      tree = again;
    }
    if (typeof row === "string") return { refused: row };
    try {
      return this.#matchesIn({ text, lines, tree, numbers }, row, wanted);
    } catch (error) {
      if (!(error instanceof TooManyWays)) throw error;
      return { passed: "there are too many ways in which the pattern may fit into it" };
    }
  }

  #matchesIn(
    { text, lines, tree, numbers }: Pick<CodeFile, "text" | "lines" | "tree" | "numbers">,
    row: PatternRow,
    wanted: number,
  ): Matches {
    const found: Match[] = [];
    let total = 0;
    for (const { first, last, captures } of matchesOf(tree, numbers, row, this.#pause)) {
      if (++total > wanted) continue;
      const [start, end] = [tree.starts[first] as number, tree.ends[last] as number];
      const held = [...captures].map(([name, each]) =>
        [
          name,
          "node" in each
            ? shortened(textOf(tree, each.node))
            : each.nodes.map((node) => shortened(textOf(tree, node))),
        ] as const
      );
      found.push(foundAt(text, lines, start, end, Object.fromEntries(held)));
    }
    return { found, total };
  }

  /** The pattern in the first context in which it is code; else why it is none. */
  #rowIn(language: Language): PatternRow | string {
    const numbers = this.#reader.numbers(language);
    const parser = this.#parsers.of(language.grammar);
    const tries = withNames(this.#pattern).flatMap((text) =>
      ["@", ...language.contexts ?? []].map((context) => ({ text, context }))
    );
    for (const { text, context } of tries) {
      const from = context.indexOf("@");
      const whole = context.slice(0, from) + text + context.slice(from + 1);
      const tree = parser.parse(whole, { pause: this.#pause, timeMs: PATTERN_TIME });
      if (typeof tree === "string" || tree.errors > 0) continue;
      const row = patternIn(tree, numbers, from, from + text.length);
      if (row !== null && row.some(({ is }) => is === "leaf" || is === "node")) return row;
    }
    return `${quoted(this.#pattern, 60)} is no ${language.name}`;
  }

  #asked({ language, text, lines }: CodeFile, wanted: number): Matches {
    const query = this.#queryIn(language);
    if (typeof query === "string") return { refused: query };
    const timeMs = 2 * PATTERN_TIME + text.length / 100;
    const all = query.matches(text, { pause: this.#pause, timeMs });
    if (typeof all === "string") return { passed: "the query takes too long in it" };
    // Of several patterns in one, some may name nothing.
    const matches = all.filter(({ length }) => length > 0);
    const found = matches.slice(0, wanted).map((captures) => {
      const start = Math.min(...captures.map((each) => each.start));
      const end = Math.max(...captures.map((each) => each.end));
      const names = Object.entries(Object.groupBy(captures, ({ name }) => name));
      const held = names.map(([name, each = []]) => {
        const texts = each.map((capture) => shortened(text.slice(capture.start, capture.end)));
        return [name, texts.length === 1 ? texts[0] as string : texts] as const;
      });
      return foundAt(text, lines, start, end, Object.fromEntries(held));
    });
    return { found, total: matches.length };
  }

  #queryIn({ grammar }: Language): TreeQuery | string {
    let query = this.#queries.get(grammar);
    if (query === undefined) {
      try {
        query = this.#parsers.of(grammar).query(this.#pattern);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        query = error.message.replace(/^pattern: /, "");
      }
      this.#queries.set(grammar, query);
    }
    return query;
  }
}

function isQuery(pattern: string): boolean {
  return pattern.trimStart().startsWith("(");
}

function foundAt(
  text: string,
  lines: CodeFile["lines"],
  start: number,
  end: number,
  captures: Match["captures"],
): Match {
  return {
    line: lines.line(start),
    column: lines.column(start),
    end_line: lines.line(end),
    end_column: lines.column(end),
    content: shortened(text.slice(start, end)),
    captures,
  };
}

function shortened(text: string): string {
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
}

/** Throws INVALID_PATTERN where the pattern is none in any language that was come to. */
function outputOf(
  { pattern, max_results }: Input,
  { limits, count }: ToolContext,
  seen: readonly Seen<Matches>[],
): Output {
  count("bytes_read", seen.reduce((sum, { bytes }) => sum + bytes, 0));
  const looked = seen.flatMap(({ path, result }) =>
    result !== undefined && "found" in result ? [{ path, ...result }] : []
  );
  const refused = seen.flatMap(({ result }) =>
    result !== undefined && "refused" in result ? [result.refused] : []
  );
  const [reason] = refused;
  if (looked.length === 0 && reason !== undefined) {
    throw new ToolError(
      "INVALID_PATTERN",
      `pattern: ${[...new Set(refused)].slice(0, 3).join("; ")}${
        isQuery(pattern) ? QUERY_HINT : ""
      }`,
    );
  }
  const all = looked.flatMap(({ path, found }) => found.map((each) => ({ file: path, ...each })));
  const matches = all.slice(0, Math.min(max_results ?? limits.matches, limits.matches));
  const total = looked.reduce((sum, each) => sum + each.total, 0);
  return {
    matches,
    total_matches: total,
    files_searched: looked.length,
    ...skippedOf(
      seen.map((each) =>
        each.result !== undefined && "passed" in each.result
          ? { path: each.path, note: each.result.passed }
          : each
      ),
    ),
    truncated: total > matches.length,
  };
}
