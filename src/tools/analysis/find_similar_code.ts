/** `find_similar_code`: code that stands in several places, as it is, with other names, or changed. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { CodeReader } from "../../toolkit/code/code_file.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../../toolkit/code/languages/languages.ts";
import { LineIndex } from "../../toolkit/code/lines.ts";
import { FILE, LINE, PATH, SKIPPED, SKIPPED_TOTAL, skippedOf } from "./_schemas.ts";
import { findAlike } from "./similar/changed.ts";
import { type Group, groupsOf, placeOf } from "./similar/groups.ts";
import { findRepeats } from "./similar/repeats.ts";
import { findSnippet, type Likeness, type Words } from "./similar/snippet.ts";
import { type TokenFile, Tokens } from "./similar/tokens.ts";
import { isCode, unsupported, walkCode } from "./_walk.ts";

/** Words that are kept of a tree: some 16 bytes each. */
const MOST_WORDS = 12_000_000;

/** Words of a snippet: fewer are everywhere, and more take the time of their square. */
const LEAST_WORDS = 5;
const LONGEST_SNIPPET = 64 * 1024;

/** How alike what was changed still is. */
const SIMILARITY = 0.7;

const input = {
  type: "object",
  properties: {
    code_snippet: {
      type: "string",
      minLength: 1,
      maxLength: LONGEST_SNIPPET,
      description: "Code to find the like of. Without it and file: what repeats within path.",
    },
    file: pathSchema("A file of which to find the like, its functions and pieces."),
    path: PATH,
    min_tokens: {
      type: "integer",
      minimum: 10,
      maximum: 100_000,
      default: 50,
      description: "Words that code must have to be looked for, but for a snippet.",
    },
    max_results: {
      type: "integer",
      minimum: 1,
      description: "Groups to answer at most; the policy caps it (50 by default).",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    groups: {
      type: "array",
      description: "What is alike: the largest first, for a snippet the most alike.",
      items: {
        type: "object",
        properties: {
          kind: {
            type: "string",
            enum: ["exact", "renamed", "changed"],
            description: "The same; the same but for names and literals; alike.",
          },
          similarity: { type: "number", description: "From 0 to 1, which is the same." },
          tokens: { type: "integer", description: "Words of the longest." },
          places: {
            type: "array",
            description: "At most 100.",
            items: {
              type: "object",
              properties: {
                file: FILE,
                line: LINE,
                end_line: { type: "integer", description: "Its last line." },
              },
              required: ["file", "line", "end_line"],
            },
          },
        },
        required: ["kind", "similarity", "tokens", "places"],
      },
    },
    total: { type: "integer", description: "Groups in all." },
    files: { type: "integer", description: "Files that were compared." },
    skipped: SKIPPED,
    skipped_total: SKIPPED_TOTAL,
    truncated: { type: "boolean", description: "Whether there are more groups." },
  },
  required: ["groups", "total", "files", "skipped", "skipped_total", "truncated"],
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output> = {
  name: "find_similar_code",
  category: "analysis",
  description:
    "Finds code that is alike, whatever its layout and comments: of a snippet, of a file, or within a directory. Groups of " +
    "places are exact (every word the same), renamed (other names and literals) or changed (functions that are 70 % alike " +
    "or more). " +
    `${LANGUAGE_NAMES}.`,
  risk: "safe",
  long: true,
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "what repeats in a tree", args: { path: "src", min_tokens: 80 } },
    { note: "where a piece of code stands", args: { code_snippet: "if (a > b) { return a; }" } },
  ],
  describe: ({ code_snippet, file, path }) => {
    const what = code_snippet !== undefined
      ? `code like ${printable(code_snippet, 60)}`
      : file !== undefined
      ? `code like that of ${printable(file, 100)}`
      : "similar code";
    return `Find ${what} in ${printable(path, 100)}`;
  },
  check({ code_snippet, file }) {
    if (code_snippet !== undefined && file !== undefined) {
      throw new ToolError("INVALID_ARGUMENTS", "file: give code_snippet or file, not both");
    }
  },
  capabilities: ({ path, file }) => [
    { kind: "fs.read", path, tree: true },
    ...ignoreCapabilities(path),
    ...(file === undefined ? [] : [{ kind: "fs.read", path: file, tree: true } as const]),
  ],
  prepare: loadValidators,
  run,
};

export default tool;

