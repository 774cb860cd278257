/** What a failure that nobody has looked at leads to: `trap … ERR`, and with `set -e` the end. */

import type { PlanNode } from "../../../core/plan.ts";
import { Exit, type LineState } from "./_state.ts";

/** `trapped`: whether the trap was set before the command began (bash takes no other). Throws `Exit`. */
export async function hasFailed(
  state: LineState,
  { trapped, run }: {
    readonly trapped: boolean;
    readonly run: (node: PlanNode, state: LineState) => Promise<void>;
  },
): Promise<void> {
  const { failing, status, stages, speaker, line } = state;
  // What fails in it leads to nothing further.
  if (trapped && failing !== null && !state.handling) {
    state.handling = true;
    await state.reading({ speaker, linesBefore: line - 1 }, () => run(failing, state));
    Object.assign(state, { status, stages, handling: false });
  }
  if (state.settings.errexit) throw new Exit(status);
}
