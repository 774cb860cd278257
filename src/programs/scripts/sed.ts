/** Judges the scripts that sed takes as arguments: what is not plainly harmless is not. */

import type { Risk } from "../../core/tool.ts";
import { OPEN_COMMAND } from "./open_command.ts";

interface Judged {
  readonly risk: Risk;
  readonly because: string;
}

const SAFE: Judged = { risk: "safe", because: "" };

/** sed(1): options that neither write nor run, then scripts of commands that only print and change the text. */
export function sedRisk(name: string, argv: readonly string[]): Judged {
  const scripts: string[] = [];
  let operand: string | null = null;
  let file = false;
  let inPlace = false;
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === "-e" || argument === "--expression") scripts.push(argv[++at] ?? "");
    else if (argument.startsWith("--expression=")) scripts.push(argument.slice(13));
    else if (argument === "-f" || argument === "--file") {
      file = true;
      at++;
    } else if (/^-[nErsuz]*i[^;/]*$/.test(argument) || /^--in-place(?:=[^/]*)?$/.test(argument)) {
      inPlace = true;
    } else if (
      /^-[nErsuz]+$/.test(argument) || argument === "--" ||
      ["--quiet", "--silent", "--regexp-extended", "--posix", "--null-data"].includes(argument)
    ) continue;
    else if (argument.startsWith("-") && argument !== "-") {
      return { risk: "dangerous", because: `${name} ${argument} is not known to be harmless` };
    } else operand ??= argument;
  }
  if (scripts.length === 0 && !file && operand !== null) scripts.push(operand);
  if (scripts.some((script) => !isPlainSed(script))) {
    return { risk: "dangerous", because: `${name}: its script may write files or run commands` };
  }
  if (file) return { risk: "dangerous", because: `${name} -f runs a file` };
  return inPlace ? { risk: "moderate", because: `${name} -i changes its files` } : SAFE;
}

/** Commands without arguments that stay within the text: POSIX sed(1p). */
const PLAIN_COMMANDS = "pPdDqQ=nNgGhHxl";

/** Letters of a script that are looked at: nobody writes so many. */
const LONGEST = 100_000;

function isPlainSed(script: string): boolean {
  if (script.length > LONGEST) return false;
  let at = 0;
  while (at < script.length) {
    if (/[;\s{}!]/.test(script[at]!)) {
      at++;
      continue;
    }
    const after = skipCommand(script, skipAddresses(script, at));
    if (after === -1) return false;
    at = after;
  }
  return true;
}

/** Past `1`, `$`, `/x/`, `1~2`, each with another after a comma; -1 where it does not end. */
function skipAddresses(script: string, start: number): number {
  let at = start;
  for (;;) {
    if (script[at] === "/") {
      at = skipDelimited(script, at + 1, "/");
      if (at === -1) return -1;
      while (script[at] === "I" || script[at] === "M") at++;
    } else {
      while (/[0-9$~+]/.test(script[at] ?? "")) at++;
    }
    if (script[at] !== ",") break;
    at++;
  }
  while (/[\s!{]/.test(script[at] ?? "")) at++;
  return at;
}

function skipCommand(script: string, start: number): number {
  const command = script[start];
  // A script that ends in an address, or `1{}`, has no command here.
  if (start === -1 || command === undefined) return -1;
  if (command === "}" || command === ";") return start + 1;
  if (PLAIN_COMMANDS.includes(command)) {
    const next = script[start + 1];
    return next === undefined || /[;\s}0-9]/.test(next) ? skipDigits(script, start + 1) : -1;
  }
  // Text to the end of the line: one line, without a backslash that would make it another's.
  if ("aic".includes(command)) return /^[^\n\\]*$/.test(script.slice(start)) ? script.length : -1;
  if (command !== "s" && command !== "y") return -1;
  const delimiter = script[start + 1];
  if (delimiter === undefined || /[\\\n\s;a-zA-Z0-9]/.test(delimiter)) return -1;
  const second = skipDelimited(script, start + 2, delimiter);
  const end = second === -1 ? -1 : skipDelimited(script, second, delimiter);
  if (end === -1) return -1;
  let at = end;
  while (command === "s" && /[gpiI0-9]/.test(script[at] ?? "")) at++;
  const next = script[at];
  return next === undefined || /[;\s}]/.test(next) ? at : -1;
}

function skipDigits(script: string, start: number): number {
  let at = start;
  while (/[0-9]/.test(script[at] ?? "")) at++;
  return at;
}

/**
 * Just past the delimiter. Within `[]` GNU sed takes a delimiter as plain, other seds end there: a script with
 * a bracket that holds the delimiter, or that begins with `]`, is not judged. Nor is one with a newline inside.
 */
