/** `type` and `command -v` (bash(1), SHELL BUILTIN COMMANDS): what a name means. */

import { ToolError } from "../../../../core/errors.ts";
import { BUILTINS, INNER_PROGRAMS } from "../../../../core/plan.ts";
import type { Builtin } from "./builtin.ts";

const KEYWORDS: ReadonlySet<string> = new Set(
  ("! { } case coproc do done elif else esac fi for function if in select then time until while [[ ]]")
    .split(" "),
);
/** What bash has within itself and nothing here does. */
const OTHERS =
  ("alias bg bind builtin caller compgen complete compopt dirs disown enable exec fc fg getopts " +
    "help history logout popd pushd suspend times ulimit umask unalias").split(" ");
/** Done by the line, and programs to every shell. */
const PROGRAMS: ReadonlySet<string> = new Set(["pkill", "killall"]);
const WITHIN: ReadonlySet<string> = new Set(
  [...BUILTINS, ...INNER_PROGRAMS, ...OTHERS].filter((name) => !PROGRAMS.has(name)),
);

type Meaning =
  | { readonly kind: "keyword" | "function" | "builtin"; readonly shown: string }
  | { readonly kind: "file"; readonly shown: string };

function meaningOf(
  name: string,
  [state, { programOf }]: [Parameters<Builtin>[1], Parameters<Builtin>[2]],
): Meaning | null {
  if (KEYWORDS.has(name)) return { kind: "keyword", shown: name };
  if (state.functions.has(name)) return { kind: "function", shown: name };
  if (WITHIN.has(name)) return { kind: "builtin", shown: name };
  const path = programOf(name, state);
  return path === null ? null : { kind: "file", shown: path };
}

/** `command -v NAME…` and `command -V NAME…`: the parser lets no other form through. */
export const commandOf: Builtin = ([option, ...words], state, around) => {
  const names = words[0] === "--" ? words.slice(1) : words;
  const found = names.map((name) => meaningOf(name, [state, around]));
  const status = found.some((one) => one !== null) ? 0 : 1;
  if (option === "-V") {
    const errors = names.filter((_, at) => found[at] === null).map((name) => `${name}: not found`);
    const told = names.map((name, at) => found[at] === null ? "" : toldOf(name, found[at]!));
    return { status, output: told.join(""), ...(errors.length === 0 ? {} : { error: errors }) };
  }
  const output = found.map((one) => one === null ? "" : `${one.shown}\n`).join("");
  return { status, output };
};

/** What `type` says of it. */
function toldOf(name: string, { kind, shown }: Meaning): string {
  // bash prints it anew.
  if (kind === "function") throw refused(`${name}, which is a function`);
  return kind === "file" ? `${name} is ${shown}\n` : `${name} is a shell ${kind}\n`;
}

/** `type NAME…`, `-t` (the kind alone), `-p` and `-P` (the path alone). */
export const typeOf: Builtin = (words, state, around) => {
  const option = /^-/.test(words[0] ?? "") ? words[0] : undefined;
  if (option !== undefined && option !== "-t" && option !== "-p" && option !== "-P") {
    throw refused(option);
  }
  const names = option === undefined ? words : words.slice(1);
  let [output, failed] = ["", false];
  const errors: string[] = [];
  for (const name of names) {
    const meaning = option === "-P"
      ? pathOf(name, state, around)
      : meaningOf(name, [state, around]);
    if (meaning === null) {
      failed = true;
      if (option === undefined) errors.push(`${name}: not found`);
      continue;
    }
    if (option === "-t") output += `${meaning.kind}\n`;
    else if (option !== undefined) output += meaning.kind === "file" ? `${meaning.shown}\n` : "";
    else output += toldOf(name, meaning);
  }
  return { status: failed ? 1 : 0, output, ...(errors.length === 0 ? {} : { error: errors }) };
};

function pathOf(
  name: string,
  ...[state, { programOf }]: [Parameters<Builtin>[1], Parameters<Builtin>[2]]
): Meaning | null {
  const path = programOf(name, state);
  return path === null ? null : { kind: "file", shown: path };
}

function refused(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `type ${what} is not answered in this form`);
}
