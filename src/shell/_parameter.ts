/** Reads `$NAME` and the forms of `${…}` that are run (POSIX, 2.6.2). */

import type { Word } from "../core/plan.ts";
import type { Scanner } from "./_scanner.ts";
import { Parts, type WordContext, type WordKind } from "./_parts.ts";
import { Refused } from "./_constructs.ts";

/** bash(1), Shell Variables: what a shell sets itself, and what its output hangs on. */
const SPECIAL =
  /^(?:BASH.*|COMP_.*|COPROC|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HIST.*|HOSTNAME|HOSTTYPE|IFS|LINENO|MACHTYPE|MAPFILE|OPTARG|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PS[0-4]|RANDOM|READLINE_.*|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_)$/;

/** Whether the variable belongs to the shell: nothing here stands in for its value. */
export function isSpecialVariable(name: string): boolean {
  return SPECIAL.test(name);
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const OPERATOR = /^(?::?[-+?]|##?|%%?)/;
/** The word of an operation: patterns in the one that removes them, else plain. */
const PATTERN: WordKind = { globs: true, splits: false, tilde: false };
const PLAIN: WordKind = { globs: false, splits: true, tilde: false };

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
  const ahead = () => scanner.source.slice(scanner.at, scanner.end);
  const length = braced && /^#[A-Za-z_]/.test(ahead());
  if (length) scanner.at++;
  const positional = (braced ? /^[0-9]+/ : /^[0-9]/).exec(ahead())?.[0];
  const name = positional ?? NAME.exec(ahead())?.[0] ?? (ahead().startsWith("?") ? "?" : null);
  if (name === null) {
    throw new Refused(/^[@*#$!-]/.test(ahead()) ? "special" : "parameter", start);
  }
  if (isSpecialVariable(name)) throw new Refused("special", start);
  scanner.at += name.length;
  if (positional !== undefined) {
    const value = context.positional?.[Number(positional)];
    const plain = value !== undefined && (quoted || /^[\w@%+=:,./-]+$/.test(value));
    if (!plain) throw new Refused("positional", start);
    if (braced) closeBrace(scanner, start);
    return parts.text(value);
  }
  if (!braced) return parts.push({ kind: "parameter", name, quoted, operation: null });
  const operator = OPERATOR.exec(ahead())?.[0];
  if (length || operator === undefined) {
    closeBrace(scanner, start);
    const operation = length ? { operator: "length" } as const : null;
    return parts.push({ kind: "parameter", name, quoted, operation });
  }
  if (name === "?") throw new Refused("parameter", start);
  scanner.at += operator.length;
  const word = operationWord(reading, /^[#%]/.test(operator) ? PATTERN : PLAIN, start);
  parts.push({ kind: "parameter", name, quoted, operation: { operator, word } });
}

function closeBrace(scanner: Scanner, start: number): void {
  if (scanner.character !== "}") throw new Refused("parameter", start);
  scanner.at++;
}

/**
 * Up to the closing brace. Where shells differ on quotes (a quoted expansion with quotes or backslashes inside),
 * and on blanks (which split where nothing quotes them), it is refused.
 */
function operationWord(
  { scanner, context, quoted, readPiece, readQuotedPiece }: ParameterReading,
  kind: WordKind,
  start: number,
): Word {
  const word = new Parts();
  while (scanner.character !== "}") {
    const { character } = scanner;
    if (character === "" || character === "\n") throw new Refused("parameter", start);
    if (quoted) {
      if (`'"\\{`.includes(character)) throw new Refused("parameter", scanner.at);
      if (kind.globs && "*?[".includes(character)) {
        readPiece(scanner, context, kind, word);
      } else readQuotedPiece(scanner, context, word);
    } else {
      const refused = ` \t|&;<>(){~${kind.globs ? "" : "*?["}`;
      if (refused.includes(character)) throw new Refused("parameter", scanner.at);
      readPiece(scanner, context, kind, word);
    }
  }
  scanner.at++;
  return word.done();
}
