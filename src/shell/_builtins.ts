/** What a simple command is by its first word: a program, something Toolgate runs itself, or a shell that it opens. */

import { type PlanNode, type SimplePlan, type Word } from "../core/plan.ts";
import { differsFromShell } from "./program_forms.ts";
import { isSpecialVariable } from "./_parameter.ts";
import { NO_SETTINGS, united } from "./_settings.ts";
import { readShellCall, SHELLS } from "./_shell_call.ts";
import type { Script } from "./_script.ts";
import { certainText, wordText } from "./certain.ts";
import { type ConstructKind, Refused } from "./_constructs.ts";

/** Words that, first and unquoted, are no programs (POSIX, 2.4, and bash(1), RESERVED WORDS). */
const RESERVED: ReadonlySet<string> = new Set(
  ("! { } case coproc do done elif else esac fi for function if in select then time until while [[ ]]")
    .split(" "),
);

/** What a shell does itself (bash(1), SHELL BUILTIN COMMANDS) and no program could do for it. */
const REFUSED: ReadonlyMap<string, ConstructKind> = new Map<string, ConstructKind>([
  ...["eval", ".", "source", "trap", "fc"].map((name) => [name, "evaluation"] as const),
  ...["declare", "typeset", "local", "readonly", "let"].map((name) =>
    [name, "declaration"] as const
  ),
  ...["mapfile", "readarray", "getopts", "shift"].map((name) => [name, "declaration"] as const),
  ...["pushd", "popd", "dirs"].map((name) => [name, "directory"] as const),
  ...[
    ...["alias", "unalias", "enable", "builtin", "shopt", "bind", "complete", "compgen", "compopt"],
    ...[
      "hash",
      "type",
      "history",
      "ulimit",
      "umask",
      "times",
      "wait",
      "jobs",
      "fg",
      "bg",
      "disown",
    ],
    ...["suspend", "logout", "return", "caller", "help"],
  ].map((name) => [name, "builtin"] as const),
]);

/** Where in the script the words of a command stand. */
export interface CommandSource {
  /** Where each word begins. */
  readonly indexes: readonly number[];
  /** The text from the first word on. */
  readonly source: string;
  /** Understands a script that stands in a word. */
  readonly nested: (source: string, positional: readonly string[], index: number) => Script;
  /** Loops around it in its shell. */
  readonly loops: number;
}

