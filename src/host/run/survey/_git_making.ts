/**
 * Looks at what a command of git would make beside commits, a repository or a worktree, before it is started: as git is
 * given no settings and no hooks, it is refused whole where it would have to write such, or a name that the policy denies.
 */

import { nameText } from "../../../core/name_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { GitMaking } from "../../../core/git/making.ts";
import { baseName, parentOf } from "../../../core/path_text.ts";
import { printable, quoted } from "../../../core/printable.ts";
import { isWithin } from "../../../sandbox/within.ts";
import type { SurveyParts } from "./_parts.ts";

/** What it takes beside the words. */
export interface MakingSurvey extends SurveyParts {
  readonly argv: readonly string[];
  /** Where git would begin. */
  readonly directory: CanonicalPath;
  /** Whether the policy can deny anything of what may be written. */
  readonly denies: boolean;
}

/**
 * The denied names that it would write, in order; none where it may be started. PATH_DENIED where it is beyond what git is
 * given, NETWORK_DENIED where it takes a transport that the policy does not name.
 */
export async function surveyMaking(
  making: GitMaking,
  parts: MakingSurvey,
): Promise<readonly string[]> {
  const { denies, directory, resolve } = parts;
  switch (making.kind) {
    case "beyond":
      if (denies) refuseSettings(parts, await topOf(parts), making.why);
      return [];
    case "repository": {
      const source = making.from === null ? null : sourceOf(making.from, parts);
      if (making.from !== null && source !== null) {
        checkTransport(parts, making.from);
        const { effect, reason } = parts.rulebook.judgePath("read", source, "directory");
        if (effect !== "allow") throw refusedWhole(parts, reason);
      }
      const into = resolve(directory, making.into);
      if (!denies || into === null) return [];
      if (`${into}/`.includes("/.git/")) {
        refuseSettings(parts, into, "it lies among the files of a repository's own folder");
      }
      if (!making.bare && resolve(into, ".git/config") !== `${into}/.git/config`) {
        const why = "what is called .git there is no folder of its own; name another folder";
        refuseSettings(parts, into, why);
      }
      if (making.trees === null || !parts.rulebook.mayDenyBelow("write", into)) return [];
      if (source === null) {
        throw refusedWhole(
          parts,
          `what lies in ${quoted(printable(making.from ?? "", 200))} cannot be looked at before; ` +
            "clone it with --no-checkout, and git checkout then",
        );
      }
      return deniedIn(parts, into, await namesIn(parts, source, making.trees));
    }
    case "worktree": {
      const into = resolve(directory, making.into);
      if (!denies || into === null || making.trees === null) return [];
      return deniedIn(parts, into, await namesIn(parts, directory, making.trees));
    }
    case "worktree removal": {
      const at = resolve(directory, making.at);
      if (!denies || at === null || parts.text(`${at}/.git`) === null) return [];
      await checkOwn(parts, at);
      const [known, others] = [
        await parts.git(["ls-files", "-z"], at, ""),
        await parts.git(["ls-files", "-z", "--others"], at, ""),
      ];
      return deniedIn(parts, at, [known, others].flatMap((look) => split(parts, look)));
    }
    case "worktree records":
      return [];
  }
}

