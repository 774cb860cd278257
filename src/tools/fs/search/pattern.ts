/** From the pattern of a request to what lines are searched with. */

import { ToolError } from "../../../core/errors.ts";
import { quoted } from "../../../core/printable.ts";
import { type Literals, needsLineBreak, requiredLiterals } from "./_literals.ts";
import { ForeignSyntax } from "./_foreign.ts";
import { type Part, readExpression } from "./_syntax.ts";

/** An expression that was read, in the forms in which files are searched for it. */
export interface SearchPattern {
  /** Matches in one line, which holds no line break. */
  readonly line: RegExp;
  /** As `line`, for lines that may hold characters beyond the Basic Multilingual Plane: `.` is one of them. */
  readonly wide: RegExp;
  /** What lines that match hold, with `ignoreCase` in any case. */
  readonly literals: Literals;
  readonly ignoreCase: boolean;
}

/** A request's way of asking. */
export interface PatternRequest {
  readonly pattern: string;
  readonly literal: boolean;
  readonly case_sensitive: boolean;
}

/** Flags at the start of a pattern, as most dialects but JavaScript write them. */
const LEADING_FLAGS = /^\(\?([a-zA-Z]+)\)/;
/** What only the flag `u` gives a meaning to. */
const UNICODE_SYNTAX = /\\[pP]\{|\\u\{/;
const SURROGATES = /[\ud800-\udfff]/;

/**
 * JavaScript's regular expressions, with `(?i)` at the start as others have it (and `s`, `m`, `u`, which change nothing
 * here). Throws INVALID_PATTERN for what JavaScript does not take, what it would take for something else than was
 * meant, and what cannot match within one line.
 *
 * Only patterns that need it have the flag `u`: V8's engine without backtracking, which takes over where the other one
 * blows up, knows no `u` and no `i`.
 */
export function compilePattern(request: PatternRequest): SearchPattern {
  const { pattern, literal } = request;
  const flags = literal ? "" : LEADING_FLAGS.exec(pattern)?.[1] ?? "";
  const foreign = /[^ismu]/i.exec(flags)?.[0];
  if (foreign !== undefined) {
    throw invalid(pattern, `(?${flags}) has the flag ${foreign}; taken are i, m, s and u`);
  }
  const rest = flags === "" ? pattern : pattern.slice(flags.length + 3);
  const source = literal ? escapeExpression(rest) : rest;
  const ignoreCase = !request.case_sensitive || flags.toLowerCase().includes("i");
  const fold = ignoreCase ? "i" : "";
  const unicode = UNICODE_SYNTAX.test(source) ||
    (SURROGATES.test(source) && attempt(source, "u") instanceof RegExp);
  // Before the compiler's own words: these say what to write instead.
  const part = literal ? textOf(rest) : read(pattern, source, unicode);
  const line = attempt(source, unicode ? `u${fold}` : fold);
  if (!(line instanceof RegExp)) throw invalid(pattern, line);
  if (needsLineBreak(part)) {
    throw invalid(
      pattern,
      "it needs a line break, and lines are searched one by one; search for one of its lines, with context: N for " +
        "those around it",
    );
  }
  const wide = unicode || ignoreCase ? line : attempt(source, "u");
  return {
    line,
    wide: wide instanceof RegExp ? wide : line,
    literals: requiredLiterals(part, { ignoreCase, unicode }),
    ignoreCase,
  };
}

/** Plain text as an expression that matches it. */
export function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function textOf(text: string): Part {
  return {
    kind: "sequence",
    parts: [...text].map((character) => ({ kind: "text", text: character })),
  };
}

function read(pattern: string, source: string, unicode: boolean): Part {
  try {
    return readExpression(source, unicode);
  } catch (error) {
    if (error instanceof ForeignSyntax) throw invalid(pattern, error.message);
    throw error;
  }
}

/** The expression, or why there is none. */
function attempt(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message.replace(/^.*\/[a-z]*: /s, "");
  }
}

function invalid(pattern: string, why: string): ToolError {
  return new ToolError(
    "INVALID_PATTERN",
    `pattern: ${
      quoted(pattern)
    } cannot be searched for: ${why}. literal: true takes it as plain text`,
  );
}
