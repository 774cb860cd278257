/** What the validators of TypeScript and of elements share: how Babel's parser is asked, and what it answers. */

import { parse, type ParserOptions } from "@babel/parser";
import { MeteredText, TooManySteps } from "./_metered_text.ts";
import { notJudged, PARSER_FAILS, problemAt, type SyntaxProblem, TOO_DEEP } from "./problem.ts";

/** What the parser's errors carry beside the message: the offset, in UTF-16 code units. */
export interface ParseError extends Error {
  readonly reasonCode: string;
  readonly pos: number;
}

/** What is wrong with a text, the last of which may have ended the reading. `errorRecovery`: past what can be passed over. */
export function read(text: string, options: ParserOptions): readonly unknown[] {
  // Each reading that fails is an error, caught or kept: stack traces would take most of the time and the memory.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse(new MeteredText(text) as unknown as string, options).errors ?? [];
  } catch (error) {
    return [error];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** As validators say it. */
export function describe(text: string, error: unknown): SyntaxProblem {
  if (error instanceof RangeError) return TOO_DEEP;
  if (error instanceof TooManySteps) return notJudged("it takes too many steps to be judged");
  if (!isParseError(error)) return PARSER_FAILS;
  return problemAt(text, error.pos, error.message.replace(/ \(\d+:\d+\)$/, ""));
}

/** Whether it is about the text, and no failure of the parser's own. */
export function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && "reasonCode" in error && "pos" in error;
}
