/** Options among words, as each program's own parser finds them. */

import type { Grammar, OptionSpec, OptionTable } from "./spec.ts";

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
  const equals = argument.indexOf("=");
  const name = equals === -1 ? argument : argument.slice(0, equals);
  return {
    name: grammar === "node" ? name.replaceAll("_", "-") : name,
    value: equals === -1 ? null : argument.slice(equals + 1),
  };
}

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
  const whole = table.get(word);
  if (whole !== undefined) return found(whole, null);
  const { name, value } = parted(word, grammar);
  const named = name.length > 2 && value !== null ? table.get(name) : undefined;
  if (named !== undefined) return found(named, value);
  if (grammar === "words") return null;
  return clusteredOption(table, word, grammar);
}

function longOption(table: OptionTable, argument: string, grammar: Grammar): FoundOption | null {
  const { name, value } = parted(argument, grammar);
  const exact = table.get(name);
  if (exact !== undefined) return found(exact, value);
  // Shortened, as long as it means one kind of thing.
  const longer = [...table].filter(([option]) => option.startsWith(name)).map(([, spec]) => spec);
  const [first] = longer;
  const one = first !== undefined && longer.every(({ is }) => is === first.is);
  return one ? found(first, value) : null;
}

function clusteredOption(table: OptionTable, word: string, grammar: Grammar): FoundOption | null {
  for (let at = 1; at < word.length; at++) {
    const pair = grammar === "zip" ? table.get(`-${word.slice(at, at + 2)}`) : undefined;
    const long = pair !== undefined && at + 2 <= word.length;
    const spec = long ? pair : table.get(`-${word[at]}`);
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
export function spelledOut(argv: readonly string[], table: OptionTable): readonly string[] {
  const [program, first] = argv;
  if (program === undefined || first === undefined || /^-|^$/.test(first)) return argv;
  const words: string[] = [];
  let cluster = "-";
  let at = 2;
  for (const letter of first) {
    cluster += letter;
    const spec = table.get(`-${letter}`);
    if (spec === undefined || spec.is === "flag") continue;
    words.push(cluster, ...argv.slice(at, at + 1));
    at++;
    cluster = "-";
  }
  if (cluster !== "-") words.push(cluster);
  return [program, ...words, ...argv.slice(at)];
}
