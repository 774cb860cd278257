/**
 * Which commands of git change the repository's own folder: what touches nothing else, and what was looked at whole before
 * it is started (`surveyGit`).
 */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { changesSettings, GIT_CHANGES, gitWords, namesUser } from "../../core/git_words.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import type { GitFolder } from "../../host/broker/git_folder.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import { resolver } from "../../host/paths/canonicalize.ts";
import { GIT_FOLDERS } from "./_own_starts.ts";
import { isWithin } from "../../sandbox/within.ts";

/** What a command of the system's git records in; null where it is no such command, or no repository is there. */
export function recordsIn(
  { program, argv, directory }: {
    readonly program: Program;
    readonly argv: readonly string[];
    readonly directory: CanonicalPath;
  },
  workspace: CanonicalPath,
  { entryAt }: Pick<PathProbe, "entryAt">,
): GitFolder | null {
  if (baseName(program.path) !== "git" || isWithin(workspace, program.path)) return null;
  // It starts itself again by the name that it has among its parts.
  const programs = [program.path, ...GIT_FOLDERS.map((parts) => `${parts}/git`)];
  const words = gitWords(argv);
  if (words === null) return null;
  const settles = namesUser(words) || changesSettings(words);
  if (!settles && !Object.hasOwn(GIT_CHANGES, words.subcommand)) return null;
  const resolve = resolver(entryAt);
  let at: CanonicalPath = directory;
  for (const folder of words.folders) {
    const led = resolve(at, folder);
    if (led === null) return null;
    at = led;
  }
  for (; isWithin(workspace, at); at = parentOf(at)) {
    const folder = `${at === "/" ? "" : at}/.git` as CanonicalPath;
    // A file there leads to a folder elsewhere, which is another repository's too.
    const found = entryAt(folder);
    if (found === "directory") return { folder, programs, settles };
    if (found !== "missing" || at === "/") return null;
  }
  return null;
}