function skipDelimited(script: string, start: number, delimiter: string): number {
  let inClass = false;
  for (let at = start; at < script.length; at++) {
    const character = script[at]!;
    if (character === "\n") return -1;
    if (character === delimiter) return inClass ? -1 : at + 1;
    if (character === "\\") at++;
    else if (character === "[") {
      const rest = script.slice(at + 1, at + 3);
      if (/^\^?\]/.test(rest)) return -1;
      const named = inClass ? /^\[[:.=][a-z]*[:.=]\]/.exec(script.slice(at, at + 16)) : null;
      if (inClass && named === null) return -1;
      at += named === null ? 0 : named[0].length - 1;
      inClass = true;
    } else if (character === "]") inClass = false;
  }
  return -1;
}

/**
 * The shell lines that a script would run, as far as it says: of `e COMMAND` and of what `s///e` puts in. Each letter is
 * passed once.
 */
export function sedCommands(script: string): readonly string[] {
  const commands: string[] = [];
  for (let at = 0; at < script.length;) {
    if (/[;\s{}!]/.test(script[at]!)) {
      at++;
      continue;
    }
    const start = skipAnyAddresses(script, at);
    const command = script[start] ?? "";
    if (command === "s" || command === "y") {
      const parts = substitution(script, start);
      // Without its end sed runs nothing of the script.
      if (parts === null) break;
      if (command === "s" && parts.flags.includes("e")) {
        commands.push(parts.replacement, ...(parts.whole ? [] : [OPEN_COMMAND]));
      }
      // A file takes the rest of the line.
      at = parts.flags.includes("w") ? endOfText(script, parts.end) : parts.end;
      continue;
    }
    // Texts, files and commands of the shell take the rest of the line; labels end at a blank.
    if ("aicrRwWe#".includes(command)) {
      at = endOfText(script, start);
      if (command === "e") {
        const text = script.slice(start + 1, at);
        // Alone it runs the line that it has read.
        const open = text.trim() === "" || NUMBERED.test(text);
        commands.push(text.replace(/\\(.)/gs, "$1").trim(), ...(open ? [OPEN_COMMAND] : []));
      }
    } else if ("bTtv:".includes(command)) at = endOf(script, start, /[\s;}]/y);
    else at = Math.max(start, at) + 1;
  }
  return commands.filter((command) => command !== "");
}

/** Escapes of GNU sed that stand for any letter ("Escapes"). */
const NUMBERED = /\\[xodc]/;

/** The end of the line, a line that a backslash joins to it included. */
function endOfText(script: string, start: number): number {
  for (let at = start; at < script.length; at++) {
    if (script[at] === "\\") at++;
    else if (script[at] === "\n") return at;
  }
  return script.length;
}

function endOf(script: string, start: number, ends: RegExp): number {
  for (let at = start; at < script.length; at++) {
    ends.lastIndex = at;
    if (ends.test(script)) return at;
  }
  return script.length;
}

/** Past the addresses, those with a delimiter of their own too; at least one of them may be missing. */
function skipAnyAddresses(script: string, start: number): number {
  const address = /(?:[0-9$~+]+|\/(?:[^/\\\n]|\\.)*\/[IM]*|\\(.)(?:(?!\1)[^\\\n]|\\.)*\1[IM]*)/y;
  let at = start;
  for (;;) {
    address.lastIndex = at;
    const found = address.exec(script);
    if (found === null) break;
    at += found[0].length;
    while (/[ \t,]/.test(script[at] ?? "")) at++;
  }
  // With an address that does not end sed runs nothing.
  if (script[at] === "/" || script[at] === "\\") return script.length;
  while (/[\s!{]/.test(script[at] ?? "")) at++;
  return at;
}

/** `s/x/y/flags` at that place taken apart; null where a delimiter is missing. `end`: behind the flags. */
function substitution(
  line: string,
  start: number,
): {
  readonly replacement: string;
  readonly flags: string;
  readonly end: number;
  /** The line is nothing but the replacement afterwards. */
  readonly whole: boolean;
} | null {
  const delimiter = line[start + 1];
  if (delimiter === undefined) return null;
  const ends: number[] = [];
  for (let at = start + 2; at < line.length && ends.length < 2; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === "\n") return null;
    else if (line[at] === delimiter) ends.push(at);
  }
  const [second, third] = ends;
  if (second === undefined || third === undefined) return null;
  const end = endOf(line, third + 1, /[^a-zA-Z0-9]/y);
  const written = line.slice(second + 1, third);
  const whole = /^\^?\.\*\$?$/.test(line.slice(start + 2, second)) &&
    !/(?:^|[^\\])&|\\[0-9xodclLuUE]/.test(written);
  const replacement = written.replaceAll(/\\([^&0-9])/gs, "$1");
  return { replacement, flags: line.slice(third + 1, end), end, whole };
}
