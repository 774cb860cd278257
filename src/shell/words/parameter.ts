/** Reads `$NAME` and the forms of `${…}` that are run (POSIX, 2.6.2; bash(1), Parameter Expansion). */

import type { Operation, Subscript, Word } from "../../core/plan.ts";
import { readArithmetic, skipSpace } from "./arithmetic.ts";
import type { Scanner } from "./scanner.ts";
import { Parts, VALUE, type WordContext, type WordKind } from "./parts.ts";
import { isSpecialVariable } from "../special_variables.ts";
import { Refused } from "../_constructs.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const OPERATOR = /^(?::?[-+?=]|##?|%%?|\^\^?|,,?|\/[/#%]?|@|:)/;
/** The word of an operation: patterns in those that look for one, else plain. */
const PATTERN: WordKind = { globs: true, splits: true, tilde: false };
const PLAIN: WordKind = { globs: false, splits: true, tilde: false };
/** What other shells have, too. */
const POSIX = /^(?::?[-+?=]|##?|%%?)$/;

/** What is needed to read `$x` and `${x…}` where they stand. */
export interface ParameterReading {
  readonly scanner: Scanner;
  readonly context: WordContext;
  /** Where what is read goes. */
  readonly parts: Parts;
  readonly quoted: boolean;
  /** How the word of an operation is read, a piece at a time. */
  readonly readPiece: PieceReader<[kind: WordKind, parts: Parts]>;
  readonly readQuotedPiece: PieceReader<[parts: Parts]>;
}

type PieceReader<Rest extends unknown[]> = (
  scanner: Scanner,
  context: WordContext,
  ...rest: Rest
) => void;

/** The parameter at the scanner, which stands at `$`. */
export function readParameter(reading: ParameterReading): void {
  const { scanner, context, parts, quoted } = reading;
  const start = scanner.at;
  const braced = scanner.startsWith("${");
  scanner.at += braced ? 2 : 1;
  const length = braced && /^#[A-Za-z_0-9@*]/.test(ahead(scanner));
  const indirect = braced && /^![A-Za-z_]/.test(ahead(scanner));
  if (length || indirect) scanner.at++;
  const name = readName(scanner, braced, start);
  const subscript = braced && scanner.character === "[" ? readSubscript(reading, name) : undefined;
  if (indirect || subscript !== undefined) context.onDialect();
  const about = {
    kind: "parameter",
    name,
    quoted,
    ...(subscript === undefined ? {} : { subscript }),
  } as const;
  if (/^[0-9]+$/.test(name)) {
    const value = context.positional?.[Number(name)];
    const plain = value !== undefined && (quoted || /^[\w@%+=:,./-]+$/.test(value));
    const bare = !braced || scanner.character === "}";
    if (plain && bare && !length) {
      if (braced) scanner.at++;
      return parts.text(value);
    }
  }
  if (!braced) return parts.push({ ...about, operation: null });
  if (length) {
    closeBrace(scanner, start);
    return parts.push({ ...about, operation: { operator: "length" } });
  }
  const keys = indirect && subscript?.kind === "all";
  if (keys) {
    closeBrace(scanner, start);
    return parts.push({ ...about, operation: { operator: "keys" } });
  }
  const named = { ...about, ...(indirect ? { indirect } as const : {}) };
  if (scanner.character === "}") {
    scanner.at++;
    return parts.push({ ...named, operation: null });
  }
  parts.push({ ...named, operation: readOperation(reading, name, start) });
}

function ahead({ source, at, end }: Scanner): string {
  return source.slice(at, end);
}

function readName(scanner: Scanner, braced: boolean, start: number): string {
  const text = ahead(scanner);
  const name = (braced ? /^[0-9]+/ : /^[0-9]/).exec(text)?.[0] ?? NAME.exec(text)?.[0] ??
    /^[?@*#$!]/.exec(text)?.[0];
  if (name === undefined) {
    throw new Refused(/^[!-]/.test(text) ? "special" : "parameter", start);
  }
  if (isSpecialVariable(name)) throw new Refused("special", start);
  scanner.at += name.length;
  return name;
}

function readOperation(reading: ParameterReading, name: string, start: number): Operation {
  const { scanner, context } = reading;
  const operator = OPERATOR.exec(ahead(scanner))?.[0];
  if (operator === undefined || name === "?") throw new Refused("parameter", start);
  if (!POSIX.test(operator)) context.onDialect();
  scanner.at += operator.length;
  if (operator === ":") {
    const offset = readArithmetic(scanner, context);
    skipSpace(scanner);
    const more = scanner.character === ":";
    if (more) scanner.at++;
    const length = more ? readArithmetic(scanner, context) : null;
    skipSpace(scanner);
    closeBrace(scanner, start);
    return { operator: "slice", offset, length };
  }
  if (operator === "@") {
    const letter = scanner.character;
    if (letter !== "Q" && letter !== "U" && letter !== "L" && letter !== "u") {
      throw new Refused("parameter", start);
    }
    scanner.at++;
    closeBrace(scanner, start);
    return { operator: "transform", letter };
  }
  if (operator.startsWith("/")) {
    // At the beginning and at the end there is always a place for something.
    const anywhere = operator === "/#" || operator === "/%";
    const none = anywhere && scanner.character === "/";
    const pattern = none ? [] : patternWord(reading, start, "/");
    const more = scanner.character === "/";
    if (more) scanner.at++;
    const replacement = more ? patternWord(reading, start, "") : [];
    closeBrace(scanner, start);
    const where = operator as "/" | "//" | "/#" | "/%";
    return { operator: "replace", where, pattern, replacement };
  }
  if (/[=]/.test(operator) && !NAME.test(name)) throw new Refused("parameter", start);
  // Quotes in it are read alike within quotes and without (bash 5).
  const word = /^[#%^,]/.test(operator)
    ? patternWord(reading, start, "")
    : operationWord(reading, start, operator);
  closeBrace(scanner, start);
  return { operator, word };
}

function closeBrace(scanner: Scanner, start: number): void {
  if (scanner.character !== "}") throw new Refused("parameter", start);
  scanner.at++;
}

/** A pattern, or what goes in its place (`&`: what was found), up to the brace that closes, or what else ends it. */
function patternWord(
  { scanner, context, readPiece }: ParameterReading,
  start: number,
  stop: string,
): Word {
  const word = new Parts();
  const first = scanner.at;
  while (scanner.character !== "}") {
    const { character } = scanner;
    if (character === "" || character === "\n") throw new Refused("parameter", start);
    // One at its beginning could be meant as either.
    const odd = scanner.at === first && (character === "~" || character === stop);
    if (character === stop && !odd) break;
    if (odd || "(){".includes(character)) {
      throw new Refused("parameter", scanner.at);
    }
    if (character === "&") {
      word.push({ kind: "glob", text: "&" });
      scanner.at++;
    } else if (/[\w./@%+,:-]/.test(character)) {
      // One by one: what ends the pattern may be among them.
      word.text(character);
      scanner.at++;
    } else readPiece(scanner, context, PATTERN, word);
  }
  return word.done();
}

/**
 * Up to the closing brace. Where shells differ on quotes (a quoted expansion with quotes or backslashes inside) it is
 * refused. What `?` says is text, whatever stands in it.
 */
function operationWord(
  { scanner, context, quoted, readPiece, readQuotedPiece }: ParameterReading,
  start: number,
  operator: string,
): Word {
  const word = new Parts();
  const says = operator.endsWith("?");
  while (scanner.character !== "}") {
    const { character } = scanner;
    if (character === "" || character === "\n") throw new Refused("parameter", start);
    if (!quoted && (character === " " || (says && "|&;<>()*?[".includes(character)))) {
      if (character === " ") word.push({ kind: "blank" });
      else word.text(character);
      scanner.at++;
    } else if (quoted) {
      if (`'"\\{`.includes(character)) throw new Refused("parameter", scanner.at);
      readQuotedPiece(scanner, context, word);
    } else {
      if ("\t|&;<>(){~*?[".includes(character)) throw new Refused("parameter", scanner.at);
      readPiece(scanner, context, PLAIN, word);
    }
  }
  return word.done();
}

/** What stands in brackets behind the name of an array. */
export function readSubscript(
  { scanner, context, readPiece }: Pick<ParameterReading, "scanner" | "context" | "readPiece">,
  name: string,
): Subscript {
  const start = scanner.at;
  scanner.expect("[");
  if (/^[@*]\]/.test(ahead(scanner))) {
    const joined = scanner.character === "*";
    scanner.at += 2;
    return { kind: "all", joined };
  }
  if (!context.isTable(name)) {
    const expression = readArithmetic(scanner, context);
    skipSpace(scanner);
    scanner.expect("]");
    return { kind: "index", expression };
  }
  const word = new Parts();
  while (scanner.character !== "]") {
    if (scanner.at >= scanner.end || "\n*?[~".includes(scanner.character)) {
      throw new Refused("array", start);
    }
    readPiece(scanner, context, { ...VALUE, tilde: false }, word);
  }
  scanner.at++;
  return { kind: "key", word: word.done() };
}
