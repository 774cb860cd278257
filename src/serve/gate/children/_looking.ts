/** What children, and who has them, have changed, as their gate looks at it. What cannot be looked at is told as that. */

import type { CommandEngine } from "../../../engine/create_engine.ts";
import { type Changes, changesSince } from "./changes.ts";
import type { Child, ChildPlace } from "./child.ts";
import { messageOf } from "./_powers.ts";

/** Of who has changed nothing. */
export const NO_CHANGES: Changes = {
  files: [],
  addedLines: 0,
  removedLines: 0,
  commits: [],
  incomplete: null,
};

/** Since a child's base: now, or when it ended. `gate`: the engine in the workspace. */
export async function changesOf(child: Child, gate: CommandEngine): Promise<Changes> {
  if (child.changes !== null) return child.changes;
  if (child.begun === null) return { ...NO_CHANGES, incomplete: "it begins" };
  return await child.looked(changesIn(child.begun.place, child, gate));
}

/** What there is in a child's working files. */
export function changesIn(
  { looks, path }: ChildPlace,
  { id, base }: Pick<Child, "id" | "base">,
  gate: CommandEngine,
): Promise<Changes> {
  return told(async () => changesSince(await looks(), id, base, { engine: gate, folder: path }));
}

/** What there is in the workspace, as `agent` may see it. */
export function changesInWorkspace(
  gate: CommandEngine,
  agent: string,
  base: string,
): Promise<Changes> {
  return told(() => changesSince(gate, agent, base));
}

async function told(look: () => Promise<Changes>): Promise<Changes> {
  try {
    return await look();
  } catch (error) {
    return { ...NO_CHANGES, incomplete: messageOf(error) };
  }
}
