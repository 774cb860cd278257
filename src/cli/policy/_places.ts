/** What is odd about policies where they lie: names that lead over links. Looks at the machine, changes nothing. */

import { quoted } from "../../core/printable.ts";
import { linksTo } from "../../host/paths/links_to.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { parsePathGlob, rootedSegments } from "../../policy/match/path.ts";
import type { PolicyWarning } from "../../policy/review/review.ts";

/** Rules that are looked at: each costs a few calls of the system. */
const MOST_GLOBS = 2000;

/**
 * Rules on paths that lead over a symbolic link: a path is judged as it really is, which holds no links, so that they match
 * nothing behind it.
 */
export function reviewPlaces(policies: readonly PlacedPolicy[]): readonly PolicyWarning[] {
  const seen = new Map<string, readonly string[]>();
  let looked = 0;
  const links = (path: string): readonly string[] => {
    const known = seen.get(path);
    if (known !== undefined || looked++ >= MOST_GLOBS) return known ?? [];
    const found = linksTo(path);
    seen.set(path, found);
    return found;
  };
  return policies.flatMap(({ policy: { paths }, workspace }, policy) =>
    (paths ?? []).flatMap((rule, order) =>
      rule.match.flatMap((text, at): PolicyWarning[] => {
        const over = parsePathGlob(text).paths.map((path) => {
          const segments = rootedSegments(path, workspace);
          const wild = segments.findIndex((segment) => typeof segment !== "string");
          return `/${(wild === -1 ? segments : segments.slice(0, wild)).join("/")}`;
        }).flatMap(links);
        const [link] = over;
        return link === undefined ? [] : [{
          policy,
          key: `paths[${order}].match[${at}]`,
          message:
            `${quoted(text, 80)} leads over the symbolic link ${quoted(link, 200)}: paths are ` +
            "judged as they really are, so it matches nothing behind it; name where the link leads",
        }];
      })
    )
  );
}
