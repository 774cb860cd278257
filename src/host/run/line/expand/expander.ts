/** What expanding the words of a line asks of whoever runs it. */

import type { PlanNode, Word } from "../../../../core/plan.ts";
import type { Piece } from "./fields.ts";
import type { LineState } from "../_state.ts";

/** What expanding takes beside the words. */
export interface Expander {
  /** The one text of a word, its pieces before they are split, and the word as a pattern. */
  text(word: Word, state: LineState): Promise<string>;
  pieces(word: Word, state: LineState): Promise<readonly Piece[]>;
  pattern(word: Word, state: LineState): Promise<string>;
  /** Runs the body as a subshell: its output without the last newlines. Sets the status. */
  substitute(body: PlanNode, state: LineState): Promise<string>;
  /** Has the body run beside what is expanded: the name of the pipe to it. */
  process(access: "read" | "write", body: PlanNode, state: LineState): string;
  /** The names that match, sorted as in the C locale; none where there are none. */
  filesOf(pattern: string, state: LineState): readonly string[];
  /** Throws the ToolError that refuses to have this variable set. */
  allowVariable(name: string, state: LineState): Promise<void>;
  /** Ends the line with a message. `status`: other than that of an expansion which failed. */
  fail(message: string, state: LineState, status?: number): Promise<never>;
}
