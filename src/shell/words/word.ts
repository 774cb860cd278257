/** Reads one word of a line, character by character, as POSIX (2.2, 2.3, 2.6) and bash(1) read it. */

import type { Word, WordPart } from "../../core/plan.ts";
import { ansiText } from "./_ansi.ts";
import { readArithmetic } from "./arithmetic.ts";
import { type ParameterReading, readParameter } from "./parameter.ts";
import { Parts, type WordContext, type WordKind } from "./parts.ts";
import type { Scanner } from "./scanner.ts";
import { Refused } from "../_constructs.ts";

/** What ends a word where it is not quoted (POSIX, 2.3). */
export const METACHARACTERS = " \t\n|&;<>()";

/** The word at the scanner, up to the first character that ends it. */
export function readWord(scanner: Scanner, context: WordContext, kind: WordKind): Word {
  const parts = new Parts();
  const start = scanner.at;
  while (scanner.at < scanner.end) {
    if (kind.globs && (scanner.startsWith("<(") || scanner.startsWith(">("))) {
      readProcess(scanner, context, parts);
    } else if (METACHARACTERS.includes(scanner.character)) break;
    else readPiece(scanner, context, kind, parts, start);
  }
  return parts.done();
}

/** What {@linkcode readParameter} reads the words of operations by. */
export const PIECES: Pick<ParameterReading, "readPiece" | "readQuotedPiece"> = {
  readPiece: (scanner, context, kind, parts) => readPiece(scanner, context, kind, parts),
  readQuotedPiece: (scanner, context, parts) => readQuotedPiece(scanner, context, parts),
};

/**
 * One piece of an unquoted word: a quoted string, an escape, an expansion, a pattern, or a plain character. `start`
 * is where the word begins, if this is one.
 */
export function readPiece(
  scanner: Scanner,
  context: WordContext,
  kind: WordKind,
  parts: Parts,
  start = -1,
): void {
  const { character } = scanner;
  switch (character) {
    case "'":
      return parts.text(singleQuoted(scanner));
    case '"':
      return readDoubleQuoted(scanner, context, parts);
    case "\\":
      return readEscape(scanner, parts);
    case "$":
      return readUnquotedDollar(scanner, context, kind, parts);
    case "`":
      return readSubstitution(scanner, context, parts, !kind.splits);
    case "*":
    case "?":
    case "[":
      return kind.globs ? readGlob(scanner, context, parts) : readPlain(scanner, parts);
    case "~":
      if (kind.tilde && scanner.at === start) return readTilde(scanner, parts);
      if ("=:".includes(scanner.source[scanner.at - 1] ?? " ")) {
        throw new Refused("tilde", scanner.at);
      }
      return readPlain(scanner, parts);
    case "{":
      // What begins one was expanded before, or is refused.
      if (kind.globs && mayExpand(restOfWord(scanner))) throw new Refused("brace", scanner.at);
      return readPlain(scanner, parts);
    default:
      return readPlain(scanner, parts);
  }
}

function rest(scanner: Scanner): string {
  return scanner.source.slice(scanner.at, scanner.end);
}

function restOfWord(scanner: Scanner): string {
  return scanner.source.slice(scanner.at, scanner.wordEnd);
}

/** `{u}` in `git log @{u}..HEAD` is text: what makes it a list stands within the braces (bash(1), Brace Expansion). */
function mayExpand(text: string): boolean {
  const [plain] = /^\{[\w./:@%+=-]*\}/.exec(text) ?? [];
  const within = plain ?? text;
  return within.includes(",") || within.includes("..");
}

