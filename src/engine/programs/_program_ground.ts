/** The ground that programs are given of what the policy allows to all, what they hand over, and who is shown processes. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { baseName } from "../../core/path_text.ts";
import type { GitFolder } from "../../host/broker/git_folder.ts";
import type { Handed, NameJudge, StartList } from "../../host/broker/handed_rules.ts";
import type { SpareFiles } from "../../host/broker/spare_files.ts";
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

/**
 * What is read is handed over where the kernel's rules part folders for reading, and by what runs code: runtimes read
 * of themselves in /proc, which no rule can name before they are there.
 */
export function handedOf(
  { read, list }: Pick<ProgramPaths, "read" | "list">,
  left: readonly CanonicalPath[],
  change: readonly CanonicalPath[],
  { git, spares, runsCode, looks, temporary, judge, loaders, starts }: {
    readonly loaders: readonly string[];
    readonly starts: StartList | null;
    /** It makes nothing that it reads itself afterwards: what is there when it begins is all that it needs. */
    readonly looks: boolean;
    readonly judge: NameJudge;
    readonly temporary: readonly CanonicalPath[];
    readonly git: GitFolder | null;
    readonly spares: SpareFiles | null;
    readonly runsCode: boolean;
  },
): Handed {
  const covered = list.length === 0 ? null : new Set<string>(read);
  const [folder] = temporary;
  const shared = folder === undefined ? null : `${folder}/shared-memory`;
  const reads = (covered !== null && !looks) || runsCode;
  return { rules: { left, shared, change, covered, reads, git, spares, loaders, starts }, judge };
}

/** Whether it says which processes there are (ps(1), pgrep(1)): it is shown those of its own call. */
export function viewsProcesses({ start }: Program): boolean {
  return VIEWERS.has(baseName(start));
}

const VIEWERS: ReadonlySet<string> = new Set(["ps", "pgrep"]);
