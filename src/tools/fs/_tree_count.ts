/** What previews of deleting, copying and moving tell of the tree that they would touch. */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { TreeCount } from "../../core/tool.ts";

/** Counts as results show them. */
export function treeCountShape(
  { type, files, directories, others, bytes }: TreeCount,
): Readonly<Record<string, unknown>> {
  return { type, files, directories, others, bytes };
}

/** Throws PATH_DENIED where the policy protects a part of what is to be changed as a whole. */
export function refuseDeniedPart(shown: string, { refused }: TreeCount, done: string): void {
  if (refused === 0) return;
  throw new ToolError(
    "PATH_DENIED",
    `${quoted(shown)} holds ${refused} ${refused === 1 ? "entry" : "entries"} that the policy ` +
      `protects, so it cannot be ${done} as a whole; name what may be changed one by one`,
    { details: { refused } },
  );
}
