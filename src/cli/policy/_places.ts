/** What is odd about policies where they lie: names that lead over links. Looks at the machine, changes nothing. */

import type { CanonicalPath } from "../../core/capability.ts";
import { quoted } from "../../core/printable.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { parsePathGlob, rootedSegments } from "../../policy/match/path.ts";
import type { PolicyWarning } from "../../policy/review/review.ts";
import type { Rulebook } from "../../policy/rulebook.ts";

/** Rules that are looked at: each costs a few calls of the system. */
const MOST_GLOBS = 2000;
/** MAXSYMLINKS (include/linux/namei.h) */
const MOST_LINKS = 40;

/**
 * Rules on paths that lead over a symbolic link (what is judged never does), and links on the way to a policy or to
 * the log that tools could put others in the place of. `files`: of the policies to be spoken of; null: built in.
 */
export function reviewPlaces(
  policies: readonly PlacedPolicy[],
  rulebook: Rulebook,
  files: readonly (string | null)[],
): readonly PolicyWarning[] {
  return [
    ...files.flatMap((file, policy) =>
      file === null
        ? []
        : replaceable(rulebook, { policy, key: "", what: "it", path: absolute(file) })
    ),
    ...logLinks(policies, rulebook, files.length),
    ...ruleLinks(policies.slice(0, files.length)),
  ];
}

function absolute(file: string): string {
  return file.startsWith("/") ? file : `${Deno.cwd()}/${file}`;
}

interface Governing {
  readonly policy: number;
  readonly key: string;
  readonly what: string;
  readonly path: string;
}

function replaceable(
  rulebook: Rulebook,
  { policy, key, what, path }: Governing,
): readonly PolicyWarning[] {
  return linksOn(path)
    .filter((link) => rulebook.judgePath("write", link as CanonicalPath).effect !== "deny")
    .map((link) => ({
      policy,
      key,
      message:
        `${what} is reached over the link ${quoted(link, 200)}, which lies where tools may ` +
        "write: what stands behind the link is protected, the link is not; name the file itself, " +
        "or deny writing the link",
    }));
}

function logLinks(
  policies: readonly PlacedPolicy[],
  rulebook: Rulebook,
  reviewed: number,
): readonly PolicyWarning[] {
  return policies.slice(0, reviewed).flatMap(({ policy: { audit }, workspace }, policy) => {
    const file = audit?.file ?? null;
    if (file === null) return [];
    const path = file.startsWith("/") ? file : `${workspace}/${file}`;
    return replaceable(rulebook, { policy, key: "audit.file", what: "the log", path });
  });
}

/** A path is judged as it really is, which holds no links: a rule that names one matches nothing behind it. */
function ruleLinks(policies: readonly PlacedPolicy[]): readonly PolicyWarning[] {
  const seen = new Map<string, readonly string[]>();
  let looked = 0;
  const links = (path: string): readonly string[] => {
    const known = seen.get(path);
    if (known !== undefined || looked++ >= MOST_GLOBS) return known ?? [];
    const found = linksOn(path);
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

/** The links on the way to a path, each by the real path of its folder. What cannot be looked at is none. */
function linksOn(path: string): readonly string[] {
  const links: string[] = [];
  const pending = path.split("/").reverse();
  let at = "";
  while (pending.length > 0 && links.length < MOST_LINKS) {
    const part = pending.pop() ?? "";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      at = at.slice(0, Math.max(at.lastIndexOf("/"), 0));
      continue;
    }
    const next = `${at}/${part}`;
    const target = linkAt(next);
    if (target === null) {
      at = next;
      continue;
    }
    links.push(next);
    if (target.startsWith("/")) at = "";
    pending.push(...target.split("/").reverse());
  }
  return links;
}

function linkAt(path: string): string | null {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : null;
  } catch {
    return null;
  }
}
