/** What a simple command is by its first word: a program, something Toolgate runs itself, or a shell that it opens. */

import {
  BUILTINS,
  givesDescriptor,
  INNER_PROGRAMS,
  type PlanNode,
  type SimplePlan,
  type Word,
} from "../core/plan.ts";
import { isKnownOption, isKnownSet } from "./commands/shell_options.ts";
import { isSetByShell, isThrownAway } from "./special_variables.ts";
import { isSet, NO_SETTINGS } from "./_settings.ts";
import { readLimit } from "./commands/read_limit.ts";
import { readMaskWish } from "./commands/read_mask.ts";
import { listOptions } from "./commands/list_options.ts";
import { readOptions } from "./commands/read_options.ts";
import { openShell, openTimed, openWithVariables, SHELLS } from "./_shell_call.ts";
import { fed } from "./_feeding.ts";
import { openFound } from "./_found_lines.ts";
import { openBeforeGit } from "./_prefixed.ts";
import type { CommandSource } from "./_command_source.ts";
import { certainText, wordText } from "./certain.ts";
import { type ConstructKind, Refused } from "./_constructs.ts";

/** Words that, first and unquoted, are no programs (POSIX, 2.4, and bash(1), RESERVED WORDS). */
const RESERVED: ReadonlySet<string> = new Set(
  ("! { } case coproc do done elif else esac fi for function if in select then time until while [[ ]]")
    .split(" "),
);

/** What a shell does itself (bash(1), SHELL BUILTIN COMMANDS), and nothing here does. */
const REFUSED: ReadonlyMap<string, ConstructKind> = new Map<string, ConstructKind>([
  ["fc", "evaluation"],
  ["let", "let"],
  ...[
    ...["alias", "unalias", "enable", "bind", "complete", "compgen", "compopt"],
    ...["history", "times"],
    ...["suspend", "logout", "caller", "help"],
  ].map((name) => [name, "builtin"] as const),
]);

