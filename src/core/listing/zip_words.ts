/** What zip(1) would pack, by its words: Info-ZIP's zip 3.0, `options` in its zip.c. */

import { INPUTS, type Listing } from "./model.ts";

/** Options with a value that change nothing about what is packed; they are left out when it is asked. */
const VALUED: ReadonlySet<string> = new Set(["b", "lf", "n", "O", "P", "s", "sp", "TT", "Z", "UN"]);
/** Others with a value. */
const DATED: ReadonlySet<string> = new Set(["t", "tt"]);
/** Of two letters, which its parser takes before those of one. */
const DOUBLE: ReadonlySet<string> = new Set([
  ...["AC", "AS", "db", "dc", "dd", "df", "dg", "du", "dv", "DF", "FF", "FI", "FS", "h2", "ll"],
  ...["la", "li", "lu", "MM", "nw", "RE", "sb", "sc", "sd", "sf", "so", "su", "sU", "sv", "ww"],
  ...["ws", "wl", "lf", "sp", "TT", "tt", "UN"],
]);
/** By these it is said which files are meant, or how names are read. */
const KEPT: ReadonlySet<string> = new Set(["r", "R", "D", "y", "@", "AC", "AS", "nw", "ww", "ws"]);
const LONG_KEPT =
  /^--(?:recurse-paths|recurse-patterns|no-dir-entries|symlinks|names-stdin|before-date|from-date)\b/;
const LONG_LISTS: ReadonlySet<string> = new Set(["--exclude", "--include"]);
const LONG_VALUED =
  /^--(?:temp-path|logfile-path|suffixes|output-file|out|password|split-size|unzip-command|compression-method)$/;

/** What was read of its words. */
interface Read {
  readonly kept: string[];
  readonly operands: string[];
  readonly reads: string[];
  fed: boolean;
  leavesOut: boolean;
  moves: boolean;
}

/** Null where all that its words name is packed. */
export function zipListing(argv: readonly string[]): Listing | null {
  const read: Read = {
    kept: [],
    operands: [],
    reads: [],
    fed: false,
    leavesOut: false,
    moves: false,
  };
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "--") {
      read.operands.push(...argv.slice(at + 1));
      break;
    }
    if (word.startsWith("--")) at = long(argv, at, read);
    else if (word.startsWith("-") && word !== "-") at = cluster(argv, at, read);
    else read.operands.push(word);
  }
  if (!read.leavesOut) return null;
  const [archive = "-", ...named] = read.operands;
  return {
    ask: [
      ...[argv[0] ?? "zip", "-sf", ...read.kept],
      // To its standard output it says nothing; what is not there yet is named in place of that.
      archive === "-" ? "listed.zip" : archive,
      ...named,
    ],
    reads: [archive, ...named, ...read.reads, ...(read.fed || named.length === 0 ? ["."] : [])]
      .filter((name) => !INPUTS.has(name)),
    fed: read.fed,
    access: read.moves ? "write" : "read",
    follows: !read.kept.some((word) => word === "-y" || word === "--symlinks"),
    namesIn: (text) =>
      text.split("\n").flatMap((line) => {
        const name = /^ {2}(.*?)\/?$/.exec(line)?.[1] ?? "";
        if (name === "") return [];
        return named.some((one) => one.startsWith("/")) ? [name, `/${name}`] : [name];
      }),
  };
}

/** Where it stands then. */
function long(argv: readonly string[], at: number, read: Read): number {
  const word = argv[at]!;
  const [name = ""] = word.split("=");
  if (LONG_LISTS.has(name)) {
    read.leavesOut = true;
    return list(argv, at, word, read);
  }
  if (/^--(?:names-stdin)$/.test(name)) read.fed = true;
  if (/^--(?:names-stdin|recurse-patterns|before-date|from-date)$/.test(name)) {
    read.leavesOut = true;
  }
  if (name === "--move") read.moves = true;
  const dated = /^--(?:before|from)-date$/.test(name);
  const takes = !word.includes("=") && (dated || LONG_VALUED.test(name));
  if (LONG_KEPT.test(name)) read.kept.push(word, ...(takes ? [argv[at + 1] ?? ""] : []));
  return takes ? at + 1 : at;
}

function cluster(argv: readonly string[], at: number, read: Read): number {
  const word = argv[at]!;
  for (let from = 1; from < word.length;) {
    const two = word.slice(from, from + 2);
    const option = two.length === 2 && DOUBLE.has(two) ? two : word[from]!;
    from += option.length;
    const rest = word.slice(from);
    if (option === "x" || option === "i") {
      read.leavesOut = true;
      return list(argv, at, `-${option}${rest}`, read);
    }
    if (option === "m") read.moves = true;
    if (option === "@") read.fed = true;
    if (option === "R" || option === "@" || DATED.has(option)) read.leavesOut = true;
    if (VALUED.has(option) || DATED.has(option)) {
      const value = rest === "" ? argv[at + 1] ?? "" : rest;
      if (DATED.has(option)) read.kept.push(`-${option}`, value);
      return rest === "" ? at + 1 : at;
    }
    if (KEPT.has(option)) read.kept.push(`-${option}`);
  }
  return at;
}

/** Patterns up to the next option, or to a word `@`; `-x@FILE` reads them. */
function list(argv: readonly string[], at: number, first: string, read: Read): number {
  const words = [first];
  let next = at + 1;
  while (next < argv.length && !argv[next]!.startsWith("-") && argv[next] !== "@") {
    words.push(argv[next++]!);
  }
  if (argv[next] === "@") next++;
  // Patterns that hang on it are followed by no others, and a file says all of them.
  const alone = first.startsWith("--") ? first.includes("=") : first.length > 2;
  const own = alone ? [first] : words;
  const file = /^(?:-[xi]|--\w+=)@(.+)$/.exec(first)?.[1];
  if (file !== undefined) read.reads.push(file);
  read.kept.push(...own, ...(alone ? [] : ["@"]));
  return alone ? at : next - 1;
}
