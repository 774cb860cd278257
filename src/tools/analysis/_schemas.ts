/** Parts of schemas that the tools of this category share. */

import { pathSchema } from "../../toolkit/path_schema.ts";

/** The argument that says what is analysed. */
export const PATH = {
  ...pathSchema("Directory or file to analyse, relative to the workspace or absolute."),
  default: ".",
} as const;

/** A file, as results name it. */
export const FILE = { type: "string", description: "Relative to the workspace." } as const;
/** The name of a language in results. */
export const LANGUAGE = { type: "string", description: "TypeScript, Python, …" } as const;
/** A line in results. */
export const LINE = { type: "integer", description: "From 1." } as const;

/** What was left out, and why. */
export const SKIPPED = {
  type: "array",
  description: "Files that were not analysed, or not wholly, at most 100 of them.",
  items: {
    type: "object",
    properties: { path: FILE, reason: { type: "string", description: "Why." } },
    required: ["path", "reason"],
  },
} as const;

/** How many files were passed over, in results. */
export const SKIPPED_TOTAL = { type: "integer", description: "How many there are." } as const;

/** How many skipped files are named. */
export const MOST_SKIPPED = 100;

/** Of what was come to, the files with a note. */
export function skippedOf(
  seen: readonly { readonly path: string; readonly note?: string }[],
): {
  readonly skipped: readonly { path: string; reason: string }[];
  readonly skipped_total: number;
} {
  const noted = seen.flatMap(({ path, note }) =>
    note === undefined ? [] : [{ path, reason: note }]
  );
  return { skipped: noted.slice(0, MOST_SKIPPED), skipped_total: noted.length };
}
