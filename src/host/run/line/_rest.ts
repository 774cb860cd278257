/** What follows `exec` with redirections alone: it has these to its end. */

import type { PlanNode } from "../../../core/plan.ts";
import type { Opening } from "./_opening.ts";
import { Exit, type LineState, SUCCESS } from "./_state.ts";
import type { LineStreams } from "./_streams.ts";

/** Runs it; the state has its status then. Throws `Exit`. */
export async function runRest(
  node: Extract<PlanNode, { readonly kind: "group" }>,
  state: LineState,
  place: LineStreams,
  { opening, run }: {
    readonly opening: Opening;
    readonly run: (place: LineStreams) => Promise<void>;
  },
): Promise<void> {
  const opened = await opening.opened(node, state, place);
  if (opened !== null) state.status = SUCCESS;
  const first = node.body.kind === "list" ? node.body.items[0] : undefined;
  const looked = place.tested || (first !== undefined && first.when !== "always");
  try {
    if (opened === null && !looked && state.settings.errexit) throw new Exit(state.status);
    const { descriptors } = opened ?? place;
    await run({ ...place, descriptors });
  } finally {
    opened?.close();
  }
}
