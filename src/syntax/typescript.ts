/** Judges TypeScript as its compiler's parser does: what only its checker refuses is let pass. */

import type { ParserOptions } from "@babel/parser";
import { describe, isParseError, read } from "./_babel.ts";
import { CHECKED_LATER } from "./_checked_later.ts";
import { TooManySteps } from "./_metered_text.ts";
import type { SyntaxProblem } from "./problem.ts";

/** `.ts`, `.mts`, `.cts`. */
export function checkTypeScript(text: string): SyntaxProblem | null {
  return judge(text, "typescript");
}

/** `.tsx`: `<` may begin an element, and never asserts a type. */
export function checkTsx(text: string): SyntaxProblem | null {
  return judge(text, "typescript", "jsx");
}

/** `.d.ts`, `.d.mts`, `.d.cts`: bodies and initial values may be missing. */
export function checkDeclarations(text: string): SyntaxProblem | null {
  return judge(text, ["typescript", { dts: true }]);
}

type Plugins = NonNullable<ParserOptions["plugins"]>;

/** Parts of the grammar that the compiler always takes, and the parser only when asked. */
const ALWAYS: Plugins = [
  "decorators",
  "decoratorAutoAccessors",
  ["optionalChainingAssign", { version: "2023-07" }],
];

function judge(text: string, ...plugins: Plugins): SyntaxProblem | null {
  const all = readAs(text, plugins, true);
  const error = all.find((error) => !isParseError(error) || !CHECKED_LATER.has(error.reasonCode));
  return error === undefined ? null : describe(text, first(text, plugins, error));
}

/** `goOn`: past what can be passed over. */
function readAs(text: string, plugins: Plugins, goOn: boolean): readonly unknown[] {
  return read(text, {
    sourceType: "module",
    errorRecovery: goOn,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
    plugins: [...ALWAYS, ...plugins],
  });
}

/**
 * What ends the reading of a text is thrown without what was passed over before it, and where too much was passed
 * over the parser fails of itself: then what comes first tells more, unless that is none of the parser's matters.
 */
function first(text: string, plugins: Plugins, error: unknown): unknown {
  if (error instanceof RangeError || error instanceof TooManySteps) return error;
  const [earliest = error] = readAs(text, plugins, false);
  if (!isParseError(earliest)) return error;
  return isParseError(error) && CHECKED_LATER.has(earliest.reasonCode) ? error : earliest;
}
