/** Which files of a tree are looked at: those that a person would, as far as a glob allows. */

import { baseName } from "../core/path_text.ts";
import type { Glob, GlobPlace } from "../core/glob.ts";
import type { ScanDirectory, ScanFilter } from "../core/scan.ts";
import type { ReadContext } from "../core/tool.ts";
import { createIgnoreRules, type IgnoreRules } from "./ignore_rules.ts";

/** Never entered: what lies there is Git's or somebody else's. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Names between two looks at whether the call is to end. */
const PAUSE = 256;

/** Which files are searched, beside what ignore files say. `hidden`: names with a dot before them, too. */
export interface FilterOptions {
  /** What was asked to be searched, in the words of the request. */
  readonly path: string;
  /** Matched against paths below the start, and against paths of the workspace. */
  readonly glob: Glob;
  readonly hidden: boolean;
}

/** The filter of a scan; `context.checkpoint` is called on the way. */
export function createFilter(
  { path, glob, hidden }: FilterOptions,
  context: ReadContext,
): (start: ScanDirectory) => ScanFilter {
  let asked = 0;
  const pause = () => {
    if (++asked % PAUSE === 0) context.checkpoint();
  };
  const filterOf = (globs: readonly GlobPlace[], rules: IgnoreRules): ScanFilter => {
    const passedOver = (name: string, isDirectory: boolean): boolean => {
      const verdict = rules.verdict(name, isDirectory);
      // A rule that names what is hidden shows it.
      return verdict === "ignored" || (verdict === null && !hidden && name.startsWith("."));
    };
    return {
      takes(name) {
        pause();
        return globs.some((place) => place.matches(name)) && !passedOver(name, false);
      },
      enters(name) {
        pause();
        return !PASSED_OVER.has(name) && globs.some((place) => place.into(name) !== null) &&
          !passedOver(name, true);
      },
      below(directory) {
        const name = baseName(directory.path);
        const places = placesIn(globs, name);
        const rulesBelow = rules.into(name, directory);
        return places === globs && rulesBelow === rules ? this : filterOf(places, rulesBelow);
      },
    };
  };
  return (start) => filterOf(startsOf(glob, start.path), createIgnoreRules(path, start, context));
}

/** The places of the glob in the start: where its paths begin, and where it is for paths of the workspace. */
function startsOf(glob: Glob, start: string): readonly GlobPlace[] {
  if (start === "." || start.startsWith("/")) return [glob.start];
  const ofWorkspace = start.split("/").reduce<readonly GlobPlace[]>(placesIn, [glob.start]);
  return [...new Set([glob.start, ...ofWorkspace])];
}

/** The same where they are the same in the directory of that name. */
function placesIn(places: readonly GlobPlace[], name: string): readonly GlobPlace[] {
  const below = places.flatMap((place) => place.into(name) ?? []);
  const same = below.length === places.length && below.every((place, at) => place === places[at]);
  return same ? places : below;
}
