/** A policy where it holds, and what is said of several that cannot hold together. */

import type { CanonicalPath } from "../core/capability.ts";
import type { GitHome } from "../core/git/settings.ts";
import type { Policy } from "./model.ts";

/** A policy with the name its messages use and its workspace, resolved by the host. */
export interface PlacedPolicy {
  readonly source: string;
  readonly policy: Policy;
  readonly workspace: CanonicalPath;
  /** Where the workspace is an agent's own worktree. */
  readonly home?: GitHome;
}

/** Policies that cannot hold together. The message names both. */
export class PolicyConflict extends Error {
  override readonly name = "PolicyConflict";
}
