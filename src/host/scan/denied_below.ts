/** What the policy denies below folders, found before a program goes through them. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type FolderJudge, judgeOf } from "./_folder_judge.ts";
import { pathOf } from "./_folder_tree.ts";
import { createFolderReader } from "./linux/folder_reader.ts";

/** Folders, and entries that are looked at by name: some two seconds. */
const MOST_LOOKED_AT = 1_000_000;
/** Denied names that are found. */
const MOST_FOUND = 5;
/** Others have their turn after so many folders. */
const FOLDERS_A_TURN = 256;

type DenyingRules = Pick<Rulebook, "judgePath" | "judgeBelow">;

/**
 * The first entries below these folders that the policy denies to read or to write. Folders in which it can deny nothing
 * are not read; links are not followed.
 */
export async function deniedBelow(
  libc: Libc,
  rulebook: DenyingRules,
  roots: readonly CanonicalPath[],
): Promise<readonly CanonicalPath[] | "too many"> {
  const denied: CanonicalPath[] = [];
  const reader = createFolderReader(libc);
  reader.begin(roots);
  const pending: { readonly path: CanonicalPath; readonly judge: FolderJudge }[] = roots.map(
    (path) => ({ path, judge: judgeOf(rulebook, path) }),
  );
  let left = MOST_LOOKED_AT;
  let folders = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (++folders % FOLDERS_A_TURN === 0) await new Promise((turn) => setTimeout(turn, 0));
    const { path, judge } = folder;
    if (!judge.mayDeny.write) continue;
    const listing = --left < 1 ? "too many" : reader.read(path, judge.filter, left, null);
    if (listing === "too many") return "too many";
    // Who may not look into it cannot go through it either, and says so.
    if (listing === null) continue;
    left -= listing.named.length;
    for (const { name, type, suspected, unreachable } of listing.named) {
      if (unreachable) continue;
      const kind = type === "directory" ? "directory" : "file";
      const below = pathOf(path, name);
      if (!judge.allowed(name, kind, suspected).write && isDenied(rulebook, below, kind)) {
        denied.push(below);
        if (denied.length === MOST_FOUND) return denied;
      } else if (kind === "directory") {
        pending.push({ path: below, judge: judge.into(name, suspected) });
      }
    }
  }
  return denied;
}

/** What is asked about was asked when the command was judged. */
function isDenied(
  rulebook: DenyingRules,
  path: CanonicalPath,
  kind: "file" | "directory",
): boolean {
  return (["read", "write"] as const).some((access) =>
    rulebook.judgePath(access, path, kind).effect === "deny"
  );
}
