/** Which hooks of its repository a command of git would run: a line's git runs none itself, and its answer says so. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { GitHome } from "../../core/git/settings.ts";
import { HOOK_NAMES, hooksOf, hooksPathIn } from "../../core/git/hooks.ts";
import { gitWords } from "../../core/git/words.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import { resolver } from "../../host/paths/canonicalize.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { Starting } from "../../host/run/program_holds.ts";
import { type RecordsProbe, repositoryAround } from "./_git_records.ts";

/** How the files around are looked at. */
export type HooksProbe = RecordsProbe & Pick<PathProbe, "isProgram">;

/** Hooks that are there. */
export interface HooksThere {
  /** Those that the command runs of its own accord. */
  readonly names: readonly string[];
  /** The folder whose `.git/hooks` has them; null where they lie elsewhere, as settings of the repository say. */
  readonly home: CanonicalPath | null;
}

/** Where there are none. */
export const NO_HOOKS: HooksThere = { names: [], home: null };

/** None for any other program, and where no repository of the workspace is there. */
export function hooksThere(
  { program, argv, directory }: Pick<Starting, "program" | "argv" | "directory">,
  workspace: Parameters<typeof repositoryAround>[1],
  probe: HooksProbe,
  /** Of a workspace that is a worktree itself: nothing of its repository runs there, hooks neither. */
  agents: GitHome | null = null,
): HooksThere {
  if (baseName(program.path) !== "git") return NO_HOOKS;
  const words = gitWords(argv);
  const names = words === null ? [] : hooksOf(words);
  if (words === null || names.length === 0) return NO_HOOKS;
  const resolve = resolver(probe.entryAt);
  let at = directory;
  for (const folder of words.folders) {
    const led = resolve(at, folder);
    if (led === null) return NO_HOOKS;
    at = led;
  }
  const found = repositoryAround(at, workspace, probe);
  const isAgents = found === null && agents !== null &&
    nearestLink(at, workspace, probe) === agents.own;
  const repository = isAgents ? agents.common : found?.folder;
  if (repository === undefined) return NO_HOOKS;
  const named = hooksPathIn(probe.text(`${repository}/config`) ?? "");
  const home = parentOf(repository as CanonicalPath);
  if (named === null) {
    const isThere = (name: string) => isHook(`${repository}/hooks/${name}`, probe);
    const there = names.filter(isThere);
    // What it does on the way may run others: a rebase makes commits.
    return { names: there, home: !isAgents && HOOK_NAMES.some(isThere) ? home : null };
  }
  // From where the files begin; where it leads elsewhere nobody looks, and any may be there.
  const folder = named.startsWith("~") ? null : resolve(home, named);
  const isOutside = folder === null || !folder.startsWith(`${workspace}/`);
  return {
    names: isOutside ? names : names.filter((name) => isHook(`${folder}/${name}`, probe)),
    home: null,
  };
}

/** Where the nearest `.git` leads, from a folder upwards, if it is a file; null for anything else. */
function nearestLink(
  from: CanonicalPath,
  workspace: CanonicalPath,
  { entryAt, text }: HooksProbe,
): string | null {
  for (let at = from; isWithin(workspace, at); at = parentOf(at)) {
    const found = entryAt(`${at}/.git`);
    if (found === "other") {
      return /^gitdir: ([^\n]+)\n*$/.exec(text(`${at}/.git`) ?? "")?.[1] ?? null;
    }
    if (found !== "missing") return null;
  }
  return null;
}

/** Git runs what may be executed, and nothing else. */
function isHook(path: string, { entryAt, isProgram }: HooksProbe): boolean {
  return typeof entryAt(path) === "object" || isProgram(path);
}
