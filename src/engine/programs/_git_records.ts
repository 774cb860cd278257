/** Which commands of git change nothing but the repository's own folder, and so are done whole or not at all. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import type { GitFolder } from "../../host/broker/git_folder.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import { resolvePath } from "../../host/paths/canonicalize.ts";
import { ToolError } from "../../core/errors.ts";
import { GIT_FOLDERS } from "./_own_starts.ts";
import { isWithin } from "../../sandbox/within.ts";

/**
 * What records, and touches neither working files nor settings. What changes both (checkout, stash, reset, merge, rebase)
 * would be left half done where one of the files is denied: it is refused at the lock that it takes first.
 */
const RECORDING: ReadonlySet<string> = new Set([
  "add",
  "commit",
  "gc",
  "notes",
  "pack-refs",
  "tag",
  "update-index",
  "update-ref",
]);
/** Before the subcommand, without effect on what it changes (git(1)). */
const HARMLESS: ReadonlySet<string> = new Set(["--no-pager", "-P", "--literal-pathspecs"]);

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
  let at: CanonicalPath = directory;
  const words = argv.slice(1);
  for (;;) {
    const word = words.shift();
    if (word === undefined) return null;
    if (RECORDING.has(word)) break;
    if (word === "-C") {
      const led = resolved(at, words.shift() ?? "", entryAt);
      if (led === null) return null;
      at = led;
    } else if (!HARMLESS.has(word)) return null;
  }
  for (; isWithin(workspace, at); at = parentOf(at)) {
    const folder = `${at === "/" ? "" : at}/.git` as CanonicalPath;
    // A file there leads to a folder elsewhere, which is another repository's too.
    const found = entryAt(folder);
    if (found === "directory") return { folder, programs };
    if (found !== "missing" || at === "/") return null;
  }
  return null;
}

function resolved(
  from: CanonicalPath,
  words: string,
  entryAt: PathProbe["entryAt"],
): CanonicalPath | null {
  try {
    return resolvePath(from, words, entryAt);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}
