/** `set` and `shopt` (bash(1)): the options that the runner has. */

/** Options of `set`, by letter and by name. */
export const SET_OPTIONS: Readonly<
  Record<
    string,
    "allexport" | "errexit" | "errtrace" | "nounset" | "pipefail" | "noglob" | "xtrace"
  >
> = {
  a: "allexport",
  e: "errexit",
  E: "errtrace",
  u: "nounset",
  f: "noglob",
  x: "xtrace",
  allexport: "allexport",
  errexit: "errexit",
  errtrace: "errtrace",
  nounset: "nounset",
  noglob: "noglob",
  pipefail: "pipefail",
  xtrace: "xtrace",
};

/** Letters of `set` that switch on, or off, and whether a name follows. What is never on may be switched off. */
export const SET_WORD = /^(?:-([aeEufx]*)|\+([aeEufxv]*))(o?)$/;

/** Options of `shopt`; those of the second list change nothing here. */
export const SHELL_OPTIONS = [
  ...["nullglob", "dotglob", "failglob", "nocasematch", "globstar"] as const,
] as const;
/** One of them. */
export type ShellOption = (typeof SHELL_OPTIONS)[number];
const IDLE: readonly string[] = ["expand_aliases", "checkwinsize", "histappend"];

/** Whether `set` with these words is done; words that are not known yet are null. */
export function isKnownSet(words: readonly (string | null)[]): boolean {
  if (words.length === 0) return false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === "--") return true;
    if (word === null) return false;
    if (!/^[-+]./.test(word)) return true;
    const [, on = "", off = "", name] = SET_WORD.exec(word) ?? [];
    const letters = on + off;
    if (letters === "" && name !== "o") return false;
    if (name !== "o") continue;
    const option = words[++at] ?? "";
    if (!Object.hasOwn(SET_OPTIONS, option) || option.length === 1) return false;
  }
  return true;
}

/** As {@linkcode isKnownSet}, for `shopt -s NAME…` and `shopt -u NAME…`. */
export function isKnownOption([how, ...names]: readonly (string | null)[]): boolean {
  return (how === "-s" || how === "-u") && names.length > 0 &&
    names.every((name) => optionOf(name ?? "") !== null);
}

/** The option of that name; "idle" where it changes nothing, null where it is not done. */
export function optionOf(name: string): ShellOption | "idle" | null {
  return SHELL_OPTIONS.find((one) => one === name) ?? (IDLE.includes(name) ? "idle" : null);
}
