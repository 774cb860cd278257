/** `read` (POSIX, and bash(1), SHELL BUILTIN COMMANDS): a line of standard input, split into variables. */

import { ToolError } from "../../../../core/errors.ts";
import { CLOSED } from "../../../../sandbox/spawner.ts";
import { listOptions } from "../../../../shell/commands/list_options.ts";
import { readOptions } from "../../../../shell/commands/read_options.ts";
import type { Around, Done } from "./builtin.ts";
import { Source } from "./_source.ts";
import type { LineState } from "../_state.ts";
import { textOf } from "../_substitution.ts";

/** What separates words where nothing says otherwise, and of that what counts once however often it stands there. */
const BLANKS = " \t\n";

/** `words`: options and names; REPLY where there are none. Fails at the end of the input. */
export async function readLine(
  words: readonly string[],
  state: LineState,
  { host, descriptors }: Around,
): Promise<Done> {
  const options = readOptions(words);
  if (options === null) throw new ToolError("COMMAND_UNPARSABLE", "read came out in another form");
  const { raw, list, from, exact } = options;
  const names = options.rest.filter((name) => name !== null);
  const source = new Source(host, descriptors[from] ?? CLOSED);
  const { bytes, ended, late } = await source.line(raw, options);
  const text = textOf([bytes]);
  const characters = raw ? plain(text) : unescaped(text);
  // SIGALRM, as if it had ended it (bash(1), read -t).
  const status = late ? 142 : ended ? 1 : 0;
  if (exact) {
    const all = characters.map((one) => one.text).join("");
    const [first = "REPLY", ...others] = names;
    if (list !== null) {
      throw new ToolError("COMMAND_UNPARSABLE", "read -N into an array is not run");
    }
    state.assign(first, all);
    for (const name of others) state.assign(name, "");
    return { status };
  }
  if (list !== null) {
    state.variables.empty(list, "list");
    const values = split(characters, state.separators, Infinity);
    values.forEach((value, index) => state.variables.assignElement(list, BigInt(index), value));
    return { status };
  }
  if (names.length === 0) {
    state.assign("REPLY", characters.map((one) => one.text).join(""));
    return { status };
  }
  const values = split(characters, state.separators, names.length);
  names.forEach((name, index) => state.assign(name, values[index] ?? ""));
  return { status };
}

/** `mapfile`: each line an element. */
export async function fillList(
  words: readonly string[],
  state: LineState,
  { host, descriptors }: Around,
): Promise<Done> {
  const options = listOptions(words);
  if (options === null) {
    throw new ToolError("COMMAND_UNPARSABLE", "mapfile came out in another form");
  }
  const { name, mark, strips, most } = options;
  const source = new Source(host, descriptors[0] ?? CLOSED);
  state.variables.empty(name, "list");
  for (let index = 0n; index < most; index++) {
    const { bytes, ended } = await source.line(true, { delimiter: mark });
    if (ended && bytes.length === 0) return { status: 0 };
    const text = textOf([bytes]) + (strips || ended || mark === "\0" ? "" : mark);
    state.variables.assignElement(name, index, text);
    if (ended) return { status: 0 };
  }
  return { status: 0 };
}

interface Character {
  readonly text: string;
  /** It separates nothing. */
  readonly quoted: boolean;
}

function plain(text: string): readonly Character[] {
  return [...text].map((one) => ({ text: one, quoted: false }));
}

/** Backslashes taken away, and newlines behind them. */
function unescaped(text: string): readonly Character[] {
  const all = [...text];
  const found: Character[] = [];
  for (let at = 0; at < all.length; at++) {
    if (all[at] !== "\\") found.push({ text: all[at]!, quoted: false });
    else if (all[++at] !== undefined && all[at] !== "\n") {
      found.push({ text: all[at]!, quoted: true });
    }
  }
  return found;
}

/** The words of the line, the last with all that is left, as bash takes them apart. */
function split(
  characters: readonly Character[],
  separators: string,
  count: number,
): readonly string[] {
  const separates = (at: number): boolean => {
    const one = characters[at];
    return one !== undefined && !one.quoted && separators.includes(one.text);
  };
  const blank = (at: number): boolean => separates(at) && BLANKS.includes(characters[at]!.text);
  const textFrom = (from: number, to: number): string =>
    characters.slice(from, to).map(({ text }) => text).join("");
  const end = characters.length;
  const values: string[] = [];
  let at = 0;
  while (values.length < count) {
    while (blank(at)) at++;
    if (count === Infinity && at >= end) break;
    let stop = at;
    while (stop < end && !separates(stop)) stop++;
    let next = stop;
    const blanks = blank(next);
    if (next < end) next++;
    while (blank(next)) next++;
    if (blanks && separates(next)) {
      next++;
      while (blank(next)) next++;
    }
    if (values.length === count - 1 && next < end) {
      // More than one word is left: all of it, but for blanks at its end.
      let last = end;
      while (last > at && blank(last - 1)) last--;
      stop = last;
    }
    values.push(textFrom(at, stop));
    at = next;
  }
  return values;
}
