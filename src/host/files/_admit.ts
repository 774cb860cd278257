/** Judging what lies in a tree by more than one rule. Pure. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Admit, Target, TreeTarget } from "./file_backend.ts";

/** What both admit. */
export function both(one: Admit, other: Admit): Admit {
  return (directory) => {
    const first = one(directory);
    const second = other(directory);
    if (first === null || second === null) return first ?? second;
    return (path, kind) => first(path, kind) && second(path, kind);
  };
}

/** What is admitted under the names that the entries of `from` get in `to`; asked in the paths of `from`. */
export function underNewNames(from: Target, to: TreeTarget): Admit {
  const there = (path: CanonicalPath): CanonicalPath =>
    `${to.path}${path.slice(from.path.length)}` as CanonicalPath;
  return (directory) => {
    const admits = to.admit(there(directory));
    return admits === null ? null : (path, kind) => admits(there(path), kind);
  };
}