/** The repository that a clone is one of, where it lies on this machine (git-clone(1), "GIT URLS"); else null. */
function sourceOf(from: string, { directory, resolve }: MakingSurvey): CanonicalPath | null {
  const path = from.replace(/^file:\/\//, "");
  // A colon before any slash is a machine's name; one of `file://` stands before that.
  if (/^[^/]*:/.test(path)) return null;
  return resolve(directory, path);
}

function checkTransport(parts: MakingSurvey, from: string): void {
  const { argv, protocols } = parts;
  if (protocols.includes("file")) return;
  throw new ToolError(
    "NETWORK_DENIED",
    `${shown(argv)} was not started: ${
      quoted(printable(from, 200))
    } is a path, and the policy's git.protocols does not name file; it names ${
      protocols.join(", ") || "none"
    }`,
  );
}

/** PATH_DENIED where the policy denies the settings of the repository that lies there. */
function refuseSettings(parts: MakingSurvey, top: CanonicalPath, why: string): void {
  const settings = `${top === "/" ? "" : top}/.git/config` as CanonicalPath;
  const { effect, reason } = parts.rulebook.judgePath("write", settings, "file");
  if (effect !== "allow") throw refusedWhole(parts, `${why} (${reason})`);
}

/** Where the working files begin; the folder itself where there are none. */
async function topOf({ git, resolve, directory }: MakingSurvey): Promise<CanonicalPath> {
  const { status, bytes } = await git(["rev-parse", "--show-cdup"], directory, "");
  const up = new TextDecoder().decode(bytes).trim();
  return status === 0 ? resolve(directory, up || ".") ?? directory : directory;
}

/** What a commit of a repository has, by the first of these names that is one. */
async function namesIn(
  parts: MakingSurvey,
  repository: CanonicalPath,
  trees: readonly string[],
): Promise<readonly string[]> {
  const git = (words: readonly string[]) =>
    parts.git(["-C", repository, ...words], parts.directory, "");
  const inside = ["rev-parse", "--git-dir"];
  const [plain, bare] = [[], ["--git-dir=."]];
  const way = (await git(inside)).status === 0
    ? plain
    : (await git([...bare, ...inside])).status === 0
    ? bare
    : null;
  // Git says itself that there is none; a file that holds one is nothing to be looked at.
  if (way === null && isFile(parts, repository)) {
    throw refusedWhole(parts, "it is a file, which cannot be looked at before; unbundle it");
  }
  if (way === null) return [];
  for (const tree of trees) {
    const list = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", `${tree}^{commit}`];
    const look = await git([...way, ...list]);
    if (look.status === 0) return split(parts, look);
  }
  return [];
}

/** Of what lies in the workspace: elsewhere nobody is told. */
function isFile({ resolve, workspace }: MakingSurvey, path: CanonicalPath): boolean {
  const below = path.slice(workspace === "/" ? 1 : workspace.length + 1);
  return isWithin(workspace, path) && path !== workspace &&
    resolve(workspace, `${below}/x`) === null;
}

/** PATH_DENIED unless it is a worktree of the repository around, whose part of it git can take away. */
async function checkOwn(parts: MakingSurvey, at: CanonicalPath): Promise<void> {
  const { git, directory, resolve, workspace } = parts;
  const said = async (words: readonly string[], from: CanonicalPath) =>
    new TextDecoder().decode((await git(words, from, "")).bytes).trim();
  const part = resolve(at, await said(["rev-parse", "--absolute-git-dir"], at) || ".");
  const common = resolve(
    directory,
    await said(["rev-parse", "--git-common-dir"], directory) || ".",
  );
  const worktrees = `${common}/worktrees`;
  const isOwn = part !== null && common !== null && baseName(common) === ".git" &&
    isWithin(workspace, common) && part !== common && parentOf(part) === worktrees;
  if (isOwn) return;
  const settings = `${at}/.git` as CanonicalPath;
  const { effect, reason } = parts.rulebook.judgePath("write", settings, "file");
  if (effect === "allow") return;
  throw refusedWhole(parts, `it is no worktree of a repository of this workspace (${reason})`);
}

function split(
  parts: MakingSurvey,
  { bytes, cut }: { readonly bytes: Uint8Array; readonly cut: boolean },
): readonly string[] {
  if (cut) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${shown(parts.argv)}: it would touch more names than are looked at`,
    );
  }
  return nameText(bytes).split("\0").filter((name) => name !== "");
}

function deniedIn(
  { rulebook }: MakingSurvey,
  folder: CanonicalPath,
  names: readonly string[],
): readonly string[] {
  const prefix = folder === "/" ? "" : folder;
  const denied = names.filter((name) =>
    rulebook.judgePath("write", `${prefix}/${name}` as CanonicalPath, "file").effect !== "allow"
  );
  return [...new Set(denied)].sort();
}

function refusedWhole({ argv }: MakingSurvey, why: string): ToolError {
  return new ToolError("PATH_DENIED", `${shown(argv)} was not started: ${why}`);
}

function shown(argv: readonly string[]): string {
  return quoted(printable(argv.join(" "), 200));
}
