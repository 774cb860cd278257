/** The shells and the formatter of manual pages that tests try what Toolgate writes for them in, and archivers and the like that they run. */

/** Debian packages, by the program that they bring. */
export const SHELL_PROGRAMS = {
  zip: "zip",
  unzip: "unzip",
  patch: "patch",
  zsh: "zsh",
  fish: "fish",
  groff: "groff-base",
} as const;
