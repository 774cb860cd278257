/** Judges TypeScript as its compiler's parser does: what only its checker refuses is let pass. */

import { parse, type ParserOptions } from "@babel/parser";
import { CHECKED_LATER } from "./_checked_later.ts";
import { MeteredText, TooManySteps } from "./_metered_text.ts";
import { notJudged, PARSER_FAILS, problemAt, type SyntaxProblem, TOO_DEEP } from "./problem.ts";

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

/** What the parser's errors carry beside the message: the offset, in UTF-16 code units. */
interface ParseError extends Error {
  readonly reasonCode: string;
  readonly pos: number;
}

type Plugins = NonNullable<ParserOptions["plugins"]>;

/** Parts of the grammar that the compiler always takes, and the parser only when asked. */
const ALWAYS: Plugins = [
  "decorators",
  "decoratorAutoAccessors",
  ["optionalChainingAssign", { version: "2023-07" }],
];

function judge(text: string, ...plugins: Plugins): SyntaxProblem | null {
  // Each reading that fails is an error, caught or kept: stack traces would take most of the time and the memory.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const all = read(text, plugins, true);
    const error = all.find((error) => !isParseError(error) || !CHECKED_LATER.has(error.reasonCode));
    return error === undefined ? null : describe(text, first(text, plugins, error));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What is wrong with a text, the last of which may have ended the reading. `goOn`: past what can be passed over. */
function read(text: string, plugins: Plugins, goOn: boolean): readonly unknown[] {
  try {
    const { errors } = parse(new MeteredText(text) as unknown as string, {
      sourceType: "module",
      errorRecovery: goOn,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowNewTargetOutsideFunction: true,
      allowSuperOutsideMethod: true,
      allowUndeclaredExports: true,
      plugins: [...ALWAYS, ...plugins],
    });
    return errors ?? [];
  } catch (error) {
    return [error];
  }
}

/**
 * What ends the reading of a text is thrown without what was passed over before it, and where too much was passed
 * over the parser fails of itself: then what comes first tells more, unless that is none of the parser's matters.
 */
function first(text: string, plugins: Plugins, error: unknown): unknown {
  if (error instanceof RangeError || error instanceof TooManySteps) return error;
  const [earliest = error] = read(text, plugins, false);
  if (!isParseError(earliest)) return error;
  return isParseError(error) && CHECKED_LATER.has(earliest.reasonCode) ? error : earliest;
}

function describe(text: string, error: unknown): SyntaxProblem {
  if (error instanceof RangeError) return TOO_DEEP;
  if (error instanceof TooManySteps) return notJudged("it takes too many steps to be judged");
  if (!isParseError(error)) return PARSER_FAILS;
  return problemAt(text, error.pos, error.message.replace(/ \(\d+:\d+\)$/, ""));
}

function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && "reasonCode" in error && "pos" in error;
}
