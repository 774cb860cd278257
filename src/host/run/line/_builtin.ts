/** What a command of a line that is no program is, and what it is done with. */

import type { LineHost } from "./line_host.ts";
import type { LineState } from "./_state.ts";

/** What a builtin did: its status, and what it says on standard error (its name goes before). */
export interface Done {
  readonly status: number;
  readonly error?: string;
  /** What it says on standard output, without the last newline. */
  readonly output?: string;
}

/** What a builtin is done with. */
export interface Around {
  readonly host: LineHost;
  /** Its standard input. */
  readonly input: number;
  /** IFS, where it is set for it alone. */
  readonly separators: string | undefined;
}

/** `words` without the name. Throws `Exit`, `LoopJump`. */
export type Builtin = (
  words: readonly string[],
  state: LineState,
  around: Around,
) => Done | Promise<Done>;
