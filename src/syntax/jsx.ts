/** Judges JavaScript with elements in it. */

import { Parser } from "acorn";
import jsx from "acorn-jsx";
import { judge } from "./_acorn.ts";
import { type SyntaxProblem } from "./problem.ts";

/** `.jsx`: a module or the body of a function. */
export function checkJsx(text: string): SyntaxProblem | null {
  return judge(Parser.extend(jsx()), text, "either");
}
