/** The ground that programs are given of what the policy allows to all, and who is shown processes. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { baseName } from "../../core/path_text.ts";
import type { Starting } from "../../host/run/program_holds.ts";
import type { LandlockPaths } from "../../host/scan/landlock_paths.ts";
import type { ProgramPaths } from "../../sandbox/program_rules.ts";
import { isWithin } from "../../sandbox/within.ts";

/** A tool's own program reads what programs may read, and writes where the tool says and nowhere else. */
export function groundOf({ use }: Starting, ground: LandlockPaths): LandlockPaths & ProgramChanges {
  return use === undefined ? ground : { ...ground, write: [], change: use.writes };
}

type ProgramChanges = Pick<ProgramPaths, "change">;

/** The folder that its run alone has. */
export function temporaryOf(
  { temporaryRoot }: { readonly temporaryRoot: string | null },
  { environment }: Pick<Starting, "environment">,
): readonly CanonicalPath[] {
  const folder = environment.get("TMPDIR");
  if (temporaryRoot === null || folder === undefined || folder === temporaryRoot) return [];
  return isWithin(temporaryRoot, folder) ? [folder as CanonicalPath] : [];
}

/** Whether it says which processes there are (ps(1), pgrep(1)): it is shown those of its own call. */
export function viewsProcesses({ start }: Program): boolean {
  return VIEWERS.has(baseName(start));
}

const VIEWERS: ReadonlySet<string> = new Set(["ps", "pgrep"]);
