/** Judges TOML 1.0. */

import { parse, TomlError } from "smol-toml";
import { problemOnLine, type SyntaxProblem } from "./problem.ts";

/** Null for valid TOML; else the first problem. */
export function checkToml(text: string): SyntaxProblem | null {
  try {
    parse(text, { integersAsBigInt: true });
    return null;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = (error.message.split("\n", 1)[0] ?? "").replace(/^Invalid TOML document: /, "");
    return problemOnLine(text, error.line, error.column - 1, message);
  }
}
