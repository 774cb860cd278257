/** The rules as they are for a call that somebody agreed to: what he was asked about is allowed, and nothing else. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { AgreedFile } from "../../policy/grant.ts";
import type { Access } from "../../policy/model.ts";
import type { EntryJudge, Rulebook } from "../../policy/rulebook.ts";
import { parentOf } from "../../core/path_text.ts";
import { isWithin } from "../../sandbox/within.ts";

/** What judges paths. */
export type PathRules = Pick<Rulebook, "scope" | "judgePath" | "judgeBelow" | "mayDenyBelow">;

/**
 * A folder that has to be asked for itself is agreed to with what is in it that has to be asked for, too. One that need not
 * be says nothing about that: somebody was asked about the command.
 */
export function withAgreed(rules: PathRules, agreed: readonly AgreedFile[]): PathRules {
  if (agreed.length === 0) return rules;
  const exact = { read: new Set<string>(), write: new Set<string>() };
  const whole = { read: new Set<string>(), write: new Set<string>() };
  for (const { access, path } of agreed) {
    exact[access].add(path);
    if (rules.judgePath(access, path, "directory").effect === "ask") whole[access].add(path);
  }
  const covers = (access: Access, path: CanonicalPath): boolean =>
    exact[access].has(path) || isBelowOne(whole[access], path);
  const below = (judge: EntryJudge, access: Access, folder: CanonicalPath): EntryJudge => {
    const concerned = agreed.some((one) =>
      one.access === access && (isWithin(one.path, folder) || isWithin(folder, one.path))
    );
    if (!concerned) return judge;
    const inside = (name: string) => `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
    return {
      effectOf(name, kind) {
        const effect = judge.effectOf(name, kind);
        return effect === "ask" && covers(access, inside(name)) ? "allow" : effect;
      },
      into: (name) => below(judge.into(name), access, inside(name)),
      mayDeny: judge.mayDeny,
      names: () => null,
    };
  };
  return {
    scope: rules.scope,
    judgePath(access, path, kind) {
      const verdict = rules.judgePath(access, path, kind);
      return verdict.effect === "ask" && covers(access, path)
        ? { ...verdict, effect: "allow" }
        : verdict;
    },
    judgeBelow: (access, directory) =>
      below(rules.judgeBelow(access, directory), access, directory),
    mayDenyBelow: rules.mayDenyBelow,
  };
}

/** Whether a path is one of those, or lies below one. */
function isBelowOne(paths: ReadonlySet<string>, path: CanonicalPath): boolean {
  if (paths.size === 0) return false;
  for (let above = path;; above = parentOf(above)) {
    if (paths.has(above)) return true;
    if (above === "/") return false;
  }
}
