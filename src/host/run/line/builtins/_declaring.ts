/** `export`, `local`, `declare`, `readonly`, `unset` and `set` (bash(1), SHELL BUILTIN COMMANDS). */

import { ToolError } from "../../../../core/errors.ts";
import { SET_OPTIONS, SET_WORD } from "../../../../shell/commands/shell_options.ts";
import type { Builtin, Done } from "./builtin.ts";
import type { LineState } from "../_state.ts";

const SUCCEEDED: Done = { status: 0 };

interface Declaring {
  readonly exports?: boolean;
  readonly protects?: boolean;
  /** In a function it hides what is outside. */
  readonly local?: boolean;
}

function declaring(kind: Declaring): Builtin {
  return (words, state, { judged }) => {
    const start = words.findIndex((word) => !word.startsWith("-"));
    const options = words.slice(0, start === -1 ? words.length : start).join("");
    const has = (letter: string): boolean => options.includes(letter);
    const local = kind.local === true && state.depth > 0 && !has("g");
    for (const word of start === -1 ? [] : words.slice(start)) {
      const equals = word.indexOf("=");
      const name = equals === -1 ? word : word.slice(0, equals);
      if (local) state.variables.hide(name);
      if (has("A")) state.variables.declareTable(name);
      else if (has("a") && state.variables.count(name) === 0) state.variables.empty(name, "list");
      else state.variables.declare(name);
      if (equals !== -1) state.assign(name, word.slice(equals + 1));
      if (kind.exports === true || has("x")) state.variables.export(name, judged);
      if (kind.protects === true || has("r")) state.variables.protect(name);
    }
    return SUCCEEDED;
  };
}

function unset([option, ...rest]: readonly string[], state: LineState): Done {
  if (option === "-f") {
    state.functions = new Map([...state.functions].filter(([name]) => !rest.includes(name)));
    return SUCCEEDED;
  }
  const names = option === undefined || option === "-v" ? rest : [option, ...rest];
  for (const name of names) {
    // Without -f a name that is no variable may be a function.
    const isFunction = state.functions.has(name) && !state.variables.isSet(name) &&
      state.variables.count(name) === 0;
    const [, list, key] = /^(\w+)\[(.+)\]$/s.exec(name) ?? [];
    if (list !== undefined && key !== undefined) unsetElement(list, key, state);
    else if (isFunction && option !== "-v") unset(["-f", name], state);
    else state.variables.unset(name);
  }
  return SUCCEEDED;
}

/** `unset 'list[1]'`, `unset 'table[key]'` */
function unsetElement(name: string, key: string, { variables }: LineState): void {
  if (variables.isTable(name)) return variables.unsetElement(name, key);
  const number = /^\w+$/.test(key) && !/^[0-9]/.test(key) ? variables.text(key) ?? "0" : key;
  if (!/^-?[0-9]{1,15}$/.test(number)) {
    throw new ToolError("COMMAND_UNPARSABLE", `unset ${name}[${key}]: it is not run in this form`);
  }
  variables.unsetElement(name, BigInt(number));
}

/** Builtins that declare variables, by name. */
export const DECLARING = {
  export: declaring({ exports: true }),
  local: declaring({ local: true }),
  declare: declaring({ local: true }),
  typeset: declaring({ local: true }),
  readonly: declaring({ protects: true }),
  unset,
} as const;

/** `set -e`, `set +o pipefail`, `set -- a b`. */
export const setOptions: Builtin = (words, state) => {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const options = SET_WORD.exec(word);
    if (options === null || word.length === 1) {
      if (/^[-+]/.test(word) && word !== "--") throw refused(word);
      state.positional = words.slice(word === "--" ? at + 1 : at);
      return SUCCEEDED;
    }
    const [, on, off = "", named] = options;
    // What is never on is off.
    const letters = on ?? off.replaceAll("v", "");
    const names = [...letters, ...(named === "o" ? [words[++at] ?? ""] : [])];
    for (const name of names) change(state, name, on !== undefined);
  }
  return SUCCEEDED;
};

function change(state: LineState, name: string, on: boolean): void {
  const option = Object.hasOwn(SET_OPTIONS, name) ? SET_OPTIONS[name] : undefined;
  if (option === undefined) throw refused(name);
  if (option === "allexport") {
    state.variables.exportsAll = on;
    return;
  }
  if (option === "errexit" || option === "nounset" || option === "pipefail") {
    state.settings = { ...state.settings, [option]: on };
    return;
  }
  const options = new Set(state.options);
  if (on) options.add(option);
  else options.delete(option);
  state.options = options;
}

function refused(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `set ${what}: it is not run in this form`);
}
