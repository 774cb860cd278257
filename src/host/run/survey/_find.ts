/**
 * Looks at all that find would delete or have changed, by the search itself, before it is started: where a name among that
 * is denied nothing is touched.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { baseName, parentOf } from "../../../core/path_text.ts";
import type { Search } from "../../../core/find_words.ts";
import type { Effects, FileEffect } from "../../../policy/rulebook.ts";
import { isDenied } from "../../scan/denied_below.ts";
import type { GitLook } from "./_parts.ts";
import { halfDone, surveyTrees, tooMany, type TreeSurveyParts, withLink } from "./_trees.ts";

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
const MOST_NAMED = 5;

/** PATH_DENIED by the first names that are denied; RESOURCE_LIMIT where more is found than is looked at. */
export async function surveyFind(
  parts: FindSurveyParts,
  { argv: words, starts, deletes, commands }: Search,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const does = commands.map((command) => parts.effectsOf(command))
    .filter(({ touchesAnything }) => !touchesAnything);
  const ofFound = (files: readonly FileEffect[]) =>
    files.filter(({ path }) => path.includes(FOUND));
  const writes = does.flatMap(({ writes }) => ofFound(writes));
  const removes = does.flatMap(({ deletes }) => ofFound(deletes));
  if (deletes) removes.push({ path: FOUND, tree: false });
  if (writes.length + removes.length === 0) return;
  const looked = await parts.search(words, starts);
  if (looked.cut) throw tooMany(argv);
  const found = new TextDecoder().decode(looked.bytes).split("\0").filter((name) => name !== "");
  const named = (files: readonly FileEffect[], name: string): readonly FileEffect[] =>
    files.map((file) => ({ ...file, path: file.path.replaceAll(FOUND, name) }));
  const [changed, removed] = [
    found.flatMap((name) => named(writes, name)),
    found.flatMap((name) => named(removes, name)),
  ];
  const paths = new Set([
    ...changed.map(({ path }) => parts.resolve(directory, path)),
    ...removed.map(({ path }) => withLink(parts, directory, path)),
  ]);
  const denied = deniedOf(parts, [...paths].filter((path) => path !== null));
  if (denied.length > 0) throw halfDone(parts, denied, argv);
  const through = ({ through }: FileEffect) => through !== undefined;
  const trees = { read: [], changed: changed.filter(through), removed: removed.filter(through) };
  await surveyTrees(parts, trees, argv, directory);
}

/** The first of them that the policy denies: of each folder its judge is asked once. */
function deniedOf(
  { rulebook, entryAt }: FindSurveyParts,
  paths: readonly CanonicalPath[],
): readonly CanonicalPath[] {
  const judges = new Map<string, (name: string) => boolean>();
  const denied: CanonicalPath[] = [];
  for (const path of paths) {
    const folder = parentOf(path);
    let allows = judges.get(folder);
    if (allows === undefined) {
      const [read, write] = (["read", "write"] as const).map((access) =>
        rulebook.judgeBelow(access, folder)
      );
      allows = (name) => [read, write].every((judge) => judge?.effectOf(name, "file") === "allow");
      judges.set(folder, allows);
    }
    if (allows(baseName(path))) continue;
    const kind = entryAt(path) === "directory" ? "directory" : "file";
    if (!isDenied(rulebook, path, kind, "write")) continue;
    denied.push(path);
    if (denied.length === MOST_NAMED) break;
  }
  return denied;
}
