/** Judges JavaScript with elements in it. */

import { describe, read } from "./_babel.ts";
import { furtherOf, type SyntaxProblem } from "./problem.ts";

/** `.jsx`: a module or the body of a function. */
export function checkJsx(text: string): SyntaxProblem | null {
  const asModule = judgeAs(text, "module");
  const asCommonJs = asModule === null ? null : judgeAs(text, "script");
  return furtherOf(asModule, asCommonJs);
}

function judgeAs(text: string, sourceType: "module" | "script"): SyntaxProblem | null {
  const [error] = read(text, {
    sourceType,
    allowReturnOutsideFunction: sourceType === "script",
    plugins: ["jsx"],
  });
  return error === undefined ? null : describe(text, error);
}
