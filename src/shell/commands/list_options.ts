/** The options of `mapfile` (bash(1), SHELL BUILTIN COMMANDS), for whoever judges a line and whoever runs it. */

/** What `mapfile` is told. */
export interface ListOptions {
  /** The array that the lines become. */
  readonly name: string;
  /** `-t`: what ends a line is no part of it. */
  readonly strips: boolean;
  /** `-d`: what ends a line; a NUL where it is empty. */
  readonly mark: string;
  /** `-n`: so many lines at most; what is left can be read. */
  readonly most: number;
}

/** Null for a form that is not known; a word that is null is known only when the line runs. */
export function listOptions(words: readonly (string | null)[]): ListOptions | null {
  const name = words.at(-1);
  if (name === null || name === undefined) return null;
  let options: ListOptions = { name, strips: false, mark: "\n", most: Infinity };
  const given = words.slice(0, -1);
  for (let at = 0; at < given.length; at++) {
    const option = given[at];
    if (option === "-t") {
      options = { ...options, strips: true };
      continue;
    }
    const value = given[++at];
    if (value === null || value === undefined) return null;
    if (option === "-d") options = { ...options, mark: value || "\0" };
    // 0 stands for all.
    else if (option === "-n" && /^\d{1,9}$/.test(value)) {
      options = { ...options, most: Number(value) || Infinity };
    } else return null;
  }
  return options;
}
