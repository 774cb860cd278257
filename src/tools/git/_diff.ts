/** Differences, without what the policy denies: which files, how many lines, and the patch. */

import type { Infer, JsonSchema } from "../../core/schema.ts";
import { exactly, excluding, nameOf, splitNul, textOf } from "./_names.ts";
import { isAllowed, shown } from "./_paths.ts";
import type { Repository } from "./_repository.ts";
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

/** What is to be compared: the subcommand with its own options, and revisions as hashes. */
export interface Comparison {
  readonly command: readonly string[];
  readonly revisions: readonly string[];
  /** Of the repository; all where there is none. */
  readonly paths: readonly string[];
}

/** git-diff(1): no programs, and what a repository may set is as it always is. */
const COMMON = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--no-abbrev"];

/** One change as `--raw -z` tells it. */
export interface RawChange {
  readonly letter: string;
  readonly path: Uint8Array;
  readonly from: Uint8Array | null;
  /** Of the newer side: zeros where there is none, or where it is a file that was not hashed. */
  readonly mode: string;
  readonly hash: string;
}

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
  const named = await changedNames(repository, comparison);
  const denied = named.changes.map(({ path }) => path)
    .filter((path) => !isAllowed(repository, "read", path));
  const leftOut = [...new Set(denied.map((path) => shown(repository, path)))];
  const out = leftOut.length === 0 ? {} : { left_out: leftOut };
  // What was cut off could hold more that is denied.
  if (named.truncated) return { diff: "", files: [], ...out, truncated: true };
  if (named.changes.length === denied.length) {
    return { diff: "", files: [], ...out, truncated: false };
  }
  const { command, revisions, paths } = comparison;
  const end = [...revisions, "--", ...paths.map(exactly), ...denied.map(excluding)];
  const [lines, patch] = await Promise.all([
    repository.git([...command, ...COMMON, "--raw", "--numstat", "-z", "--find-renames", ...end]),
    repository.git([
      ...command,
      ...COMMON,
      "--patch",
      `--unified=${context}`,
      "--find-renames",
      ...end,
    ]),
  ]);
  const files = filesOf(repository, lines.bytes);
  return {
    diff: textOf(patch.bytes),
    files,
    ...out,
    truncated: lines.truncated || patch.truncated,
  };
}

/** The files of `--raw --numstat -z`, each once. */
export function filesOf(
  repository: Pick<Repository, "root">,
  bytes: Uint8Array,
): readonly ChangedFile[] {
  const { changes, counts } = readChanges(bytes);
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

interface Count {
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
}

/** git-diff(1), "RAW OUTPUT FORMAT" and `--numstat` with `-z`. */
export function readChanges(
  bytes: Uint8Array,
): { readonly changes: readonly RawChange[]; readonly counts: ReadonlyMap<string, Count> } {
  const parts = splitNul(bytes);
  const changes: RawChange[] = [];
  const counts = new Map<string, Count>();
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    if (part[0] === COLON) {
      const [, mode = "", , hash = "", status = "M"] = textOf(part).split(" ");
      const letter = status.slice(0, 1);
      const first = parts[++at];
      const second = letter === "R" || letter === "C" ? parts[++at] : undefined;
      if (first === undefined) break;
      changes.push(
        second === undefined
          ? { letter, path: first, from: null, mode, hash }
          : { letter, path: second, from: first, mode, hash },
      );
      continue;
    }
    const [, added = "", removed = "", rest = ""] = /^(\d+|-)\t(\d+|-)\t(.?)/s.exec(textOf(part)) ??
      [];
    if (added === "") continue;
    // A rename: an empty name, then both.
    if (rest === "") at += 2;
    const name = rest === "" ? parts[at] : part.subarray(added.length + removed.length + 2);
    if (name === undefined) break;
    const binary = added === "-";
    counts.set(nameOf(name), {
      added: binary ? 0 : Number(added),
      removed: binary ? 0 : Number(removed),
      binary,
    });
  }
  return { changes, counts };
}

const COLON = 0x3a;
