/** What no tool may touch, whatever the policies say: that which governs this very run. */

import type { CanonicalPath } from "../core/capability.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import { type PathRule, SILENT_POLICY } from "../policy/model.ts";
import { isWithin } from "../sandbox/within.ts";

/** Files of this run, as they really are. */
export interface GoverningFiles {
  /** Policy files and the links that lead to them, the binary: never written. */
  readonly unwritable: readonly CanonicalPath[];
  /** Keys of the policies: never read or written. */
  readonly keys: readonly CanonicalPath[];
  /** Likewise what was, or would be, read as a custom tool: absolute globs, and the folder or file each leads to. */
  readonly manifests: readonly { readonly glob: string; readonly below: CanonicalPath }[];
  /** The folder in which policies lie as they were parsed: nothing below it is ever written. */
  readonly kept: CanonicalPath | null;
  /** The audit log: never read or written. Those it was rotated into, too. */
  readonly log: CanonicalPath | null;
}

/**
 * One more policy that denies them, so that every layer draws it like any other rule. Null where the policies reach
 * none of them: a start then pays nothing.
 */
export function guardOf(
  policies: readonly PlacedPolicy[],
  workspace: CanonicalPath,
  { unwritable, keys, manifests, kept, log }: GoverningFiles,
): PlacedPolicy | null {
  const reachesOut = policies.some(({ policy }) =>
    policy.paths?.some(({ effect, match }) =>
      effect !== "deny" && match.some((glob) => glob.startsWith("/") || glob.startsWith("{"))
    ) === true
  );
  const isReached = (path: CanonicalPath) => reachesOut || isWithin(workspace, path);
  const governing = [
    ...unwritable.filter(isReached).map(plainGlob),
    ...(kept !== null && isReached(kept) ? [`${plainGlob(kept)}/`] : []),
    // A glob may begin above the workspace.
    ...manifests.filter(({ below }) => isReached(below) || isWithin(below, workspace))
      .map(({ glob }) => glob),
  ];
  const logs = log !== null && isReached(log) ? [plainGlob(log), `${plainGlob(log)}.[0-9]*`] : [];
  const secret = keys.filter(isReached).map(plainGlob);
  if (governing.length + logs.length + secret.length === 0) return null;
  const paths: readonly PathRule[] = [
    { effect: "allow", access: ["read", "write"], match: ["/**"] },
    {
      effect: "deny",
      access: ["write"],
      match: [...new Set(governing)],
      reason: "it governs this run",
    },
    { effect: "deny", access: ["read", "write"], match: logs, reason: "it is the audit log" },
    { effect: "deny", access: ["read", "write"], match: secret, reason: "it is a key of a policy" },
  ];
  const policy = { ...SILENT_POLICY, paths: paths.filter(({ match }) => match.length > 0) };
  return { source: "toolgate", policy, workspace };
}

/** A glob that matches this path alone. */
export function plainGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{},!]/g, "\\$&");
}
