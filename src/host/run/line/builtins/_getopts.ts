/** `getopts` (POSIX, getopts; bash(1), SHELL BUILTIN COMMANDS): one option after the other. */

import { ToolError } from "../../../../core/errors.ts";
import type { Builtin, Done } from "./builtin.ts";
import type { LineState } from "../_state.ts";

/** `getopts OPTIONS NAME [WORD…]`: without words those of the function, or the line. */
export const getopts: Builtin = async (
  [options = "", name = "", ...given],
  state,
  { expander },
) => {
  for (const variable of [name, "OPTARG", "OPTIND"]) await expander.allowVariable(variable, state);
  const words = given.length > 0 ? given : state.positional;
  const index = Number(state.valueOf("OPTIND") ?? "1");
  if (!Number.isInteger(index) || index < 1) {
    throw new ToolError("COMMAND_UNPARSABLE", "getopts was not run: OPTIND came out as no number");
  }
  const silent = options.startsWith(":");
  const letters = silent ? options.slice(1) : options;
  const word = words[index - 1];
  const at = Math.max(1, state.optionAt);
  if (at === 1 && (word === undefined || !/^-./s.test(word) || word === "--")) {
    move(state, word === "--" ? index + 1 : index, 0);
    state.variables.unset("OPTARG");
    state.assign(name, "?");
    return { status: 1 };
  }
  const letter = word?.[at] ?? "";
  const more = word !== undefined && at + 1 < word.length;
  const found = letter === ":" ? -1 : letters.indexOf(letter);
  if (found === -1 || letter === "") {
    move(state, more ? index : index + 1, more ? at + 1 : 0);
    return failed(state, name, silent, letter, `illegal option -- ${letter}`);
  }
  if (letters[found + 1] !== ":") {
    move(state, more ? index : index + 1, more ? at + 1 : 0);
    state.variables.unset("OPTARG");
    state.assign(name, letter);
    return { status: 0 };
  }
  const value = more ? word.slice(at + 1) : words[index];
  move(state, more ? index + 1 : index + 2, 0);
  if (value === undefined) {
    move(state, index + 1, 0);
    return silent
      ? failed(state, name, true, letter, "", ":")
      : failed(state, name, false, letter, `option requires an argument -- ${letter}`);
  }
  state.assign("OPTARG", value);
  state.assign(name, letter);
  return { status: 0 };
};

function move(state: LineState, index: number, at: number): void {
  state.assign("OPTIND", String(index));
  state.optionAt = at;
}

function failed(
  state: LineState,
  name: string,
  silent: boolean,
  letter: string,
  complaint: string,
  becomes = "?",
): Done {
  if (silent) state.assign("OPTARG", letter);
  else state.variables.unset("OPTARG");
  state.assign(name, becomes);
  return silent ? { status: 0 } : { status: 0, plaint: complaint };
}
