/** Files that a merge left to be settled. */

import type { Infer, JsonSchema } from "../../core/schema.ts";
import { nameOf, splitNul, textOf } from "./names.ts";
import { isAllowed, shown } from "./paths.ts";
import type { Repository } from "./repository.ts";

const SIDE = { oneOf: [{ type: "string" }, { type: "null" }] } as const;

/** In results. */
export const CONFLICTS = {
  type: "array",
  items: {
    type: "object",
    properties: {
      path: { type: "string", description: "Relative to the workspace." },
      ours: { ...SIDE, description: "The blob of this side; null where it has none." },
      theirs: { ...SIDE, description: "Of the other side, likewise." },
      base: { ...SIDE, description: "Of what both began with, likewise." },
    },
    required: ["path", "ours", "theirs", "base"],
  },
  description: "Files that both sides changed, to be settled by hand.",
} as const satisfies JsonSchema;

/** One of them. */
export type Conflict = Infer<typeof CONFLICTS>[number];

/** Those of the index. What may not be read is told by its name alone. */
export async function conflictsOf(repository: Repository): Promise<readonly Conflict[]> {
  const { bytes } = await repository.git(["ls-files", "--unmerged", "-z"]);
  return readConflicts(repository, splitNul(bytes));
}

/** Of records `MODE HASH STAGE<TAB>PATH` (git-ls-files(1), `--stage`). */
export function readConflicts(
  repository: Repository,
  records: readonly Uint8Array[],
): readonly Conflict[] {
  const conflicts = new Map<string, { path: Uint8Array; sides: (string | null)[] }>();
  for (const record of records) {
    const tab = record.indexOf(0x09);
    const [, hash = "", stage = ""] = textOf(record.subarray(0, tab)).split(" ");
    const path = record.subarray(tab + 1);
    const name = nameOf(path);
    const entry = conflicts.get(name) ?? { path, sides: [null, null, null] };
    entry.sides[Number(stage) - 1] = isAllowed(repository, "read", path) ? hash : null;
    conflicts.set(name, entry);
  }
  return [...conflicts.values()].map((
    { path, sides: [base = null, ours = null, theirs = null] },
  ) => ({
    path: shown(repository, path),
    ours,
    theirs,
    base,
  }));
}
