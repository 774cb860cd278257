/** `sh -c SCRIPT`: a shell that is given its script as a word, taken apart by its arguments. */

import type { PlanNode, ShellSettings, SimplePlan } from "../core/plan.ts";
import type { CommandSource } from "./_command_source.ts";
import { certainText } from "./certain.ts";
import { applied, NO_SETTINGS, united } from "./_settings.ts";
import { Refused } from "./_constructs.ts";

export { SHELLS } from "./shells.ts";

/** A call of a shell with a script: `sh -c 'x' name a b`. */
export interface ShellCall {
  readonly argv: readonly string[];
  readonly script: string;
  /** `$0` and on. */
  readonly positional: readonly string[];
  readonly settings: ShellSettings;
  /** A login or interactive shell, which reads files before the script. */
  readonly login: boolean;
}

const PLAIN = new Set(["--noprofile", "--norc", "--posix"]);

/** The call; null where it is of any other form than `-c` with a script. Words that are not certain are null. */
export function readShellCall(words: readonly (string | null)[]): ShellCall | null {
  let settings = NO_SETTINGS;
  let command = false;
  let login = false;
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === null || word === undefined) return null;
    if (PLAIN.has(word)) continue;
    if (word === "--login") {
      login = true;
      continue;
    }
    if (word === "--") {
      at++;
      break;
    }
    if (!/^-[a-z]+$/.test(word)) break;
    const letters = word.slice(1).replaceAll(/[cl]/g, "");
    command ||= word.includes("c");
    login ||= word.includes("l");
    if (letters === "") continue;
    const value = letters.endsWith("o") ? [words[++at] ?? null] : [];
    try {
      settings = applied(settings, [`-${letters}`, ...value], 0);
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  }
  const argv = words.filter((word) => word !== null);
  const [script, ...positional] = words.slice(at);
  if (!command || script === null || script === undefined || argv.length < words.length) {
    return null;
  }
  return { argv, script, positional: positional.filter((word) => word !== null), settings, login };
}

/** `sh -c SCRIPT` is the script, in a subshell; any other call of a shell is a program like others. */
export function openShell(simple: SimplePlan, from: CommandSource): PlanNode {
  const call = readShellCall(simple.words.map(certainText));
  if (call === null) return simple;
  const { node, settings } = from.nested(call.script, call.positional, from.indexes[0] ?? 0);
  // One by one: each value may name those before it.
  const exports = simple.assignments.map(({ name, value }): SimplePlan => ({
    kind: "simple",
    assignments: [],
    words: [[{ kind: "text", text: "export" }], [{ kind: "text", text: `${name}=` }, ...value]],
    redirections: [],
    position: simple.position,
    line: simple.line,
  }));
  const body: PlanNode = exports.length === 0 ? node : {
    kind: "list",
    items: [...exports, node].map((one) => ({ when: "always", node: one })),
  };
  return {
    kind: "group",
    subshell: true,
    settings: united(call.settings, settings),
    opened: call.argv,
    body,
    redirections: simple.redirections,
    positional: call.positional,
  };
}
