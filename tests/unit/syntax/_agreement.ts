/** How often a validator and the judge of its language say the same of mutants. */

import type { Validator } from "../../../src/syntax/problem.ts";
import { type CPython } from "./_cpython.ts";
import { isValidTypeScript } from "./_compiler.ts";
import { type Mutant, mutants, pieces } from "./_mutants.ts";

/** Lines of a piece that is mutated: so small that a slip is seldom hidden behind another. */
const PIECE = 30;

/** Words that a slip puts in place of others. */
const PYTHON_WORDS = (
  "False None True and as assert async await break case class continue def del elif else except finally for from " +
  "global if import in is lambda match nonlocal not or pass print raise return self try type while with yield"
).split(" ");
const TYPESCRIPT_WORDS = (
  "abstract any as async await boolean break case catch class const continue debugger declare default delete do else " +
  "enum export extends false finally for from function get if implements import in infer instanceof interface is " +
  "keyof let namespace new null number of private protected public readonly return satisfies set static string super " +
  "switch this throw true try type typeof undefined unknown var void while with yield"
).split(" ");

export interface Agreement {
  readonly judged: number;
  /** Of those, what the judge takes for valid. */
  readonly valid: number;
  /** Valid, and refused. */
  readonly alarms: readonly Mutant[];
  /** Not valid, and passed. */
  readonly misses: readonly Mutant[];
}

/** Share of verdicts that are the same, from 0 to 1. */
export function shareOf({ judged, alarms, misses }: Agreement): number {
  return 1 - (alarms.length + misses.length) / judged;
}

export async function agreeOnPython(
  validator: Validator,
  python: CPython,
  count: number,
  seed: number,
): Promise<Agreement> {
  const texts = python.sources.flatMap((source) => pieces(source, PIECE));
  const made = mutants(texts, count, seed, PYTHON_WORDS);
  return compare(validator, made, await python.judge(made.map(({ text }) => text)));
}

export function agreeOnTypeScript(
  validator: Validator,
  sources: readonly string[],
  count: number,
  seed: number,
): Agreement {
  const texts = sources.flatMap((source) => pieces(source, PIECE));
  const made = mutants(texts, count, seed, TYPESCRIPT_WORDS);
  return compare(validator, made, made.map(({ text }) => isValidTypeScript(text)));
}

/** What the judge gave up on does not count. */
function compare(
  validator: Validator,
  made: readonly Mutant[],
  verdicts: readonly (boolean | null)[],
): Agreement {
  const judged = made.map((mutant, index) => ({ mutant, valid: verdicts[index] ?? null }))
    .filter(({ valid }) => valid !== null)
    .map(({ mutant, valid }) => ({ mutant, valid, passed: validator(mutant.text) === null }));
  return {
    judged: judged.length,
    valid: judged.filter(({ valid }) => valid).length,
    alarms: judged.filter(({ valid, passed }) => valid && !passed).map(({ mutant }) => mutant),
    misses: judged.filter(({ valid, passed }) => !valid && passed).map(({ mutant }) => mutant),
  };
}
