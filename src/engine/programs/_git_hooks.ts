/** Which hooks of its repository a command of git would run: a line's git runs none itself, and its answer says so. */

import type { CanonicalPath } from "../../core/capability.ts";
import { HOOK_NAMES, hooksOf, hooksPathIn } from "../../core/git/hooks.ts";
import { gitWords } from "../../core/git/words.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import { resolver } from "../../host/paths/canonicalize.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
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
  if (found === null) return NO_HOOKS;
  const named = hooksPathIn(probe.text(`${found.folder}/config`) ?? "");
  const home = parentOf(found.folder);
  if (named === null) {
    const isThere = (name: string) => isHook(`${found.folder}/hooks/${name}`, probe);
    const there = names.filter(isThere);
    // What it does on the way may run others: a rebase makes commits.
    return { names: there, home: HOOK_NAMES.some(isThere) ? home : null };
  }
  // From where the files begin; where it leads elsewhere nobody looks, and any may be there.
  const folder = named.startsWith("~") ? null : resolve(home, named);
  const isOutside = folder === null || !folder.startsWith(`${workspace}/`);
  return {
    names: isOutside ? names : names.filter((name) => isHook(`${folder}/${name}`, probe)),
    home: null,
  };
}

/** Git runs what may be executed, and nothing else. */
function isHook(path: string, { entryAt, isProgram }: HooksProbe): boolean {
  return typeof entryAt(path) === "object" || isProgram(path);
}
