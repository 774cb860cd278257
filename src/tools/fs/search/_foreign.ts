/** What other dialects of regular expressions have and JavaScript has not, with what to write instead. */

/** Syntax of other dialects, or none at all. The message says what to write instead. */
export class ForeignSyntax extends Error {
  override readonly name = "ForeignSyntax";
}

/** Escapes that other dialects know and JavaScript takes for plain letters, which finds nothing and says nothing. */
export const FOREIGN_ESCAPES: Readonly<Record<string, string>> = {
  A: "write ^ for the start of the line",
  a: "write \\x07",
  e: "write \\x1b",
  E: "escape each character, or use literal: true",
  G: "leave it out",
  g: "write \\1, or \\k<name>",
  H: "write [^ \\t]",
  h: "write [ \\t]",
  K: "write (?<=…) around what stands before it",
  N: "write .",
  Q: "escape each character, or use literal: true",
  R: "lines are searched one by one and hold no line break",
  X: "write .",
  Y: "write \\b",
  Z: "write $ for the end of the line",
  z: "write $ for the end of the line",
};

/** Behind `[:` within a class. */
export const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-/:-@[-`{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** For all other letters behind a backslash. */
export const HOW_TO_WRITE_A_BACKSLASH = "write \\\\ for a backslash, or use literal: true";