/** The plan of a command by what its first word is. Throws {@linkcode Refused}. */
export function finishCommand(simple: SimplePlan, from: CommandSource): PlanNode {
  for (const { name } of simple.assignments) refuseSpecial(name, simple.position);
  const [first] = simple.words;
  if (first === undefined) {
    const something = simple.assignments.length > 0 || simple.redirections.length > 0;
    if (!something) throw new Refused("empty", from.indexes[0] ?? 0);
    return simple;
  }
  const index = from.indexes[0] ?? 0;
  if (simple.assignments.some((one) => one.list !== undefined || one.subscript !== undefined)) {
    throw new Refused("array", index);
  }
  const name = certainText(first);
  // A program takes its separators from nobody.
  const separates = simple.assignments.some((one) => one.name === "IFS");
  if (separates && !BUILTINS.some((one) => one === name)) {
    throw new Refused("special", simple.position);
  }
  if (name === null) return simple;
  if (name === "") throw new Refused("empty", index);
  const reserved = RESERVED.has(name) && from.source.startsWith(name) &&
    /^(?:\s|$)/.test(from.source.slice(name.length));
  if (reserved) throw new Refused("reserved", index);
  if (from.functions.has(name) && from.source !== "") return { ...simple, calls: true };
  const refused = REFUSED.get(name);
  if (refused !== undefined) throw new Refused(refused, index);
  const within = INNER_PROGRAMS.some((one) => one === name);
  if (BASH_ALONE.has(name)) from.onDialect();
  switch (name) {
    case "cd":
      return changeDirectory(simple, index);
    case "break":
    case "continue": {
      const count = simple.words.slice(1).map(wordText).join(" ");
      const within = count === ""
        ? from.loops > 0
        : /^[1-9]$/.test(count) && Number(count) <= from.loops;
      if (!within) throw new Refused("builtin", index);
      return simple;
    }
    case "exit":
    case "shift":
    case "return":
      if (simple.words.length > 2 || (name === "return" && !from.inFunction)) {
        throw new Refused("builtin", index);
      }
      return simple;
    case "local":
      if (!from.inFunction) throw new Refused("declaration", index);
      return declaration(simple, index);
    case "export":
    case "readonly":
    case "declare":
    case "typeset":
      return declaration(simple, index);
    case "unset":
      return unsetting(simple, index);
    case "read":
      return reading(simple, index);
    case "mapfile":
    case "readarray":
      return filling(simple, index);
    case "set":
      if (!isKnownSet(simple.words.slice(1).map(certainText))) throw new Refused("set", index);
      return simple;
    case "shopt": {
      const words = simple.words.slice(1).map(certainText);
      if (isKnownOption(words)) return simple;
      throw new Refused(words.includes("extglob") ? "extended" : "set", index);
    }
    case "trap":
      return trapping(simple, from);
    case "eval":
      return evaluation(simple, from);
    case "source":
    case ".":
      if (simple.words.length < 2) throw new Refused("builtin", index);
      return simple;
    case "command":
      return withoutCommand(simple, from);
    case "builtin": {
      const next = simple.words[1] === undefined ? null : certainText(simple.words[1]);
      const known = [...BUILTINS, ...INNER_PROGRAMS].some((one) => one === next);
      if (!known) throw new Refused("builtin", index);
      return finishCommand(without(simple, 1), { ...rest(from, 1), source: "" });
    }
    case "pushd":
      return changeDirectory(simple, index);
    case "popd":
    case "dirs":
      if (simple.words.length > 1) throw new Refused("directory", index);
      return simple;
    case "getopts": {
      const name = certainText(simple.words[2] ?? []);
      if (name === null || !NAME.test(name)) throw new Refused("getopts", index);
      refuseSpecial(name, index);
      return simple;
    }
    case "ulimit":
      if (readLimit(simple.words.slice(1).map(certainText)) === null) {
        throw new Refused("limit", index);
      }
      return simple;
    case "umask": {
      const known = simple.words.slice(1).map(certainText);
      // One that is known only later is looked at then.
      const whole = known.filter((word) => word !== null);
      if (whole.length === known.length && readMaskWish(whole) === null) {
        throw new Refused("mask", index);
      }
      return simple;
    }
    case "disown":
      if (simple.words.slice(1).some((word) => !/^(?:-[ah]|%.*)$/.test(certainText(word) ?? ""))) {
        throw new Refused("builtin", index);
      }
      return simple;
    case "exec":
      if (isListed(simple, from)) return simple;
      if (simple.words.length === 1 || /^-/.test(wordText(simple.words[1]!))) {
        throw new Refused("exec", index);
      }
      return replacing(finishCommand(without(simple, 1), rest(from, 1)), simple);
    default:
      // It would get one that it may not ask for: what starts programs gives them three.
      if (!within && givesDescriptor(simple.redirections)) throw new Refused("given", index);
      if (name === "xargs") return fed(simple, from);
      if (name === "find") return openFound(simple, from);
      if (SHELLS.has(name)) return openShell(simple, from);
      return openBeforeGit(simple, from) ??
        (name === "timeout"
          ? openTimed(simple, from)
          : name === "env"
          ? openWithVariables(simple, from)
          : simple);
  }
}

/** `exec 2>&1`: redirections alone, where they reach to the end of a shell. */
function isListed({ words, redirections, assignments }: SimplePlan, from: CommandSource): boolean {
  return words.length === 1 && redirections.length > 0 && assignments.length === 0 && from.listed;
}

/** What not every POSIX shell has. */
const BASH_ALONE: ReadonlySet<string> = new Set([
  ...["local", "declare", "typeset", "readonly", "shopt", "source", "mapfile", "readarray"],
  ...["pushd", "popd", "dirs", "builtin", "disown", "fg", "bg"],
]);

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function refuseSpecial(name: string, index: number): void {
  if (isSetByShell(name) && !isThrownAway(name)) throw new Refused("special", index);
}

