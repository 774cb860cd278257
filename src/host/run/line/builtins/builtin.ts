/** What a command of a line that is no program is, and what it is done with. */

import type { PlanNode } from "../../../../core/plan.ts";
import type { Expander } from "../expand/expander.ts";
import type { LineHost } from "../line_host.ts";
import type { LineState } from "../_state.ts";
import type { TestHost } from "../_tests.ts";

/** What a builtin did: its status, and what it says on standard error (its name goes before each). */
export interface Done {
  readonly status: number;
  readonly error?: string | readonly string[];
  /** What it says without its name; `plaint`: and without the line. */
  readonly complaint?: string;
  readonly plaint?: string;
  /** And as it stands. */
  readonly said?: string;
  /** What it says on standard output. */
  readonly output?: string | Uint8Array;
}

/** What a builtin is done with. */
export interface Around {
  readonly host: LineHost;
  readonly expander: Pick<Expander, "allowVariable">;
  readonly tests: TestHost;
  /** By number, those of the line in place of it. */
  readonly descriptors: readonly number[];
  /** Whether it stands in the line as that was judged. */
  readonly judged: boolean;
  /** What it was given as a script, where that is known from the line. */
  readonly script: PlanNode | null;
  /** Runs a text in the shell of the line, in the place of the builtin. */
  evaluate(text: string, state: LineState): Promise<void>;
  run(node: PlanNode, state: LineState): Promise<void>;
  /** The plan of a text. */
  understand(text: string, state: LineState): Promise<PlanNode>;
  /** The text of a file, judged; a number is an error's, its sign turned. */
  readFile(path: string, state: LineState): Promise<string | number>;
  /** What a bare name would start: a path; null for nothing. */
  programOf(name: string, state: LineState): string | null;
  /** How a background command ended: after having waited for it. */
  wait(ended: Promise<unknown>): Promise<void>;
}

/** `words` without the name. Throws `Exit`, `LoopJump`, `Return`. */
export type Builtin = (
  words: readonly string[],
  state: LineState,
  around: Around,
) => Done | Promise<Done>;
