/** Judges the little programs that awk and sed take as arguments: what is not plainly harmless is not. */

import type { Risk } from "../core/tool.ts";

interface Judged {
  readonly risk: Risk;
  readonly because: string;
}

const SAFE: Judged = { risk: "safe", because: "" };

/** awk(1) of POSIX: `-F`, `-v` and `-f` are known; any other option is not. */
export function awkRisk(name: string, argv: readonly string[]): Judged {
  let risk = SAFE;
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === "--") return textRisk(argv[at + 1] ?? "");
    if (!argument.startsWith("-") || argument === "-") {
      return risk.risk === "safe" ? textRisk(argument) : risk;
    }
    const option = argument.slice(0, 2);
    if (option === "-F" || option === "-v" || option === "-f") {
      if (argument.length === 2) at++;
      // With a file of its own, the first operand is data.
      if (option === "-f") risk = { risk: "dangerous", because: `${name} -f runs a file` };
    } else {
      return { risk: "dangerous", because: `${name} ${argument} is not known to be harmless` };
    }
  }
  return risk;

  function textRisk(program: string): Judged {
    if (risk.risk !== "safe") return risk;
    // Redirection, pipes, includes and calls by name; `>=` and `||` compare.
    const rest = program.replaceAll(">=", "").replaceAll("||", "");
    const found = /system|getline|close|fflush|[|>@]/.exec(rest);
    if (found === null) return SAFE;
    return { risk: "dangerous", because: `${name}: ${found[0]} in its program may run or write` };
  }
}

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

function isPlainSed(script: string): boolean {
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
