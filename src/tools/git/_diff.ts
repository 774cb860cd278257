/** Differences, without what the policy denies: which files, how many lines, and the patch. */

import type { Infer, JsonSchema } from "../../core/schema.ts";
import { exactly, excluding, nameOf, textOf } from "../../toolkit/git/names.ts";
import { isAllowed, shown } from "../../toolkit/git/paths.ts";
import { type RawChange, type ReadChanges, readChanges } from "../../toolkit/git/raw_changes.ts";
import type { Repository } from "../../toolkit/git/repository.ts";
import { requireCommit } from "../../toolkit/git/revisions.ts";
import { CHANGE, CHANGES, LEFT_OUT, TRUNCATED } from "./_schemas.ts";

/** What tools that show differences answer. */
export const DIFF_PROPERTIES = {
  diff: { type: "string", description: "A unified diff, up to the limit of output." },
  files: {
    type: "array",
    items: {
      type: "object",
      properties: {
        path: { type: "string", description: "Relative to the workspace." },
        from: { type: "string", description: "Where it was renamed or copied from." },
        change: CHANGE,
        added_lines: { type: "integer", description: "Lines; 0 of a binary file." },
        removed_lines: { type: "integer", description: "Likewise." },
        binary: { type: "boolean", description: "Whether it has no lines." },
      },
      required: ["path", "change", "added_lines", "removed_lines", "binary"],
    },
    description: "What differs.",
  },
  left_out: LEFT_OUT,
  truncated: TRUNCATED,
} as const satisfies Readonly<Record<string, JsonSchema>>;

const SHAPE = {
  type: "object",
  properties: DIFF_PROPERTIES,
  required: ["diff", "files", "truncated"],
} as const;

/** What changed, as results have it. */
export type Diff = Infer<typeof SHAPE>;
/** One file of it. */
export type ChangedFile = Diff["files"][number];

/** What is to be compared: the subcommand with its own options, and what names commits. */
export interface Comparison {
  readonly command: readonly string[];
  readonly revisions: readonly string[];
  /** Of the repository; all where there is none. */
  readonly paths: readonly string[];
}

/** git-diff(1): no programs, and what a repository may set is as it always is. */
const COMMON = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--no-abbrev"];

/** What differs, by name alone: renames come as two. No file is read for it. */
export async function changedNames(
  repository: Repository,
  { command, revisions, paths }: Comparison,
): Promise<{ readonly changes: readonly RawChange[]; readonly truncated: boolean }> {
  const { bytes, truncated } = await repository.git([
    // Files whose times alone differ would be read.
    ...["-c", "diff.autoRefreshIndex=false", ...command, ...COMMON],
    ...["--raw", "-z", "--no-renames", ...revisions, "--", ...paths.map(exactly)],
  ]);
  return { changes: readChanges(bytes).changes, truncated };
}

/** Compares. `context`: lines around each change. */
export async function compare(
  repository: Repository,
  comparison: Comparison,
  context: number,
): Promise<Diff> {
  return await comparedAtOnce(repository, comparison, context) ??
    await comparedInParts(repository, comparison, context);
}

/** With one start of git: null where something in it is denied, or it could not be done. */
async function comparedAtOnce(
  repository: Repository,
  { command, revisions, paths }: Comparison,
  context: number,
): Promise<Diff | null> {
  const { bytes, truncated, status } = await repository.git([
    ...[...command, ...COMMON, "--raw", "--numstat", "--patch", "-z", `--unified=${context}`],
    ...["--find-renames", ...revisions.map((one) => `${one}^{commit}`)],
    ...["--", ...paths.map(exactly)],
  ], { good: [0, 128] });
  // Of files in conflict git tells all sides at once then, and shows no patch (git-diff(1), "COMBINED DIFF FORMAT").
  if (status !== 0 || bytes[0] === COLON && bytes[1] === COLON) return null;
  const read = readChanges(bytes);
  if (truncated && read.rest === null) return null;
  const denied = read.changes.some(({ path, from }) =>
    [path, from].some((one) => one !== null && !isAllowed(repository, "read", one))
  );
  if (denied) return null;
  return { diff: textOf(read.rest ?? NOTHING), files: filesOf(repository, read), truncated };
}

const NOTHING = new Uint8Array();
const COLON = 0x3a;

/** Looks by name first, and leaves out what is denied. Throws GIT_ERROR where a revision names no commit. */
async function comparedInParts(
  repository: Repository,
  { command, revisions: names, paths }: Comparison,
  context: number,
): Promise<Diff> {
  const revisions: string[] = [];
  for (const name of names) revisions.push(await requireCommit(repository, name));
  const named = await changedNames(repository, { command, revisions, paths });
  const denied = named.changes.map(({ path }) => path)
    .filter((path) => !isAllowed(repository, "read", path));
  const leftOut = [...new Set(denied.map((path) => shown(repository, path)))];
  const out = leftOut.length === 0 ? {} : { left_out: leftOut };
  // What was cut off could hold more that is denied.
  if (named.truncated) return { diff: "", files: [], ...out, truncated: true };
  if (named.changes.length === denied.length) {
    return { diff: "", files: [], ...out, truncated: false };
  }
  const end = [...revisions, "--", ...paths.map(exactly), ...denied.map(excluding)];
  const [lines, patch] = await Promise.all(
    [["--raw", "--numstat", "-z"], ["--patch", `--unified=${context}`]].map((options) =>
      repository.git([...command, ...COMMON, ...options, "--find-renames", ...end])
    ),
  );
  return {
    diff: textOf(patch?.bytes ?? NOTHING),
    files: filesOf(repository, readChanges(lines?.bytes ?? NOTHING)),
    ...out,
    truncated: lines?.truncated === true || patch?.truncated === true,
  };
}

/** The files of these changes, each once. */
export function filesOf(
  repository: Pick<Repository, "root">,
  { changes, counts }: Pick<ReadChanges, "changes" | "counts">,
): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { letter, path, from } of changes) {
    const name = nameOf(path);
    const before = files.get(name);
    if (before !== undefined && letter !== "U") continue;
    const { added = 0, removed = 0, binary = false } = counts.get(name) ?? {};
    files.set(name, {
      path: shown(repository, path),
      ...(from === null ? {} : { from: shown(repository, from) }),
      change: CHANGES[letter] ?? "modified",
      added_lines: added,
      removed_lines: removed,
      binary,
    });
  }
  return [...files.values()];
}
