/** `sh -c SCRIPT`: a shell that is given its script as a word, also behind `timeout`, taken apart by its arguments. */

import type {
  Assignment,
  PlanNode,
  ShellSettings,
  SimplePlan,
  TimeLimit,
  Word,
} from "../core/plan.ts";
import type { CommandSource } from "./_command_source.ts";
import { certainText, holdsCommand } from "./certain.ts";
import { applied, NO_SETTINGS, united } from "./_settings.ts";
import { Refused } from "./_constructs.ts";
import { SHELLS } from "./shells.ts";
import { isSetByShell } from "./special_variables.ts";

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
  return withVariables(simple, {
    kind: "group",
    subshell: true,
    settings: united(call.settings, settings),
    opened: call.argv,
    body: node,
    redirections: simple.redirections,
    positional: call.positional,
  });
}

type Group = Extract<PlanNode, { readonly kind: "group" }>;

/** A shell with variables of its own, whose values the shell around it finds out: what it knows the other does not. */
function withVariables({ assignments, position, line, later }: SimplePlan, opened: Group): Group {
  if (assignments.length === 0) return opened;
  // One by one: each value may name those before it.
  const exports = assignments.map(({ name, value }): SimplePlan => ({
    kind: "simple",
    assignments: [],
    words: [[{ kind: "text", text: "export" }], [{ kind: "text", text: `${name}=` }, ...value]],
    redirections: [],
    position,
    line,
    ...(later === undefined ? {} : { later }),
  }));
  const items = [...exports, { ...opened, redirections: [] }];
  return {
    kind: "group",
    subshell: true,
    settings: NO_SETTINGS,
    redirections: opened.redirections,
    body: { kind: "list", items: items.map((node) => ({ when: "always", node })) },
  };
}

/**
 * `timeout 5 sh -c SCRIPT` is the script, for so long; in any other form, and with any other command, timeout is a program
 * like others.
 */
export function openTimed(simple: SimplePlan, from: CommandSource): PlanNode {
  const words = simple.words.map(certainText);
  const found = readTimeout(words);
  if (found === null || !SHELLS.has(words[found.command] ?? "")) return simple;
  const { command, limit } = found;
  const inner = openShell({ ...simple, words: simple.words.slice(command), redirections: [] }, {
    ...from,
    indexes: from.indexes.slice(command),
  });
  // A trap of signals takes a shell that gets them.
  if (inner.kind !== "group" || holdsCommand(inner, ["trap"])) return simple;
  return {
    kind: "group",
    subshell: true,
    settings: NO_SETTINGS,
    opened: words.filter((word) => word !== null),
    body: inner,
    redirections: simple.redirections,
    limit,
  };
}

/** `env A=1 sh -c SCRIPT` is `A=1 sh -c SCRIPT`; in any other form, and with any other command, env is a program like others. */
export function openWithVariables(simple: SimplePlan, from: CommandSource): PlanNode {
  const command = simple.words.findIndex((word, at) => at > 0 && assignmentOf(word) === null);
  if (command === -1 || !SHELLS.has(certainText(simple.words[command] ?? []) ?? "")) return simple;
  const own = simple.words.slice(1, command).flatMap((word) => assignmentOf(word) ?? []);
  // These a line sets otherwise, or not at all.
  if (own.some(({ name }) => isSetByShell(name) || name === "IFS" || name === "PATH")) {
    return simple;
  }
  const words = simple.words.slice(command);
  const inner = openShell(
    { ...simple, words, assignments: [], redirections: [] },
    { ...from, indexes: from.indexes.slice(command) },
  );
  if (inner.kind !== "group") return simple;
  const assignments = [...simple.assignments, ...own];
  return withVariables({ ...simple, assignments }, {
    kind: "group",
    subshell: true,
    settings: NO_SETTINGS,
    // Rules may name it.
    opened: ["env", ...inner.opened ?? []],
    body: inner,
    redirections: simple.redirections,
  });
}

/** `NAME=value` as a word; null for any other. */
export function assignmentOf([first, ...rest]: Word): Assignment | null {
  const [, name, text] = first?.kind === "text"
    ? /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(first.text) ?? []
    : [];
  if (name === undefined || text === undefined) return null;
  // What is split may come out as several words, or begin as an option does.
  const isOne = rest.every((part) => part.kind === "text" || ("quoted" in part && part.quoted));
  return isOne ? { name, value: [{ kind: "text", text }, ...rest] } : null;
}

/** timeout(1): what it says of the time, and where the command begins. */
export function readTimeout(
  words: readonly (string | null)[],
): { readonly command: number; readonly limit: TimeLimit } | null {
  let [signal, killAfterMs, preserves]: [string, number | null, boolean] = ["TERM", null, false];
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) break;
    const [, option, hangs] = /^(-[ks]|--(?:kill-after|signal)(?==|$))=?(.*)$/.exec(word) ?? [];
    if (option === undefined) {
      if (word === "--preserve-status") preserves = true;
      else if (!/^(?:-v|--verbose|--foreground)$/.test(word)) return null;
      continue;
    }
    const value = hangs === "" ? words[++at] ?? null : hangs ?? null;
    if (value === null) return null;
    if (/^(?:-s|--signal)$/.test(option)) signal = value.toUpperCase().replace(/^SIG/, "");
    else if ((killAfterMs = milliseconds(value)) === null) return null;
  }
  const ms = milliseconds(words[at] ?? "");
  return ms === null ? null : { command: at + 1, limit: { ms, signal, killAfterMs, preserves } };
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ...[["", 1], ["s", 1], ["m", 60], ["h", 3600], ["d", 86_400]] as const,
]);

function milliseconds(text: string): number | null {
  const [, number, unit = ""] = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (UNITS.get(unit) ?? 1) * 1000;
}