/** The plan of a command by what its first word is. Throws {@linkcode Refused}. */
export function finishCommand(simple: SimplePlan, from: CommandSource): PlanNode {
  const reads = simple.words[0] !== undefined && certainText(simple.words[0]) === "read";
  for (const { name, value } of simple.assignments) {
    if (reads && name === "IFS" && certainText(value) !== null) continue;
    refuseSpecial(name, simple.position);
  }
  const [first] = simple.words;
  if (first === undefined) {
    const something = simple.assignments.length > 0 || simple.redirections.length > 0;
    if (!something) throw new Refused("empty", from.indexes[0] ?? 0);
    return simple;
  }
  const index = from.indexes[0] ?? 0;
  const name = certainText(first);
  if (name === null) throw new Refused("program", index);
  if (name === "") throw new Refused("empty", index);
  const reserved = RESERVED.has(name) && from.source.startsWith(name) &&
    /^(?:\s|$)/.test(from.source.slice(name.length));
  if (reserved) throw new Refused("reserved", index);
  const refused = REFUSED.get(name);
  if (refused !== undefined) throw new Refused(refused, index);
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
    case "read":
      return reading(simple, index);
    case "exit":
      if (simple.words.length > 2) throw new Refused("builtin", index);
      return simple;
    case "export":
      simple.words.slice(1).forEach((word) => refuseSpecial(declaredName(word, index), index));
      if (simple.words.length === 1) throw new Refused("declaration", index);
      return simple;
    case "unset":
      for (const word of simple.words.slice(1)) {
        const text = certainText(word);
        if (text === null || !NAME.test(text)) throw new Refused("declaration", index);
        refuseSpecial(text, index);
      }
      return simple;
    case "command":
      return withoutCommand(simple, from);
    case "exec":
      if (simple.words.length === 1 || /^-/.test(wordText(simple.words[1]!))) {
        throw new Refused("exec", index);
      }
      return replacing(finishCommand(without(simple, 1), rest(from, 1)), simple);
    default:
      if (differsFromShell(simple.words.map(certainText))) throw new Refused("form", index);
      return SHELLS.has(name) ? openShell(simple, from) : simple;
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function refuseSpecial(name: string, index: number): void {
  if (isSpecialVariable(name) || name === "PWD" || name === "OLDPWD") {
    throw new Refused("special", index);
  }
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

/** Where it leads is judged with the command that stands there; bash knows no more of its words than this. */
function changeDirectory(simple: SimplePlan, index: number): PlanNode {
  const [name = [], ...operands] = simple.words;
  if (operands[0] !== undefined && certainText(operands[0]) === "--") operands.shift();
  const [path, second] = operands;
  const text = path === undefined ? "." : certainText(path);
  // What begins with something that is known only later could come out as an option.
  const option = text === null ? /^-/.test(wordText(path ?? [])) : /^-./.test(text) || text === "";
  if (option || second !== undefined) throw new Refused("directory", index);
  return { ...simple, words: path === undefined ? [name] : [name, path] };
}

/** `read -r NAME…` in the form that says all it does: no prompts, times, arrays or other descriptors. */
function reading(simple: SimplePlan, index: number): PlanNode {
  const words = simple.words.slice(1).map(certainText);
  const names = words[0] === "-r" ? words.slice(1) : words;
  if (names.length === 0) throw new Refused("read", index);
  for (const name of names) {
    if (name === null || !NAME.test(name)) throw new Refused("read", index);
    refuseSpecial(name, index);
  }
  return simple;
}

function without(simple: SimplePlan, count: number): SimplePlan {
  return { ...simple, words: simple.words.slice(count) };
}

function rest(from: CommandSource, count: number): CommandSource {
  const start = (from.indexes[count] ?? 0) - (from.indexes[0] ?? 0);
  return { ...from, indexes: from.indexes.slice(count), source: from.source.slice(start) };
}

/** `command ls` is `ls`; `command -v ls` asks where it is, as which(1) does. */
function withoutCommand(simple: SimplePlan, from: CommandSource): PlanNode {
  const second = simple.words[1] === undefined ? null : certainText(simple.words[1]);
  if (second === "-v" || second === "-V") {
    const which: Word = [{ kind: "text", text: "which" }];
    return { ...simple, words: [which, ...simple.words.slice(2)] };
  }
  const skip = second === "--" ? 2 : 1;
  if (second === null || (skip === 1 && second.startsWith("-")) || simple.words.length <= skip) {
    throw new Refused("builtin", from.indexes[0] ?? 0);
  }
  // Behind `command` a word is no word of the grammar any more.
  const quoted = rest(from, skip);
  return finishCommand(without(simple, skip), { ...quoted, source: "" });
}

/** `exec` ends what it stands in: what would follow never runs. */
function replacing(node: PlanNode, { position }: SimplePlan): PlanNode {
  const exit: SimplePlan = {
    kind: "simple",
    assignments: [],
    words: [[{ kind: "text", text: "exit" }]],
    redirections: [],
    position,
  };
  return {
    kind: "group",
    subshell: false,
    settings: NO_SETTINGS,
    redirections: [],
    body: { kind: "list", items: [{ when: "always", node }, { when: "always", node: exit }] },
  };
}

/** `sh -c SCRIPT` is the script, in a subshell; any other call of a shell is a program like others. */
function openShell(simple: SimplePlan, from: CommandSource): PlanNode {
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
  };
}
