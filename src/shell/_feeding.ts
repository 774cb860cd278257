/**
 * `… | xargs COMMAND`: what its input makes of the command is known only when it runs. The line does it itself then, as it does
 * a loop, so that each command is judged with all its words. Where the command only reads, whatever is put behind it, the
 * program does it: a file that may not be read is left out there, and the others are read.
 */

import { BUILTINS, type SimplePlan } from "../core/plan.ts";
import type { assessCommand } from "../programs/risk.ts";
import { certainText, wordText } from "./certain.ts";
import { readXargs } from "./xargs_words.ts";

/** The same command, marked where the line is to feed it. */
export function feeding(
  simple: SimplePlan,
  functions: ReadonlySet<string>,
  assess: typeof assessCommand,
): SimplePlan {
  const words = simple.words.map(certainText);
  const call = readXargs(words);
  const name = call === null ? null : words[call.command] ?? null;
  if (call === null || name === null || name === "" || functions.has(name)) return simple;
  const { command, replaces } = call;
  if (replaces !== null && name.includes(replaces)) return simple;
  // A program of that name, if any.
  if (BUILTINS.some((one) => one === name) && name !== "true" && name !== "false") return simple;
  const { risk, uncertain } = assess({ argv: simple.words.map(wordText) }, null);
  const reads = risk === "safe" && uncertain === null;
  return reads ? simple : { ...simple, feeds: command };
}
