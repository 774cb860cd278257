/** Judges Python as CPython's `ast.parse` does: what parses is valid, whatever its compiler says then. */

import { createRuff, type Entry, Panic, type ParseFailure, type Ruff } from "./_ruff.ts";
import { findIndentationProblem } from "./_python_indentation.ts";
import { findOpenBracket } from "./_python_lines.ts";
import {
  PARSER_FAILS,
  problemAt,
  type SyntaxProblem,
  TOO_DEEP,
  type Validator,
} from "./problem.ts";

/** An instance keeps the memory that its largest text took: one that grew beyond this is let go, in bytes. */
const MOST_MEMORY = 32 << 20;

/** The entries for a text of ASCII alone, and for others, on which the quick one often panics. */
const QUICK_FIRST: readonly Entry[] = ["comments", "format"];
const SAFE_FIRST: readonly Entry[] = ["format", "comments"];

/**
 * A validator that compiles the parser with the first text and keeps it. `library`: the WebAssembly of
 * `@astral-sh/ruff-wasm-web`. The grammar is that of the newest Python, which holds those of the older ones.
 */
export function createPythonValidator(library: Uint8Array): Validator {
  const parse = createParser(library);
  return (text) => {
    // The only character that the tokenizer of CPython refuses everywhere, in strings and comments too.
    const nul = text.indexOf("\0");
    const bytes = new TextEncoder().encode(text);
    const parsed = parse(bytes, bytes.length === text.length ? QUICK_FIRST : SAFE_FIRST);
    if (parsed === "too deep") return TOO_DEEP;
    if (parsed === "failed") return PARSER_FAILS;
    const at = parsed === null ? null : offsetOf(text, parsed.offset);
    if (nul !== -1 && (at === null || nul <= at)) {
      return problemAt(text, nul, "a NUL character, which Python source cannot hold");
    }
    if (parsed !== null && at !== null) return describe(text, at, parsed.message);
    const indentation = findIndentationProblem(text);
    return indentation === null ? null : problemAt(text, indentation.offset, indentation.message);
  };
}

/** Keeps one instance, and takes a new one where that broke or grew. */
function createParser(
  library: Uint8Array,
): (text: Uint8Array, entries: readonly Entry[]) => ParseFailure | null | "too deep" | "failed" {
  // Not kept beside the module, which has a copy of its own.
  let bytes: Uint8Array | null = library;
  let module: WebAssembly.Module | null = null;
  let ruff: Ruff | null = null;
  return (text, entries) => {
    module ??= new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    bytes = null;
    for (const entry of entries) {
      ruff ??= createRuff(module);
      try {
        return ruff.parse(text, entry);
      } catch (error) {
        if (!(error instanceof Panic)) return isOverflow(error) ? "too deep" : "failed";
      } finally {
        if (ruff.isBroken || ruff.memory > MOST_MEMORY) ruff = null;
      }
    }
    return "failed";
  };
}

/** Of the stack of the thread, or of the parser's own in its memory. */
function isOverflow(error: unknown): boolean {
  return error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
}

/** The place, and the bracket that is never closed: the true culprit often stands lines before the place. */
function describe(text: string, at: number, said: string): SyntaxProblem {
  const message = WORDS.get(said) ?? said;
  // Where a string does not end, brackets behind its quote are taken for its text.
  const open = said.includes("quote") ? null : findOpenBracket(text);
  if (open === null || open >= at) return problemAt(text, at, message);
  const { line, column } = problemAt(text, open, "");
  return problemAt(text, at, `${message}; ${text[open]} of ${line}:${column} is never closed`);
}

/** Where the parser's own words tell nothing. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["unexpected EOF while parsing", "the text ends where more is expected"],
  ["ParseIntError { kind: Empty }", "a number without digits"],
]);

/** Of an offset in UTF-8 bytes, that in UTF-16 code units. */
function offsetOf(text: string, bytes: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read;
}