async function run(given: Input, context: ToolContext): Promise<Output> {
  if (given.code_snippet !== undefined) return await findLike(given.code_snippet, given, context);
  const tokens = new Tokens();
  const look = (add: () => TokenFile): string | null => {
    if (tokens.count > MOST_WORDS) return "there is more code here than can be compared at once";
    add();
    return null;
  };
  const added = new Set<string>();
  const file = given.file === undefined ? null : context.files.display(given.file);
  const paths = given.file === undefined ? [given.path] : [given.path, given.file];
  return await walkCode(
    {
      paths,
      takes: isCode,
      // A file that lies in the path is come to twice.
      look(code) {
        if (added.has(code.path)) return null;
        added.add(code.path);
        return look(() => tokens.add(code));
      },
    },
    context,
    (seen, pause) => {
      const repeats = findRepeats(tokens, given.min_tokens, pause);
      const alike = findAlike(tokens, given.min_tokens, SIMILARITY, pause);
      const groups = groupsOf(tokens, repeats, alike)
        .filter(({ places }) => file === null || places.some((place) => place.file === file));
      const notes = seen.map(({ path, note, result }) => {
        const said = note ?? (typeof result === "string" ? result : undefined);
        return { path, ...(said === undefined ? {} : { note: said }) };
      });
      context.count("bytes_read", seen.reduce((sum, { bytes }) => sum + bytes, 0));
      return answerOf(groups, tokens.files.length, notes, given, context);
    },
  );
}

/** What is like a snippet: a group for each place, the snippet itself being none of the tree. */
async function findLike(snippet: string, given: Input, context: ToolContext): Promise<Output> {
  const reader = new CodeReader(await context.syntax.parsers(), context.checkpoint);
  const wordsIn = snippetWords(snippet, reader);
  const found: { readonly place: Group["places"][number]; readonly like: Likeness }[] = [];
  return await walkCode(
    {
      paths: [given.path],
      takes: isCode,
      look: (code) => {
        const snippet = wordsIn(code.tree.grammar.name);
        if (snippet === null) return null;
        const tokens = new Tokens();
        const { end } = tokens.add(code);
        const file = { plain: tokens.plain.subarray(0, end), exact: tokens.exact.subarray(0, end) };
        for (const like of findSnippet(snippet, file, SIMILARITY)) {
          found.push({ place: placeOf(tokens, like), like });
        }
        return null;
      },
    },
    context,
    (seen) => {
      const groups = found
        .map(({ place, like: { kind, similarity, start, end } }) => ({
          kind,
          similarity,
          tokens: end - start,
          places: [place],
        }))
        .sort((a, b) => RANK[a.kind] - RANK[b.kind] || b.similarity - a.similarity);
      context.count("bytes_read", seen.reduce((sum, { bytes }) => sum + bytes, 0));
      const files = seen.filter(({ result }) => result !== undefined).length;
      return answerOf(groups, files, seen, given, context);
    },
  );
}

const RANK = { exact: 0, renamed: 1, changed: 2 } as const;

/**
 * The words of a snippet in each grammar that takes it with the fewest errors; null for the others. Throws
 * INVALID_ARGUMENTS where it has too few, UNSUPPORTED_LANGUAGE where no grammar takes any of it.
 */
function snippetWords(
  snippet: string,
  reader: CodeReader,
): (grammar: string) => Words | null {
  const parsed = LANGUAGES.flatMap((language) => {
    const tree = reader.parse(language, snippet);
    if (typeof tree === "string") return [];
    const tokens = new Tokens();
    const lines = new LineIndex(snippet);
    const code = {
      path: "",
      text: snippet,
      language,
      tree,
      numbers: reader.numbers(language),
      lines,
      pause: reader.pause,
    };
    const { end } = tokens.add(code);
    const words = { plain: tokens.plain.slice(0, end), exact: tokens.exact.slice(0, end) };
    return [{ grammar: language.grammar, errors: tree.errors, words }];
  });
  const fewest = Math.min(...parsed.map(({ errors }) => errors));
  const taken = parsed.filter(({ errors }) => errors === fewest);
  const most = Math.max(0, ...taken.map(({ words }) => words.plain.length));
  if (taken.length === 0) throw unsupported("code_snippet is in no language known");
  if (most < LEAST_WORDS) {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `code_snippet: has ${most} words, of which it takes ${LEAST_WORDS} at least: fewer stand everywhere`,
    );
  }
  return (grammar) => taken.find((each) => each.grammar === grammar)?.words ?? null;
}

function answerOf(
  groups: readonly Group[],
  files: number,
  seen: readonly { readonly path: string; readonly note?: string }[],
  { max_results }: Input,
  { limits }: ToolContext,
): Output {
  const shown = groups.slice(0, Math.min(max_results ?? limits.matches, limits.matches));
  return {
    groups: shown,
    total: groups.length,
    files,
    ...skippedOf(seen),
    truncated: shown.length < groups.length,
  };
}
