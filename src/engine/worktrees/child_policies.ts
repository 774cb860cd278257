/** Policies for a child agent in working files of its own: of the repository it has no more than its parent. Pure. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { PermissionGroup } from "../../core/tool.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { SILENT_POLICY } from "../../policy/model.ts";
import type { PathRule } from "../../policy/model.ts";
import { plainGlob } from "../guard.ts";
import { leavesPath, placeHandedOn, placeInWorktree, type Worktree } from "./place_policies.ts";

/** What a child is made with. */
export interface ChildTerms {
  /** Those of the workspace. */
  readonly policies: readonly PlacedPolicy[];
  /** What was taken away from its parent, and from it. */
  readonly further: readonly PlacedPolicy[];
  /** What is left of its permission groups. */
  readonly permissions: readonly PermissionGroup[];
}

/** By what it is judged, and by what the gate looks at its work: null where by the same. */
export interface ChildPolicies {
  readonly own: readonly PlacedPolicy[];
  readonly looks: readonly PlacedPolicy[] | null;
}

/** Whether what was handed on lets the commits of a repository be read. `common`: its folder. */
export function leavesCommits(further: readonly PlacedPolicy[], common: string): boolean {
  return further.every((one) => leavesPath(one, "read", `${common}/objects`));
}

/** Of a worktree: the gate sees what has changed there even where the child does not see the repository. */
export function inChildWorktree(
  { policies, further, permissions }: ChildTerms,
  worktree: Worktree,
): ChildPolicies {
  const placed = placeInWorktree(policies, worktree);
  const records = RECORDING.some((group) => permissions.includes(group));
  const own = [
    ...placed,
    ...placeHandedOn(further, worktree),
    ...(records ? [] : [unrecorded(worktree)]),
  ];
  const looks = leavesCommits(further, worktree.home.common)
    ? null
    : [...placed, ...placeInWorktree(further, worktree)];
  return { own, looks };
}

/**
 * Of a clone. `ofCommit`: whether it holds what was committed; else it was made of all that the policies let a child see of
 * the folder, which its objects then hold, whatever was taken away from this one.
 */
export function inChildClone(
  { policies, further }: ChildTerms,
  root: CanonicalPath,
  { ofCommit }: { readonly ofCommit: boolean },
): ChildPolicies {
  const placed = (all: readonly PlacedPolicy[]) => all.map((one) => ({ ...one, workspace: root }));
  const handedOn = placed(further).map((one) =>
    ofCommit || namesAll(one) ? one : withPaths(one, SHUT)
  );
  const own = [...placed(policies), ...handedOn];
  const looks = leavesCommits(handedOn, `${root}/.git`)
    ? null
    : [...placed(policies), ...placed(further).map((one) => withPaths(one, LOOKED_AT))];
  return { own, looks };
}

/** With none of these nothing that an agent calls records in a repository. */
const RECORDING: readonly PermissionGroup[] = ["git_operations", "code_execution"];

const REPOSITORY = [".git", ".git/**"];
const SHUT: PathRule = {
  effect: "deny",
  access: ["read", "write"],
  match: REPOSITORY,
  reason: "it holds what is not handed on, too",
};
const LOOKED_AT: PathRule = { effect: "allow", access: ["read"], match: REPOSITORY };

/** Nor does its program then. */
function unrecorded({ root, home }: Worktree): PlacedPolicy {
  const common = plainGlob(home.common);
  return {
    source: "permissions",
    workspace: root,
    home,
    policy: {
      ...SILENT_POLICY,
      paths: [
        { effect: "allow", access: ["read", "write"], match: ["/**"] },
        {
          effect: "deny",
          access: ["write"],
          match: [common, `${common}/**`],
          reason: `only ${RECORDING.join(" or ")} lets an agent record in the repository`,
        },
      ],
    },
  };
}

function withPaths(one: PlacedPolicy, rule: PathRule): PlacedPolicy {
  const { paths } = one.policy;
  return paths === null ? one : { ...one, policy: { ...one.policy, paths: [...paths, rule] } };
}

/** Whether it takes no path away. */
function namesAll({ policy: { paths } }: PlacedPolicy): boolean {
  return paths === null ||
    paths.every(({ effect }) => effect === "allow") &&
      paths.some(({ access, match }) => access.includes("read") && match.includes("**"));
}