/** Options that stand before the names: arrays, what programs get, what stays. */
const DECLARING = /^-[aAgrx]+$/;

/** `local a b=1`, `declare -A m`: names and values that the line says by name. */
function declaration(simple: SimplePlan, index: number): PlanNode {
  const words = simple.words.slice(1);
  const start = words.findIndex((word) => !DECLARING.test(certainText(word) ?? ""));
  const options = words.slice(0, start === -1 ? words.length : start).map(wordText);
  const names = start === -1 ? [] : words.slice(start);
  const [asked] = names.slice(0, 1).map(certainText);
  if (/^-[A-Za-z]*[ilnu]/.test(asked ?? "")) throw new Refused("attribute", index);
  // Without names they list what there is.
  if (names.length === 0) throw new Refused("declaration", index);
  const exports = certainText(simple.words[0] ?? []) === "export";
  if (exports && options.some((one) => one !== "-x")) throw new Refused("declaration", index);
  for (const word of names) refuseSpecial(declaredName(word, index), index);
  return simple;
}

function declaredName(word: Word, index: number): string {
  const [first] = word;
  const name = first?.kind === "text"
    ? /^([A-Za-z_][A-Za-z0-9_]*)(?:=|$)/.exec(first.text)?.[1]
    : undefined;
  const whole = first?.kind === "text" && (first.text.includes("=") || word.length === 1);
  if (name === undefined || !whole) throw new Refused("declaration", index);
  return name;
}

