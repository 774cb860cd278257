/** The options of `read` (bash(1), SHELL BUILTIN COMMANDS), for whoever judges a line and whoever runs it. */

/** What `read` is told. */
export interface ReadOptions {
  /** `-r`: backslashes are characters like others. */
  readonly raw: boolean;
  /** What ends a line; a NUL where it is empty. */
  readonly delimiter: string;
  /** `-a`: the array that the words become. */
  readonly list: string | null;
  /** `-u`: the descriptor that is read. */
  readonly from: number;
  /** `-n`, and (`exact`) `-N`: so many characters at most. */
  readonly most: number | null;
  readonly exact: boolean;
  /** `-t`, in ms; null waits for ever. */
  readonly patienceMs: number | null;
  /** The words behind the options; null stands for one that is known only when the line runs. */
  readonly rest: readonly (string | null)[];
}

const PLAIN: ReadOptions = {
  raw: false,
  delimiter: "\n",
  list: null,
  from: 0,
  most: null,
  exact: false,
  patienceMs: null,
  rest: [],
};

/** More characters, or seconds, are nothing that a line waits for. */
const MOST_CHARACTERS = 1_000_000;
const LONGEST_S = 100_000;

/** Null for a form that is not known. What `-p` shows is shown to a terminal alone, which no line has. */
export function readOptions(words: readonly (string | null)[]): ReadOptions | null {
  let options = PLAIN;
  let at = 0;
  for (; at < words.length && /^-./.test(words[at] ?? ""); at++) {
    const word = words[at]!;
    if (word === "--") {
      at++;
      break;
    }
    const [, flags, letter, glued] = /^-([rs]*)([adpuntN]?)(.*)$/s.exec(word) ?? [];
    if (flags === undefined || letter === undefined || (letter === "" && glued !== "")) return null;
    if (flags.includes("r")) options = { ...options, raw: true };
    if (letter === "") continue;
    // What is known only when it runs could come out as anything.
    const value = glued !== undefined && glued !== "" ? glued : words[++at];
    if (value === undefined || (value === null && letter !== "p")) return null;
    const next = withOption(options, letter, value ?? "");
    if (next === null) return null;
    options = next;
  }
  return { ...options, rest: words.slice(at) };
}

function withOption(options: ReadOptions, letter: string, value: string): ReadOptions | null {
  switch (letter) {
    case "a":
      return { ...options, list: value };
    case "d":
      return { ...options, delimiter: value === "" ? "\0" : value };
    case "u":
      return /^[0-9]$/.test(value) ? { ...options, from: Number(value) } : null;
    case "n":
    case "N": {
      const most = Number(value);
      if (!/^[0-9]{1,9}$/.test(value) || most === 0 || most > MOST_CHARACTERS) return null;
      return { ...options, most, exact: letter === "N" };
    }
    case "t": {
      const seconds = Number(value);
      // 0 asks whether there is something, and reads nothing.
      if (!/^[0-9]*\.?[0-9]+$/.test(value) || seconds === 0 || seconds > LONGEST_S) return null;
      return { ...options, patienceMs: seconds * 1000 };
    }
    default:
      return options;
  }
}