/** Runs of what means itself in every word. */
const PLAIN = /[\w./@%+,-]+/y;
/** Runs of what means itself within double quotes. */
const QUOTED_PLAIN = /[^"$`\\]+/y;

/** Takes a run of plain characters at once. */
function readRun(scanner: Scanner, parts: Parts, run: RegExp): boolean {
  run.lastIndex = scanner.at;
  if (!run.test(scanner.source)) return false;
  const end = Math.min(run.lastIndex, scanner.end);
  parts.text(scanner.source.slice(scanner.at, end));
  scanner.at = end;
  return true;
}

function readPlain(scanner: Scanner, parts: Parts): void {
  if (readRun(scanner, parts, PLAIN)) return;
  const { character } = scanner;
  if ((character < " " && character !== "\t" && character !== "\n") || character === "\x7f") {
    throw new Refused("control", scanner.at);
  }
  parts.text(character);
  scanner.at++;
}

function singleQuoted(scanner: Scanner): string {
  const close = scanner.source.indexOf("'", scanner.at + 1);
  if (close === -1 || close >= scanner.end) throw new Refused("quote", scanner.at);
  const text = scanner.source.slice(scanner.at + 1, close);
  scanner.at = close + 1;
  return text;
}

/** Inside, a backslash is one only before `$`, backquote, `"`, `\` and newline (POSIX, 2.2.3). */
function readDoubleQuoted(scanner: Scanner, context: WordContext, parts: Parts): void {
  const start = scanner.at;
  const inner = new Parts();
  scanner.at++;
  while (scanner.character !== '"') {
    if (scanner.at >= scanner.end) throw new Refused("quote", start);
    if (!readRun(scanner, inner, QUOTED_PLAIN)) readQuotedPiece(scanner, context, inner);
  }
  scanner.at++;
  const word = inner.done();
  // `"$@"` and nothing else is no word where there is nothing.
  if (word.length === 0 || !word.every(isList)) parts.text("");
  for (const part of word) {
    if (part.kind === "text") parts.text(part.text);
    else parts.push(part);
  }
}

/** Whether it stands for as many words as there are: `$@`, and arrays, whatever is done to each of their values. */
function isList(part: WordPart): boolean {
  if (part.kind !== "parameter") return false;
  const { name, operation, subscript } = part;
  const all = name === "@" || (subscript?.kind === "all" && !subscript.joined);
  const { operator } = operation ?? { operator: "" };
  return all && operator !== "length" && !/^:?[-+=?]$/.test(operator);
}

/** `<(…)` and `>(…)` */
function readProcess(scanner: Scanner, context: WordContext, parts: Parts): void {
  context.onDialect();
  const access = scanner.character === "<" ? "read" : "write";
  const { body, end } = context.process(scanner.at);
  parts.push({ kind: "process", access, body });
  scanner.at = end;
}

/** One piece of what double quotes or a here-document hold. `quote`: what a backslash may make plain beside the rest. */
export function readQuotedPiece(
  scanner: Scanner,
  context: WordContext,
  parts: Parts,
  quote: '"' | "" = '"',
): void {
  const { character } = scanner;
  if (character === "$") return readQuotedDollar(scanner, context, parts);
  if (character === "`") return readSubstitution(scanner, context, parts, true);
  const next = scanner.source[scanner.at + 1] ?? "";
  const escapes = character === "\\" && scanner.at + 1 < scanner.end &&
    (`$\`\\\n${quote}`).includes(next);
  if (escapes) {
    // With the newline it vanishes.
    if (next !== "\n") parts.text(next);
    scanner.at += 2;
    return;
  }
  parts.text(character);
  scanner.at++;
}

function readEscape(scanner: Scanner, parts: Parts): void {
  const next = scanner.source[scanner.at + 1];
  if (next === undefined || scanner.at + 1 >= scanner.end) {
    throw new Refused("escape", scanner.at);
  }
  if (next !== "\n") parts.text(next);
  scanner.at += 2;
}

function readUnquotedDollar(
  scanner: Scanner,
  context: WordContext,
  kind: WordKind,
  parts: Parts,
): void {
  if (scanner.startsWith("$'")) {
    context.onDialect();
    const { text, end } = ansiText(scanner.source, scanner.at, scanner.end);
    parts.text(text);
    scanner.at = end;
    return;
  }
  if (scanner.startsWith('$"')) {
    // Without a catalogue of messages it is the text itself (bash(1), QUOTING).
    context.onDialect();
    scanner.at++;
    return readDoubleQuoted(scanner, context, parts);
  }
  readDollar(scanner, context, parts, !kind.splits);
}

/** What may follow a `$` that stands for itself inside double quotes: nothing that begins an expansion in any shell. */
const PLAIN_AFTER_DOLLAR = /^\$(?:["\s|)/.,:;%&=\]\\^+~}]|$)/;

function readQuotedDollar(scanner: Scanner, context: WordContext, parts: Parts): void {
  if (PLAIN_AFTER_DOLLAR.test(rest(scanner).slice(0, 2))) {
    parts.text("$");
    scanner.at++;
  } else readDollar(scanner, context, parts, true);
}

function readDollar(
  scanner: Scanner,
  context: WordContext,
  parts: Parts,
  quoted: boolean,
): void {
  if (scanner.startsWith("$[")) throw new Refused("arithmetic", scanner.at);
  // `$( (…) )` is one of the other kind.
  if (scanner.startsWith("$((")) {
    const end = context.arithmeticEnd(scanner.at);
    scanner.at += "$((".length;
    const expression = readArithmetic(scanner, context);
    scanner.expect("))");
    if (scanner.at !== end) throw new Refused("arithmetic", scanner.at);
    parts.push({ kind: "arithmetic", expression, quoted });
    return;
  }
  if (scanner.startsWith("$(")) return readSubstitution(scanner, context, parts, quoted);
  const next = scanner.source[scanner.at + 1] ?? "";
  if (scanner.at + 1 === scanner.end || METACHARACTERS.includes(next)) {
    parts.text("$");
    scanner.at++;
    return;
  }
  readParameter({ scanner, context, parts, quoted, ...PIECES });
}

function readSubstitution(
  scanner: Scanner,
  context: WordContext,
  parts: Parts,
  quoted: boolean,
): void {
  const { body, end } = context.substitution(scanner.at);
  parts.push({ kind: "substitution", body, quoted });
  scanner.at = end;
}

function readTilde(scanner: Scanner, parts: Parts): void {
  const next = scanner.source[scanner.at + 1] ?? "";
  const ends = scanner.at + 1 === scanner.end || next === "/" || METACHARACTERS.includes(next);
  if (!ends) throw new Refused("tilde", scanner.at);
  parts.push({ kind: "home" });
  scanner.at++;
}

/** A bracket expression of plain characters and named classes (POSIX, 9.3.5). */
const BRACKET = /^\[[!^]?\]?(?:\[:[a-z]+:\]|[A-Za-z0-9_.,:+@%=~-])*\]/;

function readGlob(scanner: Scanner, context: WordContext, parts: Parts): void {
  const { character } = scanner;
  if (character !== "[") {
    parts.push({ kind: "glob", text: character });
    scanner.at++;
    return;
  }
  const ahead = restOfWord(scanner);
  const found = BRACKET.exec(ahead)?.[0];
  if (found !== undefined) {
    if (found.startsWith("[^")) context.onDialect();
    parts.push({ kind: "glob", text: found });
    scanner.at += found.length;
  } else if (!scanner.isAhead("]")) {
    parts.text("[");
    scanner.at++;
  } else throw new Refused("glob", scanner.at);
}
