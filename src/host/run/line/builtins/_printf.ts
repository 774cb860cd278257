/** `printf` as bash has it (bash(1), SHELL BUILTIN COMMANDS; printf(3)). */

import { joinedNameBytes } from "../../../../core/name_text.ts";
import { ToolError } from "../../../../core/errors.ts";
import { Bytes, readEscape } from "./_escapes.ts";
import { fixed, general, scientific } from "./_long_double.ts";
import { printfQuoted } from "../expand/quote.ts";

/** What it writes, and says on standard error. */
export interface Printed {
  readonly bytes: Uint8Array;
  readonly errors: readonly string[];
}

const CONVERSION = /^%([-+ 0#]*)(\*|[0-9]+)?(?:\.(\*|[0-9]*))?([a-zA-Z%])/;
/** Wider fields are nothing that anybody writes. */
const WIDEST = 10_000;

/** `words`: the format and its arguments. Throws COMMAND_UNPARSABLE for conversions that are not done. */
export function printf([format = "", ...args]: readonly string[]): Printed {
  const bytes = new Bytes();
  const errors: string[] = [];
  let next = 0;
  let used: boolean;
  const argument = (): string | null => {
    used = true;
    return args[next++] ?? null;
  };
  do {
    used = false;
    for (let at = 0; at < format.length;) {
      const character = format[at]!;
      if (character === "\\") {
        const found = readEscape(format, at, "format");
        if (found === "end" || found === null) {
          bytes.text("\\");
          at++;
        } else {
          bytes.add(found.value);
          at = found.end;
        }
      } else if (character === "%") {
        const found = CONVERSION.exec(format.slice(at));
        if (found === null) throw refused(format.slice(at, at + 10));
        const ended = convert(found, argument, bytes, errors);
        if (ended) return { bytes: bytes.done(), errors };
        at += found[0].length;
      } else {
        const end = format.slice(at).search(/[\\%]/);
        bytes.text(end === -1 ? format.slice(at) : format.slice(at, at + end));
        at = end === -1 ? format.length : at + end;
      }
    }
  } while (used && next < args.length);
  return { bytes: bytes.done(), errors };
}

/** Conversions of numbers with a point. */
const FLOATING = { e: scientific, f: fixed, g: general } as const;

/** True where `\c` in a `%b` ended it all. */
function convert(
  [whole, flags = "", width, precision, letter = ""]: RegExpExecArray,
  argument: () => string | null,
  out: Bytes,
  errors: string[],
): boolean {
  if (letter === "%") {
    if (whole !== "%%") throw refused(whole);
    out.text("%");
    return false;
  }
  const number = (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || Math.abs(value) > WIDEST) throw refused(whole);
    return value;
  };
  const wide = width === "*" ? number(argument() ?? "0") : number(width ?? "0");
  const exact = precision === undefined
    ? null
    : number(precision === "*" ? argument() ?? "0" : precision || "0");
  const left = flags.includes("-") || wide < 0;
  const padded = (bytes: Uint8Array, zeros = 0): void => {
    const gap = Math.max(0, Math.abs(wide) - bytes.length);
    if (!left && zeros === 0) out.text(" ".repeat(gap));
    if (!left && zeros > 0) {
      // Zeros go behind the sign.
      out.raw(bytes.slice(0, zeros - 1));
      out.text("0".repeat(gap));
      return out.raw(bytes.slice(zeros - 1));
    }
    out.raw(bytes);
    if (left) out.text(" ".repeat(gap));
  };
  const encode = (text: string): Uint8Array => joinedNameBytes(text);
  const cut = (bytes: Uint8Array): Uint8Array =>
    exact === null || exact < 0 ? bytes : bytes.slice(0, exact);
  const value = argument();
  switch (letter) {
    case "s":
      padded(cut(encode(value ?? "")));
      return false;
    case "q":
      padded(cut(encode(printfQuoted(value ?? ""))));
      return false;
    case "c":
      // The first of C's bytes, which is the zero at its end where the text has none.
      padded(encode(`${value ?? ""}\0`).slice(0, 1));
      return false;
    case "b": {
      const inner = new Bytes();
      const ended = addEscaped(inner, value ?? "");
      padded(cut(inner.done()));
      return ended;
    }
    case "d":
    case "i":
    case "o":
    case "u":
    case "x":
    case "X": {
      const text = integerText(letter, flags, exact, integerOf(value, errors));
      const sign = /^[-+ ]/.test(text) ? 1 : /^0[xX]/.test(text) && flags.includes("#") ? 2 : 0;
      const zeros = flags.includes("0") && exact === null && !left ? sign + 1 : 0;
      padded(encode(text), zeros);
      return false;
    }
    case "e":
    case "E":
    case "f":
    case "F":
    case "g":
    case "G": {
      if (flags.includes("#")) throw refused(whole);
      const write = FLOATING[letter.toLowerCase() as keyof typeof FLOATING];
      const written = write(value || "0", exact === null || exact < 0 ? 6 : exact);
      const text = letter === "E" || letter === "G" ? written?.toUpperCase() ?? null : written;
      if (text === null) throw refused(`${whole} of ${JSON.stringify(value)}`);
      const signed = text.startsWith("-")
        ? text
        : (flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + text;
      const sign = /^[-+ ]/.test(signed) ? 1 : 0;
      padded(encode(signed), flags.includes("0") && !left ? sign + 1 : 0);
      return false;
    }
    default:
      throw refused(whole);
  }
}

function addEscaped(bytes: Bytes, text: string): boolean {
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("\\", at);
    bytes.text(text.slice(at, next === -1 ? text.length : next));
    if (next === -1) break;
    const found = readEscape(text, next, "b");
    if (found === "end") return true;
    if (found === null) bytes.text("\\");
    else bytes.add(found.value);
    at = found === null ? next + 1 : found.end;
  }
  return false;
}

/** A whole number in the words of C; what follows it is told, and what does not fit. */
function integerOf(text: string | null, errors: string[]): bigint {
  if (text === null || text === "") return 0n;
  if (/^["']/.test(text)) {
    const point = text.codePointAt(1) ?? 0;
    if (point >= 0x80) throw refused(`the number of ${text}`);
    return BigInt(point);
  }
  const found = /^\s*([-+]?)(0[xX][0-9A-Fa-f]+|0[0-7]*|[1-9][0-9]*)?(.*)$/s.exec(text);
  const [, sign, digits, rest = ""] = found ?? [];
  if (digits === undefined || rest !== "") errors.push(`${text}: invalid number`);
  if (digits === undefined) return 0n;
  const number = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" ? -number : number;
  if (value !== BigInt.asIntN(64, value)) throw refused(`the number ${text}`);
  return value;
}

function integerText(letter: string, flags: string, exact: number | null, value: bigint): string {
  const signed = letter === "d" || letter === "i";
  const shown = signed ? (value < 0n ? -value : value) : BigInt.asUintN(64, value);
  const base = letter === "o" ? 8 : letter === "x" || letter === "X" ? 16 : 10;
  let digits = shown.toString(base);
  if (exact === 0 && value === 0n) digits = "";
  digits = digits.padStart(exact ?? 0, "0");
  if (flags.includes("#") && base === 8 && !digits.startsWith("0")) digits = `0${digits}`;
  if (flags.includes("#") && base === 16 && value !== 0n) digits = `0x${digits}`;
  if (letter === "X") digits = digits.toUpperCase();
  if (!signed) return digits;
  return (value < 0n ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + digits;
}

function refused(what: string): ToolError {
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `printf was not run: ${what} is no conversion that is done here`,
  );
}
