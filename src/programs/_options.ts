/** Options among words, as each program's own parser finds them. */

import type { OptionTable } from "./option_table.ts";
import type { Grammar, OptionSpec } from "./spec.ts";

/**
 * Whether an option may stand among the words: long ones also shortened, as getopt_long(3) takes them, single
 * letters anywhere within a cluster, words (`-exec`) whole or with `=`. Words after `--` and values count too: better
 * asked once too often.
 */
export function hasOption(
  argv: readonly string[],
  option: string,
  grammar: Grammar = "getopt",
): boolean {
  return argv.some((argument, index) => {
    if (index === 0 || !argument.startsWith("-")) return false;
    if (argument.startsWith("--")) {
      const { name } = parted(argument, grammar);
      const long = grammar === "words" ? option.replace(/^--?/, "--") : option;
      return name.length > 2 && long.startsWith("--") && long.startsWith(name);
    }
    if (option.startsWith("--")) return false;
    if (option.length === 2) return argument.includes(option[1]!);
    if (grammar === "zip") return argument.includes(option.slice(1));
    return argument === option || argument.startsWith(`${option}=`);
  });
}

/** `--name=value` in two; node(1) reads `_` in a name as `-`. */
export function parted(
  argument: string,
  grammar: Grammar = "getopt",
): { readonly name: string; readonly value: string | null } {
  // No program has an option of a longer name.
  const equals = argument.slice(0, LONGEST_NAME).indexOf("=");
  const name = equals === -1 ? argument : argument.slice(0, equals);
  return {
    name: grammar === "node" && name.length < LONGEST_NAME ? name.replaceAll("_", "-") : name,
    value: equals === -1 ? null : argument.slice(equals + 1),
  };
}

const LONGEST_NAME = 200;

/** What one word of a program can hold: MAX_ARG_STRLEN of execve(2). */
const LONGEST_WORD = 131_072;

/** An option as it stands there. */
export interface FoundOption {
  readonly spec: OptionSpec;
  /** What hangs on it; null where nothing does. */
  readonly value: string | null;
  /** Its value is the next word. */
  readonly takesNext: boolean;
}

/** The first option with a value that a word is or holds; null where none of it is known to take one. */
export function optionIn(
  table: OptionTable,
  argument: string,
  grammar: Grammar = "getopt",
): FoundOption | null {
  if (argument.startsWith("--") && grammar !== "words") return longOption(table, argument, grammar);
  const word = grammar === "words" ? argument.replace(/^--/, "-") : argument;
  const whole = table.bySpelling.get(word);
  if (whole !== undefined) return found(whole, null);
  const { name, value } = parted(word, grammar);
  const named = name.length > 2 && value !== null ? table.bySpelling.get(name) : undefined;
  if (named !== undefined) return found(named, value);
  if (grammar === "words") return null;
  return grammar === "zip" ? zipOption(table, word) : clusteredOption(table, word);
}

function longOption(table: OptionTable, argument: string, grammar: Grammar): FoundOption | null {
  const { name, value } = parted(argument, grammar);
  const exact = table.bySpelling.get(name);
  if (exact !== undefined) return found(exact, value);
  if (name.length > LONGEST_NAME) return null;
  // Shortened, as long as it means one kind of thing.
  let one: OptionSpec | null = null;
  for (const [option, spec] of table.longs) {
    if (!option.startsWith(name)) continue;
    if (one !== null && one.is !== spec.is) return null;
    one ??= spec;
  }
  return one === null ? null : found(one, value);
}

function clusteredOption({ bySpelling, valued }: OptionTable, word: string): FoundOption | null {
  const at = valued === null ? -1 : word.slice(1).search(valued) + 1;
  const spec = bySpelling.get(`-${word[at]}`);
  if (at < 1 || spec === undefined) return null;
  return found(spec, at + 1 < word.length ? word.slice(at + 1) : null);
}

function zipOption({ bySpelling }: OptionTable, word: string): FoundOption | null {
  const end = Math.min(word.length, LONGEST_WORD);
  for (let at = 1; at < end; at++) {
    const pair = bySpelling.get(`-${word.slice(at, at + 2)}`);
    const long = pair !== undefined && at + 2 <= word.length;
    const spec = long ? pair : bySpelling.get(`-${word[at]}`);
    if (long) at++;
    if (spec === undefined || spec.is === "flag") continue;
    return found(spec, at + 1 < word.length ? word.slice(at + 1) : null);
  }
  return null;
}

function found(spec: OptionSpec, value: string | null): FoundOption | null {
  if (spec.is === "flag" || (spec.optional === true && value === null)) return null;
  return { spec, value, takesNext: value === null };
}

/**
 * tar(1) takes its first argument as a cluster without its dash too, and then the values from the words that follow,
 * in the order of the letters: written out as other programs take them.
 */
export function spelledOut(argv: readonly string[], { valued }: OptionTable): readonly string[] {
  const [program, first] = argv;
  if (program === undefined || first === undefined || /^-|^$/.test(first)) return argv;
  const words: string[] = [];
  let rest = first;
  let at = 2;
  while (valued !== null && at < argv.length) {
    const letter = rest.search(valued);
    if (letter === -1) break;
    words.push(`-${rest.slice(0, letter + 1)}`, argv[at++]!);
    rest = rest.slice(letter + 1);
  }
  if (rest !== "") words.push(`-${rest}`);
  return [program, ...words, ...argv.slice(at)];
}
