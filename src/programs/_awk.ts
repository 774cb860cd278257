/** Judges the programs that awk takes as arguments: what is not plainly harmless is not. */

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

/** A name, from its first letter on. */
const NAME = "\\b([A-Za-z_][A-Za-z0-9_]*)";

/**
 * The shell lines that a program would run, as far as it says: strings that are given to `system` or stand at a pipe,
 * and those that a variable is set to that does. `set`: `name=text` of `-v`. A string is looked for wherever one may
 * begin, since a quote may stand in a regular expression too.
 */
export function awkCommands(program: string, set: readonly string[]): readonly string[] {
  const ends = stringEnds(program);
  const text = (quote: number): string => joined(program, quote, ends);
  const all = (pattern: string) => [...program.matchAll(new RegExp(pattern, "g"))];
  const behind = all('(?:system\\s*\\(|\\|&?)[\\s(]*"').map((match) =>
    text(match.index + match[0].length - 1)
  );
  const before = all('"[\\s)]*\\|&?\\s*getline').map((match) => {
    const start = firstQuote(program, match.index);
    return start === -1 ? "" : text(start);
  });
  const variables = new Set(
    [`system\\s*\\(\\s*${NAME}`, `\\|&?\\s*${NAME}`, `${NAME}\\s*\\|&?\\s*getline`]
      .flatMap((pattern) => all(pattern).map((match) => match[1] ?? "")),
  );
  const assigned = all(`${NAME}\\s*=\\s*"`).filter((match) => variables.has(match[1] ?? ""))
    .map((match) => text(match.index + match[0].length - 1));
  const given = set.flatMap((one) => {
    const equals = one.indexOf("=");
    return variables.has(one.slice(0, equals)) ? [unescaped(one.slice(equals + 1))] : [];
  });
  return [...behind, ...before, ...assigned, ...given].filter((command) => command !== "");
}

/** For each place, where a string that begins there would end; -1 where it does not on its line. */
function stringEnds(program: string): Int32Array {
  const ends = new Int32Array(program.length + 2).fill(-1);
  for (let at = program.length - 1; at >= 0; at--) {
    const letter = program[at];
    if (letter === '"') ends[at] = at;
    else if (letter === "\\") ends[at] = ends[at + 2] ?? -1;
    else if (letter !== "\n") ends[at] = ends[at + 1] ?? -1;
  }
  return ends;
}

/** Strings side by side that are taken together: nobody writes so many. */
const MOST_SIDE_BY_SIDE = 20;

/** The string that begins at a quote, with those that stand right behind it: awk puts them together. */
function joined(program: string, quote: number, ends: Int32Array): string {
  const parts: string[] = [];
  for (let start = quote; parts.length < MOST_SIDE_BY_SIDE;) {
    const end = ends[start + 1] ?? -1;
    if (end === -1) break;
    parts.push(unescaped(program.slice(start + 1, end)));
    const next = /\s*"/y;
    next.lastIndex = end + 1;
    if (!next.test(program)) break;
    start = next.lastIndex - 1;
  }
  return parts.join("");
}

/** Where the string that ends at that place begins, or the first of those side by side; -1 where none does. */
function firstQuote(program: string, end: number): number {
  let first = -1;
  for (let at = end, count = 0; at > 0 && count < MOST_SIDE_BY_SIDE; count++) {
    const start = lastPlainQuote(program, at - 1);
    if (start === -1) break;
    first = start;
    at = start - 1;
    while (/\s/.test(program[at] ?? "")) at--;
    if (program[at] !== '"') break;
  }
  return first;
}

/** The last quote up to that place that no backslash stands before. */
function lastPlainQuote(program: string, from: number): number {
  for (let at = program.lastIndexOf('"', from); at > 0; at = program.lastIndexOf('"', at - 1)) {
    if (program[at - 1] !== "\\") return at;
  }
  return program.startsWith('"') ? 0 : -1;
}

/** Escapes of a string of awk's, or in `$'…'` of a shell's: awk(1), "Regular Expressions" and "String constants". */
export function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return text.replace(
    /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))/gs,
    (_, octal?: string, hex?: string, letter = "") => {
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      return letters[letter] ?? letter;
    },
  );
}
