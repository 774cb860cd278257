/** What has changed in working files since a commit, and where several have changed the same. Nothing is touched. */

import type { CommandEngine } from "../../../engine/create_engine.ts";
import { runOwn } from "../../../engine/own_call.ts";

/** One file that is not as it was. */
export interface ChangedFile {
  readonly path: string;
  readonly change: string;
  /** Of what it is now; null where it is gone, or cannot be read. */
  readonly content: string | null;
}

/** All that has changed. */
export interface Changes {
  readonly files: readonly ChangedFile[];
  readonly addedLines: number;
  readonly removedLines: number;
  /** The newest first. */
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
  /** Why there may be more; null where this is all. */
  readonly incomplete: string | null;
}

/** Files that are compared by what they hold; commits that are told. */
const MOST_FILES = 2000;
const MOST_COMMITS = 1000;
/** Toolgate's own folder: its log, and the worktrees of others. */
const OWN_FOLDER = ".toolgate/";

/** What it was not given to work on, and has been let write. */
const LEFT_OUT_TOO = { left_out_too: true };

interface Diff {
  readonly files: readonly {
    readonly path: string;
    readonly from?: string;
    readonly change: string;
    readonly added_lines?: number;
    readonly removed_lines?: number;
  }[];
  readonly truncated: boolean;
}

/** Where git looks for files that it does not know: it opens all folders there, be it that the agent may not. */
interface Around {
  readonly engine: CommandEngine;
  /** The working files, relative to what that engine works in; `.` where it works in them. */
  readonly folder: string;
}

/** By the tools that an agent would look with, and by what that agent may see. `base`: a commit's hash. */
export async function changesSince(
  engine: CommandEngine,
  agent: string,
  base: string,
  around: Around = { engine, folder: "." },
): Promise<Changes> {
  const ask = (
    tool: string,
    input: Readonly<Record<string, unknown>>,
    chosen: Readonly<Record<string, unknown>> = {},
  ) => runOwn(engine, agent, tool, input, { chosen });
  const { worktrees } = engine.rulebook.settings.git;
  const isOwn = (path: string) => path.startsWith(OWN_FOLDER) || path.startsWith(`${worktrees}/`);
  const diff = await ask("git_diff", { from: base, context: 0 }, LEFT_OUT_TOO) as Diff;
  const log = await ask("git_log", { limit: MOST_COMMITS }) as {
    readonly commits: readonly { readonly hash: string; readonly subject: string }[];
  };
  const named = [
    ...diff.files.flatMap(({ path, from, change }) => [
      { path, change },
      ...(from === undefined || change === "copied" ? [] : [{ path: from, change: "deleted" }]),
    ]),
    ...(await untrackedIn(around, agent)).map((path) => ({ path, change: "added" })),
  ].filter(({ path }) => !isOwn(path));
  const files: ChangedFile[] = [];
  for (const { path, change } of named.slice(0, MOST_FILES)) {
    const gone = change === "deleted";
    files.push({ path, change, content: gone ? null : await contentOf(ask, path) });
  }
  const end = log.commits.findIndex(({ hash }) => hash === base);
  // Files that the policy denies are no child's to change: what git says of them concerns nobody here.
  const problems = [
    ...(diff.truncated ? ["the differences are longer than limits.output"] : []),
    ...(named.length > MOST_FILES ? [`more than ${MOST_FILES} files have changed`] : []),
    ...(end === -1 ? ["the base is none of the last commits"] : []),
  ];
  return {
    files,
    addedLines: diff.files.reduce((sum, one) => sum + (one.added_lines ?? 0), 0),
    removedLines: diff.files.reduce((sum, one) => sum + (one.removed_lines ?? 0), 0),
    commits: log.commits.slice(0, end === -1 ? MOST_COMMITS : end)
      .map(({ hash, subject }) => ({ hash, subject })),
    incomplete: problems.length === 0 ? null : problems.join("; "),
  };
}

async function untrackedIn(
  { engine, folder }: Around,
  agent: string,
): Promise<readonly string[]> {
  const status = await runOwn(engine, agent, "git_status", { repository: folder });
  const { untracked } = status as { readonly untracked: readonly string[] };
  return folder === "." ? untracked : untracked.map((path) => path.slice(folder.length + 1));
}

async function contentOf(
  ask: (tool: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>,
  path: string,
): Promise<string | null> {
  try {
    const read = await ask("read_file", { path, encoding: "base64", end_line: 1 }) as {
      readonly sha256: string;
    };
    return read.sha256;
  } catch {
    // Too large, denied, a folder: then two of them are never taken for the same.
    return null;
  }
}

/** Who has changed what. */
export interface Party {
  readonly name: string;
  readonly changes: Changes;
}

/** What two have changed that does not go together. */
export interface Conflict {
  readonly paths: readonly string[];
  readonly agents: readonly string[];
}

/** Paths that two have changed to different contents, by who they are; one within the other counts too. Pure. */
export function conflictsOf(parties: readonly Party[]): readonly Conflict[] {
  const conflicts: { paths: string[]; agents: string[] }[] = [];
  parties.forEach((one, at) => {
    for (const other of parties.slice(at + 1)) {
      const paths = clashing(one.changes.files, other.changes.files);
      if (paths.length > 0) conflicts.push({ paths, agents: [one.name, other.name] });
    }
  });
  return conflicts;
}

function clashing(ours: readonly ChangedFile[], theirs: readonly ChangedFile[]): string[] {
  const known = new Map(theirs.map((file) => [file.path, file]));
  const folders = (files: readonly ChangedFile[]) =>
    new Set(files.filter(isThere).flatMap(({ path }) => foldersOf(path)));
  const [ourFolders, theirFolders] = [folders(ours), folders(theirs)];
  const paths = new Set<string>();
  for (const file of ours) {
    const other = known.get(file.path);
    if (other !== undefined && !isSame(file, other)) paths.add(file.path);
    if (isThere(file) && theirFolders.has(file.path)) paths.add(file.path);
  }
  for (const file of theirs) if (isThere(file) && ourFolders.has(file.path)) paths.add(file.path);
  return [...paths].sort();
}

function isThere({ change }: ChangedFile): boolean {
  return change !== "deleted";
}

/** Both gone, or both the same by what they hold. */
function isSame(one: ChangedFile, other: ChangedFile): boolean {
  if (!isThere(one) || !isThere(other)) return isThere(one) === isThere(other);
  return one.content !== null && one.content === other.content;
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}
