/**
 * `… | xargs COMMAND`: what its input makes of the command is known only when it runs. The line does it itself then, as it does
 * a loop, so that each command is judged with all its words. Where the command only reads, whatever is put behind it, the
 * program does it: a file that may not be read is left out there, and the others are read.
 */

import { BUILTINS, type PlanNode, type SimplePlan } from "../core/plan.ts";
import type { assessCommand } from "../programs/risk.ts";
import type { CommandSource } from "./_command_source.ts";
import { openShell, readShellCall, SHELLS } from "./_shell_call.ts";
import { certainText, wordText } from "./certain.ts";
import { readXargs } from "./commands/xargs_words.ts";

/** An `xargs` that feeds a shell has its script read with the line, its parameters left open. */
export function fed(simple: SimplePlan, from: CommandSource): PlanNode {
  if (from.assess === null) return simple;
  const marked = feeding(simple, from.functions, from.assess);
  return fedShell(marked, from) ?? simple;
}

/** One that is marked, with the script of a shell that it feeds; null where that is not understood. */
export function fedShell(marked: SimplePlan, from: CommandSource): SimplePlan | null {
  const { feeds } = marked;
  if (feeds === undefined || !SHELLS.has(certainText(marked.words[feeds]!) ?? "")) return marked;
  const words = marked.words.slice(feeds);
  const call = readShellCall(words.map(certainText));
  if (call === null) return null;
  const replaced = readXargs(marked.words.map(certainText))?.replaces ?? null;
  // What is put into a script makes another of it, each time.
  if (replaced !== null && call.script.includes(replaced)) return marked;
  const open = openShell({ ...marked, words, assignments: [], redirections: [] }, {
    ...from,
    nested: (source, _, index) => from.nested(source, "open", index),
  });
  return { ...marked, script: open };
}

/** The same command, marked where the line is to feed it. */
function feeding(
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
