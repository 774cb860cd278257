/** Which hooks of its repository a command of git would run, none of which a line's git runs: so that its answer says so. */

import { hooksOf, hooksPathIn } from "../../core/git/hooks.ts";
import { gitWords } from "../../core/git/words.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import { resolver } from "../../host/paths/canonicalize.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import type { Starting } from "../../host/run/program_holds.ts";
import { type RecordsProbe, repositoryAround } from "./_git_records.ts";

/** How the files around are looked at. */
export type HooksProbe = RecordsProbe & Pick<PathProbe, "isProgram">;

/** Their names; empty for any other program, and where no repository of the workspace is there. */
export function hooksLeftOut(
  { program, argv, directory }: Pick<Starting, "program" | "argv" | "directory">,
  workspace: Parameters<typeof repositoryAround>[1],
  probe: HooksProbe,
): readonly string[] {
  if (baseName(program.path) !== "git") return [];
  const words = gitWords(argv);
  const names = words === null ? [] : hooksOf(words);
  if (words === null || names.length === 0) return [];
  const resolve = resolver(probe.entryAt);
  let at = directory;
  for (const folder of words.folders) {
    const led = resolve(at, folder);
    if (led === null) return [];
    at = led;
  }
  const found = repositoryAround(at, workspace, probe);
  if (found === null) return [];
  const named = hooksPathIn(probe.text(`${found.folder}/config`) ?? "");
  if (named === null) return names.filter((name) => isHook(`${found.folder}/hooks/${name}`, probe));
  // From where the files begin; where it leads elsewhere nobody looks, and any may be there.
  const folder = named.startsWith("~") ? null : resolve(parentOf(found.folder), named);
  return folder === null || !folder.startsWith(`${workspace}/`)
    ? names
    : names.filter((name) => isHook(`${folder}/${name}`, probe));
}

/** Git runs what may be executed, and nothing else. */
function isHook(path: string, { entryAt, isProgram }: HooksProbe): boolean {
  return typeof entryAt(path) === "object" || isProgram(path);
}
