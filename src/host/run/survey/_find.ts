/**
 * Looks at all that find would delete or have changed, by the search itself, before it is started: where a name among that
 * is denied nothing is touched.
 */

import { nameText } from "../../../core/name_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { quoted } from "../../../core/printable.ts";
import type { Search } from "../../../core/find_words.ts";
import type { Effects, FileEffect } from "../../../policy/rulebook.ts";
import type { GitLook } from "./_parts.ts";
import {
  deniedOf,
  halfDone,
  surveyTrees,
  tooMany,
  type TreeSurveyParts,
  withLink,
} from "./_trees.ts";

/** What looking takes. */
export interface FindSurveyParts extends TreeSurveyParts {
  /** Runs the search. */
  readonly search: (argv: readonly string[], starts: readonly string[]) => Promise<GitLook>;
  /** What a command would do. */
  readonly effectsOf: (
    argv: readonly string[],
  ) => Pick<Effects, "writes" | "deletes" | "touchesAnything">;
}

/** What find puts what it found in place of. */
const FOUND = "{}";

/** PATH_DENIED by the first names that are denied; RESOURCE_LIMIT where more is found than is looked at. */
export async function surveyFind(
  parts: FindSurveyParts,
  search: Search,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const changes = search.does.map((command) => changesOf(parts, command));
  if (changes.every(({ writes, removes }) => writes.length + removes.length === 0)) return;
  const found = await foundBy(parts, search, argv);
  const named = (of: "writes" | "removes"): readonly FileEffect[] =>
    changes.flatMap((change, number) =>
      change[of].flatMap((file) =>
        [...found[number] ?? []].map((name) => ({
          ...file,
          path: file.path.replaceAll(FOUND, () => name),
        }))
      )
    );
  const [changed, removed] = [named("writes"), named("removes")];
  const paths = new Set([
    ...changed.map(({ path }) => parts.resolve(directory, path)),
    ...removed.map(({ path }) => withLink(parts, directory, path)),
  ]);
  const denied = deniedOf(parts, [...paths].filter((path) => path !== null), "write");
  if (denied.length > 0) throw halfDone(parts, denied, argv);
  const through = ({ through }: FileEffect) => through !== undefined;
  const trees = { read: [], changed: changed.filter(through), removed: removed.filter(through) };
  await surveyTrees(parts, trees, argv, directory);
}

/** What one of its commands does to what is found; null: it deletes that. */
function changesOf(
  { effectsOf }: FindSurveyParts,
  command: (readonly string[]) | null,
): { readonly writes: readonly FileEffect[]; readonly removes: readonly FileEffect[] } {
  if (command === null) return { writes: [], removes: [{ path: FOUND, tree: false }] };
  const { writes, deletes, touchesAnything } = effectsOf(command);
  if (touchesAnything) return { writes: [], removes: [] };
  const ofFound = ({ path }: FileEffect) => path.includes(FOUND);
  return { writes: writes.filter(ofFound), removes: deletes.filter(ofFound) };
}

/** What each of the things that are done would be done with, by its number. */
async function foundBy(
  { search }: FindSurveyParts,
  { looks, starts, does }: Search,
  argv: readonly string[],
): Promise<readonly ReadonlySet<string>[]> {
  const found = does.map(() => new Set<string>());
  for (const words of looks) {
    const looked = await search(words, starts);
    if (looked.cut) throw tooMany(argv);
    for (const line of nameText(looked.bytes).split("\0")) {
      const cut = line.indexOf(" ");
      if (cut > 0) found[Number(line.slice(0, cut))]?.add(line.slice(cut + 1));
    }
  }
  return found;
}

/** What follows hangs on how each of its commands ends: more of them than can be told apart. */
export function tooManyCommands(argv: readonly string[]): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    `${quoted(argv.join(" "), 200)} starts more commands than can be looked at before, as the ` +
      "policy denies names; it was not started: have it start fewer, one find for each",
  );
}
