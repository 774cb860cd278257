/**
 * Looks at the two repositories that `git fetch PATH` and `git push PATH` speak with, before it is started: git has the
 * other's part run by a line for the shell, and settings of either could have that line, or git there, run something else.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { GitPeers } from "../../../core/git/words.ts";
import { printable, quoted } from "../../../core/printable.ts";
import type { SurveyParts } from "./_parts.ts";

/** What it takes beside the words. */
export interface PeerSurvey extends SurveyParts {
  readonly argv: readonly string[];
  /** Where git would begin. */
  readonly directory: CanonicalPath;
}

/** Settings of the own repository by which another is reached, and what is told to it (git-config(1), `http.*`, `url.*`). */
const WAYS =
  "^(http\\..*|url\\..*\\.(insteadof|pushinsteadof)|remote\\..*\\.(proxy|proxyauthmethod|uploadpack|receivepack|vcs))$";
/** Those of them that name what the other side is run by. */
const RUN = /^remote\..*\.(?:uploadpack|receivepack|vcs)$/is;
/** How much and how long alone: last parts of such names. */
const PACES =
  /\.(?:postbuffer|version|lowspeed(?:limit|time)|maxrequests|minsessions|maxretries|retryafter|maxretrytime|keepalive(?:count|idle|interval))$/i;
/** Of the other's: what git runs there, or does with what comes. */
const THERE = "^(core\\.(alternaterefscommand|fsmonitor|hookspath)|uploadpack\\..*|receive\\..*)$";
/** What git tries behind a path that is none (gitrepository-layout(5); `enter_repo` in path.c). */
const ENDINGS: readonly string[] = ["/.git", "", ".git/.git", ".git"];

/** PATH_DENIED where one of them says what is run, or by which way, or where what is denied would be written there. */
export async function surveyPeers(
  { remotes, written }: GitPeers,
  parts: PeerSurvey,
): Promise<void> {
  const names = remotes === "all"
    ? await remotesOf(parts)
    : remotes.length === 0
    ? [await ownRemote(parts)]
    : remotes;
  if (names.length === 0) return;
  const ways = await settingsIn(parts, [], WAYS);
  for (const name of names) {
    const at = await pathOf(name, written, parts);
    // Over another transport nothing of it runs here.
    if (at !== null) await surveyPeer(at, { written, ways }, parts);
  }
  // A path may stand for another machine (`url.*.insteadOf`).
  requireNoWays(ways, parts);
}

/** `ways`: what the own repository says of them. */
async function surveyPeer(
  at: string,
  { written, ways }: { readonly written: boolean; readonly ways: readonly string[] },
  parts: PeerSurvey,
): Promise<void> {
  const { rulebook, directory, resolve, workspace } = parts;
  const there = await repositoryAt(parts, at);
  if (there === null) {
    throw refused(parts, `no repository was found at ${quoted(printable(at, 200))}`);
  }
  const read = rulebook.judgePath("read", there, "directory");
  if (read.effect !== "allow") throw refused(parts, read.reason);
  const set = [
    ...ways.filter((name) => RUN.test(name)),
    ...await settingsIn(parts, ["-C", there, "--git-dir=."], THERE),
  ];
  if (set.length > 0) {
    const names = printable(set.slice(0, 3).join(", "), 200);
    throw refused(parts, `${names} of the repositories says what is run; take it out`);
  }
  if (!written) return;
  const refs = resolve(there, "refs");
  const verdict = refs === null ? null : rulebook.judgePath("write", refs, "directory");
  if (verdict?.effect === "allow") return;
  const why = verdict?.reason ?? "where it leads is not known";
  throw refused(
    parts,
    `git writes one repository at a time whose .git is denied (${why}); fetch from here there: git -C ${
      printable(at, 200)
    } fetch ${printable(resolve(directory, ".") ?? workspace, 200)} BRANCH`,
  );
}

/**
 * PATH_DENIED where the repository says by which way others are reached, whom to trust there, or what to tell them: a git in
 * a line goes by it, and the tools do not.
 */
function requireNoWays(ways: readonly string[], parts: PeerSurvey): void {
  const set = ways.filter((name) => !PACES.test(name));
  if (set.length === 0) return;
  const names = printable(set.slice(0, 3).join(", "), 200);
  throw refused(
    parts,
    `${names} of the repository says how another machine is reached; take it out, or use git_pull and git_push, which do ` +
      "not go by it",
  );
}

/** The repository's own folder. */
async function repositoryAt(parts: PeerSurvey, at: string): Promise<CanonicalPath | null> {
  for (const ending of ENDINGS) {
    const folder = parts.resolve(parts.directory, `${at.replace(/\/+$/, "")}${ending}`);
    if (folder === null) continue;
    const words = ["-C", folder, "--git-dir=.", "rev-parse", "--git-dir"];
    if ((await parts.git(words, parts.directory, "")).status === 0) return folder;
  }
  return null;
}

/** The names of those that no command line of ours has set. */
async function settingsIn(
  { git, directory }: PeerSurvey,
  where: readonly string[],
  pattern: string,
): Promise<readonly string[]> {
  const words = [...where, "config", "--show-scope", "--name-only", "--get-regexp", pattern];
  const { bytes } = await git(words, directory, "");
  return new TextDecoder().decode(bytes).split("\n").flatMap((line) => {
    const [scope, name] = line.split("\t");
    return name === undefined || scope === "command" ? [] : [name];
  });
}

/** What git answers; null where it answers nothing. */
async function said(parts: PeerSurvey, words: readonly string[]): Promise<string | null> {
  const { status, bytes } = await parts.git(words, parts.directory, "");
  return status === 0 ? new TextDecoder().decode(bytes).trim() : null;
}

/** Those that the repository names. */
async function remotesOf(parts: PeerSurvey): Promise<readonly string[]> {
  return (await said(parts, ["remote"]) ?? "").split("\n").filter((name) => name !== "");
}

/** The one that git takes by itself. */
async function ownRemote(parts: PeerSurvey): Promise<string> {
  const branch = await said(parts, ["symbolic-ref", "-q", "--short", "HEAD"]) ?? "";
  return await said(parts, ["config", "--get", `branch.${branch}.remote`]) ?? "origin";
}

/** The path of the other repository; null where it is none of this machine. */
async function pathOf(name: string, written: boolean, parts: PeerSurvey): Promise<string | null> {
  const asked = ["remote", "get-url", ...(written ? ["--push"] : []), "--", name];
  const url = (await said(parts, asked) ?? name).replace(/^file:\/\//, "");
  return /^[^/]*:/.test(url) ? null : url;
}

function refused({ argv }: PeerSurvey, why: string): ToolError {
  return new ToolError(
    "PATH_DENIED",
    `${quoted(printable(argv.join(" "), 200))} was not started: ${why}`,
  );
}
