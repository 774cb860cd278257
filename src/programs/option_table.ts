/** Options of a program by their spellings, with what is asked of them again and again made ready. */

import type { OptionsLiteral, OptionSpec } from "./spec.ts";

/** Options by spelling. */
export interface OptionTable {
  readonly bySpelling: ReadonlyMap<string, OptionSpec>;
  /** Those that begin with two dashes. */
  readonly longs: readonly (readonly [spelling: string, spec: OptionSpec])[];
  /** Those that may make a program more than it is. */
  readonly risky: readonly (readonly [spelling: string, spec: OptionSpec])[];
  /** Finds the first letter of a cluster that takes a value; null where none does. */
  readonly valued: RegExp | null;
}

/** Names apart by blanks. */
export function names(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}

/** The options of a literal; none where it has none. */
export function optionsOf(literal: OptionsLiteral = {}): OptionTable {
  return optionTable(
    Object.entries(literal).flatMap(([spellings, given]) => {
      const spec = typeof given === "string" ? { is: given } : given;
      return names(spellings).map((spelling) => [spelling, spec] as const);
    }),
  );
}

/** Of spellings and what they are; the last of two counts. */
export function optionTable(
  entries: Iterable<readonly [spelling: string, spec: OptionSpec]>,
): OptionTable {
  const bySpelling = new Map(entries);
  const all = [...bySpelling];
  const letters = all.filter(([spelling, { is }]) => spelling.length === 2 && is !== "flag")
    .map(([spelling]) => spelling[1]!.replace(/[\]\\^-]/, "\\$&"));
  return {
    bySpelling,
    longs: all.filter(([spelling]) => spelling.startsWith("--")),
    risky: all.filter(([, { is, risk }]) => risk !== undefined || RISKY.has(is)),
    valued: letters.length === 0 ? null : new RegExp(`[${letters.join("")}]`),
  };
}

/** What a value may be that makes a program more than it is. */
const RISKY: ReadonlySet<OptionSpec["is"]> = new Set<OptionSpec["is"]>(
  ["write", "delete", "folder", "into", "command", "code", "library"],
);
