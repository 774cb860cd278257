/** Judges JavaScript of the newest edition, as scripts and modules. */

import { judge } from "./_acorn.ts";
import type { SyntaxProblem } from "./problem.ts";

/** `.mjs`: a module. */
export function checkModule(text: string): SyntaxProblem | null {
  return judge(text, "module");
}

/** `.cjs`: the body of a function, as CommonJS wraps it. */
export function checkCommonJs(text: string): SyntaxProblem | null {
  return judge(text, "commonjs");
}

/** `.js`: either will do. */
export function checkScript(text: string): SyntaxProblem | null {
  return judge(text, "either");
}
