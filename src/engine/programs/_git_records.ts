/**
 * Which commands of git change the repository's own folder: what touches nothing else, and what was looked at whole before
 * it is started (`surveyGit`).
 */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { type GitMaking, gitMaking } from "../../core/git/making.ts";
import { changesRepository, changesSettings, gitWords, namesUser } from "../../core/git/words.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import type { GitFolder } from "../../host/broker/git_folder.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import { resolver } from "../../host/paths/canonicalize.ts";
import { GIT_FOLDERS } from "./_own_starts.ts";
import { isWithin } from "../../sandbox/within.ts";

/** How the files around are looked at. */
export interface RecordsProbe extends Pick<PathProbe, "entryAt"> {
  /** What is in a small file; null where it cannot be read. */
  readonly text: (path: string) => string | null;
}

/** What a worktree's file `.git` says (gitrepository-layout(5)): the repository, and its own part of that. */
const LINK = /^gitdir: (\/.*\/\.git)\/worktrees\/([^/\n]+)\n?$/s;

/**
 * What a command of git records in; null where it is no such command, or no repository is there. The caller knows that the
 * program is the system's.
 */
export function recordsIn(
  { program, argv, directory }: {
    readonly program: Program;
    readonly argv: readonly string[];
    readonly directory: CanonicalPath;
  },
  workspace: CanonicalPath,
  probe: RecordsProbe,
): GitFolder | null {
  if (baseName(program.path) !== "git") return null;
  // It starts itself again by the name that it has among its parts.
  const programs = [program.path, ...GIT_FOLDERS.map((parts) => `${parts}/git`)];
  const words = gitWords(argv);
  if (words === null) return null;
  const resolve = resolver(probe.entryAt);
  let at: CanonicalPath = directory;
  for (const folder of words.folders) {
    const led = resolve(at, folder);
    if (led === null) return null;
    at = led;
  }
  const making = gitMaking(words);
  if (making !== null) return madeBy(making, { at, programs, workspace, resolve, probe });
  const settles = namesUser(words) || changesSettings(words);
  if (!settles && !changesRepository(words)) return null;
  const found = repositoryAround(at, workspace, probe);
  return found === null
    ? null
    : { ...found, programs, settles: settles ? "names" : "nothing", link: null };
}

/** What a command changes that makes a repository or a worktree, or takes one away. */
function madeBy(
  making: GitMaking,
  { at, programs, workspace, resolve, probe }: {
    readonly at: CanonicalPath;
    readonly programs: readonly string[];
    readonly workspace: CanonicalPath;
    readonly resolve: ReturnType<typeof resolver>;
    readonly probe: RecordsProbe;
  },
): GitFolder | null {
  switch (making.kind) {
    case "beyond":
      return null;
    case "repository": {
      const into = making.bare ? null : resolve(at, making.into);
      if (into === null || !isWithin(workspace, into)) return null;
      const folder = gitOf(into);
      const found = probe.entryAt(folder);
      if (found !== "missing" && found !== "directory") return null;
      return { folder, programs, settles: "beginning", worktrees: "none", link: null };
    }
    case "worktree":
    case "worktree removal":
    case "worktree records": {
      const found = repositoryAround(at, workspace, probe);
      if (found === null) return null;
      const named = making.kind === "worktree"
        ? making.into
        : making.kind === "worktree removal"
        ? making.at
        : null;
      const tree = named === null ? null : resolve(at, named);
      const link = tree === null || !isWithin(workspace, tree) ? null : gitOf(tree);
      return { folder: found.folder, programs, settles: "nothing", worktrees: "all", link };
    }
  }
}

/** The repository that a folder of the workspace lies in, and which worktree of it that is. */
export function repositoryAround(
  from: CanonicalPath,
  workspace: CanonicalPath,
  { entryAt, text }: RecordsProbe,
): Pick<GitFolder, "folder" | "worktrees"> | null {
  for (let at = from; isWithin(workspace, at); at = parentOf(at)) {
    const folder = gitOf(at);
    const found = entryAt(folder);
    if (found === "directory") return { folder, worktrees: "none" };
    if (found === "other") return linkedTo(text(folder), workspace, entryAt);
    if (found !== "missing" || at === "/") return null;
  }
  return null;
}

/** A file there leads to a folder elsewhere: only one that `git worktree` made in this workspace is recorded in. */
function linkedTo(
  text: string | null,
  workspace: CanonicalPath,
  entryAt: RecordsProbe["entryAt"],
): Pick<GitFolder, "folder" | "worktrees"> | null {
  const [, common, name] = LINK.exec(text ?? "") ?? [];
  if (common === undefined || name === undefined) return null;
  const led = resolver(entryAt)("/" as CanonicalPath, `${common}/worktrees/${name}`);
  const isIts = led === `${common}/worktrees/${name}` && isWithin(workspace, common) &&
    entryAt(led) === "directory";
  return isIts ? { folder: common as CanonicalPath, worktrees: { name } } : null;
}

function gitOf(folder: CanonicalPath): CanonicalPath {
  return `${folder === "/" ? "" : folder}/.git` as CanonicalPath;
}