function unsetting(simple: SimplePlan, index: number): PlanNode {
  const words = simple.words.slice(1).map((word) => certainText(word) ?? elementName(word));
  const names = words[0] === "-v" || words[0] === "-f" ? words.slice(1) : words;
  for (const name of names) {
    if (name === null || !/^[A-Za-z_](?:[\w.:-]*|\w*\[.+\])$/s.test(name)) {
      throw new Refused("declaration", index);
    }
    refuseSpecial(name.replace(/\[.*$/s, ""), index);
  }
  return simple;
}

/** `m[$k]`, whose key is known when it runs, by a name that is known; null for all else. */
function elementName([first]: Word): string | null {
  const name = first?.kind === "text" ? /^[A-Za-z_]\w*\[/.exec(first.text)?.[0] : undefined;
  return name === undefined ? null : `${name}0]`;
}

/** Where it leads is judged with the command that stands there; bash knows no more of its words than this. */
function changeDirectory(simple: SimplePlan, index: number): PlanNode {
  const [name = [], ...operands] = simple.words;
  if (operands[0] !== undefined && certainText(operands[0]) === "--") operands.shift();
  const [path, second] = operands;
  const text = path === undefined ? "." : certainText(path);
  // What begins with something that is known only later could come out as an option.
  const numbered = certainText(name) === "pushd" && /^[-+]/.test(text ?? "");
  const option = numbered ||
    (text === null ? /^-/.test(wordText(path ?? [])) : /^-./.test(text) || text === "");
  if (option || second !== undefined) throw new Refused("directory", index);
  return { ...simple, words: path === undefined ? [name] : [name, path] };
}

/** `read -r NAME…` in the forms that say all they do. */
function reading(simple: SimplePlan, index: number): PlanNode {
  const words = simple.words.slice(1);
  const names = readNames(words.map(certainText));
  if (names === null) throw new Refused("read", index);
  for (const name of names) refuseSpecial(name, index);
  return simple;
}

/** The names behind the options of `read`; null for a form that is not known. */
function readNames(words: readonly (string | null)[]): readonly string[] | null {
  const found = readOptions(words);
  if (found === null) return null;
  const { list, rest } = found;
  if (rest.length > 0 && list !== null) return null;
  const names = [...(list === null ? [] : [list]), ...rest];
  return names.every((name) => name !== null && NAME.test(name)) ? names.map(String) : null;
}

/** `mapfile -t NAME` */
function filling(simple: SimplePlan, index: number): PlanNode {
  const options = listOptions(simple.words.slice(1).map(certainText));
  if (options === null || !NAME.test(options.name)) throw new Refused("read", index);
  refuseSpecial(options.name, index);
  return simple;
}

/** The script of `eval`, where the line says it whole; else it is read when it is known. */
function evaluation(simple: SimplePlan, from: CommandSource): PlanNode {
  const words = simple.words.slice(1).map(certainText);
  if (words.some((word) => word === null)) return simple;
  const text = words.join(" ");
  if (text.trim() === "") return { ...simple, words: [[{ kind: "text", text: "true" }]] };
  return { ...simple, script: scriptIn(text, from) };
}

/** Their names in either case, as bash takes them. */
const SIGNALS = /^(?:0|EXIT|ERR|(?:SIG)?(?:INT|TERM|HUP|QUIT|PIPE)|1|2|3|13|15)$/i;

/** `trap SCRIPT EXIT` and `ERR`: signals besides that come to nobody here but end the line whole. */
function trapping(simple: SimplePlan, from: CommandSource): PlanNode {
  const index = from.indexes[0] ?? 0;
  const words = simple.words.slice(1);
  if (words[0] !== undefined && certainText(words[0]) === "--") words.shift();
  const [action, ...signals] = words;
  const known = signals.length > 0 &&
    signals.every((word) => SIGNALS.test(certainText(word) ?? ""));
  if (action === undefined || !known) throw new Refused("trap", index);
  if (signals.some((word) => /^err$/i.test(certainText(word) ?? ""))) from.onDialect();
  const plain = { ...simple, words: [simple.words[0]!, action, ...signals] };
  const text = certainText(action);
  if (text === null || text === "-" || text.trim() === "") return plain;
  return { ...plain, script: scriptIn(text, from) };
}

function scriptIn(text: string, from: CommandSource): PlanNode {
  const { node, settings } = from.nested(text, null, from.indexes[0] ?? 0);
  if (isSet(settings)) throw new Refused("set", from.indexes[0] ?? 0);
  return node;
}

function without(simple: SimplePlan, count: number): SimplePlan {
  return { ...simple, words: simple.words.slice(count) };
}

function rest(from: CommandSource, count: number): CommandSource {
  const start = (from.indexes[count] ?? 0) - (from.indexes[0] ?? 0);
  return { ...from, indexes: from.indexes.slice(count), source: from.source.slice(start) };
}

/** `command ls` is `ls`; `command -v ls` and `command -V ls` ask what it is. */
function withoutCommand(simple: SimplePlan, from: CommandSource): PlanNode {
  const second = simple.words[1] === undefined ? null : certainText(simple.words[1]);
  if ((second === "-v" || second === "-V") && simple.words.length > 2) return simple;
  const skip = second === "--" ? 2 : 1;
  if (second === null || (skip === 1 && second.startsWith("-")) || simple.words.length <= skip) {
    throw new Refused("builtin", from.indexes[0] ?? 0);
  }
  // Behind `command` a word is no word of the grammar any more, and none of a function.
  const quoted = rest(from, skip);
  return finishCommand(without(simple, skip), { ...quoted, source: "" });
}

/** `exec` ends what it stands in: what would follow never runs. */
function replacing(node: PlanNode, { position, line }: SimplePlan): PlanNode {
  const exit: SimplePlan = {
    kind: "simple",
    assignments: [],
    words: [[{ kind: "text", text: "exit" }]],
    redirections: [],
    position,
    line,
  };
  return {
    kind: "group",
    subshell: false,
    settings: NO_SETTINGS,
    redirections: [],
    body: { kind: "list", items: [{ when: "always", node }, { when: "always", node: exit }] },
  };
}
