/** Policies for an agent that works in a git worktree: that folder is the workspace, the repository lies outside of it. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { GitHome } from "../../core/git/settings.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { segmentsOf } from "../../policy/match/path.ts";
import { compilePathRules, findPath } from "../../policy/match/path_rules.ts";
import type { Access, PathRule } from "../../policy/model.ts";
import { plainGlob } from "../guard.ts";
import { LEASE_PREFIX } from "./leases.ts";

/** A worktree: where its files are, and the repository that it belongs to. */
export interface Worktree {
  readonly root: CanonicalPath;
  readonly home: GitHome;
}

/**
 * The same policies, judged from the worktree: their globs begin there. What git takes of the repository to commit is
 * opened beside, as far as no rule of theirs speaks of it: reading it, and writing objects, refs, logs and the worktree's
 * own folder. Its settings, hooks and the folders of other worktrees are not, nor what ties this one to the repository.
 */
export function placeInWorktree(
  policies: readonly PlacedPolicy[],
  { root, home }: Worktree,
): readonly PlacedPolicy[] {
  const rules = rulesOf(home);
  return policies.map(({ source, policy }) => ({
    source,
    workspace: root,
    home,
    policy: policy.paths === null ? policy : { ...policy, paths: [...policy.paths, ...rules] },
  }));
}

/**
 * Those of a token likewise, which take away: of the repository they leave what they would leave of it in the folder of all,
 * so that who is given one folder does not read what was ever committed of the others.
 */
export function placeHandedOn(
  policies: readonly PlacedPolicy[],
  worktree: Worktree,
): readonly PlacedPolicy[] {
  const placed = placeInWorktree(policies, worktree);
  return policies.map((own, index) => {
    const { paths } = own.policy;
    const there = placed[index] as PlacedPolicy;
    if (paths === null) return there;
    const left = (access: Access) => leavesPath(own, access, `${worktree.home.common}/objects`);
    const rules = rulesOf(worktree.home).filter(({ effect, access }) =>
      effect === "deny" || access.every(left)
    );
    return { ...there, policy: { ...there.policy, paths: [...paths, ...rules] } };
  });
}

/** Whether a policy that takes away leaves a path by itself, where it lies. */
export function leavesPath(
  { source, workspace, policy: { paths } }: PlacedPolicy,
  access: Access,
  path: string,
): boolean {
  if (paths === null) return true;
  const place = { source, workspace, caseInsensitive: false };
  const { effect } = findPath(
    compilePathRules(paths, access, place),
    segmentsOf(path),
  );
  return effect === "allow" || effect === "ask";
}

/** gitrepository-layout(5), git-worktree(1) "DETAILS" */
function rulesOf({ common, own }: GitHome): readonly PathRule[] {
  const [all, mine] = [plainGlob(common), plainGlob(own)];
  const recorded = ["objects", "refs", "logs"].map((name) => `${all}/${name}/**`);
  const ties = ["commondir", "gitdir", "locked", "config.worktree", `${LEASE_PREFIX}-*`].map((
    name,
  ) => `${mine}/${name}`);
  const reason = "it ties this worktree to its repository";
  return [
    { effect: "allow", access: ["read"], match: [all, `${all}/**`] },
    { effect: "allow", access: ["write"], match: [...recorded, `${mine}/**`] },
    { effect: "deny", access: ["write"], match: [".git", ...ties], reason },
  ];
}
