/** `read` (POSIX, and bash(1), SHELL BUILTIN COMMANDS): a line of standard input, split into variables. */

import { ToolError } from "../../../../core/errors.ts";
import { CLOSED } from "../../../../sandbox/spawner.ts";
import { READABLE } from "../../../kernel/poller.ts";
import { statOf } from "../../../kernel/stat.ts";
import { type ReadOptions, readOptions } from "../../../../shell/read_options.ts";
import type { Around, Done } from "./builtin.ts";
import type { LineState } from "../_state.ts";
import { textOf } from "../_substitution.ts";

/** In place of a count: nothing came in time. */
const LATE = -1;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
/** A longer line is read in vain. */
const LONGEST_LINE = 1 << 20;
/** What separates words where nothing says otherwise, and of that what counts once however often it stands there. */
const BLANKS = " \t\n";
/** FIONREAD (include/uapi/asm-generic/ioctls.h) */
const FIONREAD = 0x541b;

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

/** `mapfile -t NAME`: each line an element. */
export async function fillList(
  words: readonly string[],
  state: LineState,
  { host, descriptors }: Around,
): Promise<Done> {
  const name = words.at(-1) ?? "";
  const marked = words.indexOf("-d");
  const mark = marked === -1 ? "\n" : words[marked + 1] || "\0";
  const strips = words.slice(0, -1).includes("-t");
  const source = new Source(host, descriptors[0] ?? CLOSED);
  state.variables.empty(name, "list");
  for (let index = 0n;; index++) {
    const { bytes, ended } = await source.line(true, { delimiter: mark });
    if (ended && bytes.length === 0) return { status: 0 };
    const text = textOf([bytes]) + (strips || ended || mark === "\0" ? "" : mark);
    state.variables.assignElement(name, index, text);
    if (ended) return { status: 0 };
  }
}

/** A descriptor that programs read from too: no byte is taken of it that does not belong to the line. */
class Source {
  readonly #host: Around["host"];
  readonly #input: number;
  readonly #byte = new Uint8Array(1);

  constructor(host: Around["host"], input: number) {
    this.#host = host;
    this.#input = input;
  }

  /**
   * Up to the delimiter, which is left out; `most`: so many characters at most, past delimiters where it is `exact`.
   * Without `raw` a delimiter behind a backslash is no end. `late`: the time was over first.
   */
  async line(
    raw: boolean,
    { delimiter, most = null, exact = false, patienceMs = null }:
      & Pick<ReadOptions, "delimiter">
      & Partial<ReadOptions>,
  ): Promise<{ readonly bytes: Uint8Array; readonly ended: boolean; readonly late: boolean }> {
    const bytes: number[] = [];
    const { libc } = this.#host;
    const stat = statOf(libc, this.#input);
    const waits = typeof stat === "number" || stat.type !== "file";
    const mark = exact ? -1 : delimiter.charCodeAt(0);
    const until = patienceMs === null ? null : performance.now() + patienceMs;
    const done = (ended: boolean, late = false) => ({ bytes: Uint8Array.from(bytes), ended, late });
    let [ready, escaped, count] = [0, false, 0];
    while (bytes.length < LONGEST_LINE) {
      if (waits && ready-- <= 0) ready = await this.#ready(until);
      if (ready === LATE) return done(true, true);
      const got = libc.transfer(libc.numbers.read, this.#input, this.#byte, 1);
      if (got <= 0) return done(true);
      const [byte = 0] = this.#byte;
      if (byte === mark && (raw || !escaped)) return done(false);
      const escapes = byte === BACKSLASH && !escaped && !raw;
      // What goes on a character (UTF-8) is none, nor a backslash before one, nor a line that goes on.
      const continues = (byte & 0xc0) === 0x80 || escapes || (escaped && byte === NEWLINE);
      escaped = escapes;
      bytes.push(byte);
      if (!continues) count++;
      if (most !== null && count === most && !escapes && isWhole(bytes)) return done(false);
    }
    return done(true);
  }

  /** How many bytes can be read without waiting, less the one that is read next; 0 at the end, too. */
  async #ready(until: number | null): Promise<number> {
    const { libc: { call, numbers, struct, structAddress }, poller, stopping } = this.#host;
    const there = (): number => {
      struct.setInt32(0, 0, true);
      return call(numbers.ioctl, this.#input, FIONREAD, structAddress) < 0
        ? 0
        : struct.getInt32(0, true);
    };
    const first = there();
    if (first > 0) return first - 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = poller.watch(this.#input, READABLE, resolve);
    const late = Promise.withResolvers<"late">();
    const timer = until === null
      ? null
      : setTimeout(() => late.resolve("late"), Math.max(0, until - performance.now()));
    const how = await Promise.race([promise, stopping, late.promise]);
    if (timer !== null) clearTimeout(timer);
    watch.close();
    return how === "late" && there() === 0 ? LATE : Math.max(0, there() - 1);
  }
}

/** Whether the last character (UTF-8) has all its bytes. */
function isWhole(bytes: readonly number[]): boolean {
  let at = bytes.length - 1;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  const lead = bytes[at] ?? 0;
  const wanted = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return bytes.length - at >= wanted;
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
