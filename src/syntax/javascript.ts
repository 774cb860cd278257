/** Judges JavaScript of the newest edition, as scripts and modules. */

import { type Options, parse } from "acorn";
import { problemOnLine, type SyntaxProblem } from "./problem.ts";

/** `.mjs`: a module. */
export function checkModule(text: string): SyntaxProblem | null {
  return judge(text, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
}

/** `.cjs`: the body of a function, as CommonJS wraps it. */
export function checkCommonJs(text: string): SyntaxProblem | null {
  return judge(text, {
    ecmaVersion: "latest",
    sourceType: "script",
    allowHashBang: true,
    allowReturnOutsideFunction: true,
  });
}

/** `.js`: either will do. Where it is neither, the reading that came further tells what is wrong. */
export function checkScript(text: string): SyntaxProblem | null {
  const asModule = checkModule(text);
  const asCommonJs = asModule === null ? null : checkCommonJs(text);
  if (asModule === null || asCommonJs === null) return null;
  const further = asModule.line > asCommonJs.line ||
    (asModule.line === asCommonJs.line && asModule.column >= asCommonJs.column);
  return further ? asModule : asCommonJs;
}

function judge(text: string, options: Options): SyntaxProblem | null {
  try {
    parse(text, options);
    return null;
  } catch (error) {
    if (error instanceof RangeError) {
      return { line: 1, column: 1, message: "it is nested too deeply to be judged" };
    }
    if (!(error instanceof SyntaxError) || !hasPlace(error)) throw error;
    const message = error.message.replace(/ \(\d+:\d+\)$/, "");
    return problemOnLine(text, error.loc.line, error.loc.column, message);
  }
}

/** acorn puts the place on its errors: line from 1, column in UTF-16 code units from 0. */
function hasPlace(
  error: Error,
): error is Error & { readonly loc: { readonly line: number; readonly column: number } } {
  return "loc" in error && typeof error.loc === "object" && error.loc !== null &&
    "line" in error.loc && "column" in error.loc;
}
