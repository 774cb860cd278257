/** From the words of a tool to the canonical path that the grant gives it. */

import type { CanonicalPath } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import type { Grant, PathGrant } from "../policy/grant.ts";
import type { Access, Effect } from "../policy/model.ts";
import { EFFECTS } from "../policy/model.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import { isWithin } from "../sandbox/within.ts";
import type { Admits, Target } from "./file_backend.ts";

export interface GrantedPaths {
  /** The target of a path that the tool named, or that lies below a `tree` it named. Throws PATH_DENIED. */
  target(access: Access, path: string): Target;
  /** As `target`, for a walk: also what its entries are to be judged by. */
  tree(path: string): {
    readonly target: Target;
    readonly admit: (directory: CanonicalPath) => Admits | null;
  };
  /** Relative to the workspace where it lies in it, `.` for itself. */
  show(path: CanonicalPath): string;
}

export function createGrantedPaths(grant: Grant, rulebook: Rulebook): GrantedPaths {
  const { workspace } = grant;
  const named = {
    read: new Map(grant.read.map((entry) => [entry.requested, entry])),
    write: new Map(grant.write.map((entry) => [entry.requested, entry])),
  };

  const show = (path: CanonicalPath): string => {
    if (path === workspace) return ".";
    if (workspace === "/") return path.slice(1);
    return isWithin(workspace, path) ? path.slice(workspace.length + 1) : path;
  };

  /**
   * What lies in a tree may be as strict as the tree itself: where the policy asked about the tree and got its yes,
   * entries that it would ask about are covered; where it was allowed unasked, they are not.
   */
  const admits = (access: Access, tree: PathGrant): Admits => {
    const most = strictness(rulebook.judgePath(access, tree.path, "directory").effect);
    return (path, kind) => strictness(rulebook.judgePath(access, path, kind).effect) <= most;
  };

  const below = (access: Access, path: string, kind: "file" | "directory"): Target => {
    const parts = path.split("/");
    const plain = path.startsWith("/") ? parts.slice(1) : parts;
    if (!plain.some((part) => part === "" || part === "." || part === "..")) {
      const canonical = canonicalOf(workspace, path);
      for (const tree of grant[access]) {
        if (!tree.tree || !isWithin(tree.path, canonical)) continue;
        if (canonical !== tree.path && !admits(access, tree)(canonical, kind)) continue;
        return { path: canonical, shown: path };
      }
    }
    throw new ToolError(
      "PATH_DENIED",
      `"${path}" is none of the paths that this call may ${access}`,
    );
  };

  const target = (access: Access, path: string, kind: "file" | "directory" = "file"): Target => {
    const entry = named[access].get(path);
    return entry === undefined ? below(access, path, kind) : { path: entry.path, shown: path };
  };

  return {
    target,
    show,
    tree(path) {
      const start = target("read", path, "directory");
      const tree = grant.read.find((entry) => entry.tree && isWithin(entry.path, start.path));
      if (tree === undefined) {
        throw new ToolError("PATH_DENIED", `"${path}" is no tree that this call may read`);
      }
      const admit = admits("read", tree);
      return {
        target: start,
        admit: (directory) => rulebook.mayDenyBelow("read", directory) ? admit : null,
      };
    },
  };
}

/** Links in it are no danger: what opens canonical paths refuses them. */
function canonicalOf(workspace: CanonicalPath, path: string): CanonicalPath {
  if (path.startsWith("/")) return path as CanonicalPath;
  return `${workspace === "/" ? "" : workspace}/${path}` as CanonicalPath;
}

function strictness(effect: Effect): number {
  return EFFECTS.indexOf(effect);
}
