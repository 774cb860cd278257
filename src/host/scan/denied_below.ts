/** What the policy denies below folders, found before a program goes through them. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Access } from "../../policy/model.ts";
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

/** A folder that is gone through. */
export interface LookedThrough {
  readonly path: CanonicalPath;
  /** Where what lies in it is judged: there, or where it would come to lie. */
  readonly as: CanonicalPath;
  /** What is done with it there; who writes reads too. */
  readonly access: Access;
}

/**
 * The first entries below these folders that the policy denies, by the names under which they are judged. Folders in which
 * it can deny nothing are not read; links are not followed.
 */
export async function deniedBelow(
  libc: Libc,
  rulebook: DenyingRules,
  roots: readonly LookedThrough[],
): Promise<readonly CanonicalPath[] | "too many"> {
  const denied: CanonicalPath[] = [];
  const reader = createFolderReader(libc);
  reader.begin(roots.map(({ path }) => path));
  const pending: (LookedThrough & { readonly judge: FolderJudge })[] = roots.map((root) => ({
    ...root,
    judge: judgeOf(rulebook, root.as),
  }));
  let left = MOST_LOOKED_AT;
  let folders = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (++folders % FOLDERS_A_TURN === 0) await new Promise((turn) => setTimeout(turn, 0));
    const { path, as, access, judge } = folder;
    if (!judge.mayDeny[access]) continue;
    const listing = --left < 1 ? "too many" : reader.read(path, judge.filter, left, null);
    if (listing === "too many") return "too many";
    // Who may not look into it cannot go through it either, and says so.
    if (listing === null) continue;
    left -= listing.named.length;
    for (const { name, type, suspected } of listing.named) {
      const kind = type === "directory" ? "directory" : "file";
      const named = pathOf(as, name);
      if (
        !judge.allowed(name, kind, suspected)[access] && isDenied(rulebook, named, kind, access)
      ) {
        denied.push(named);
        if (denied.length === MOST_FOUND) return denied;
      } else if (kind === "directory") {
        const below = { path: pathOf(path, name), as: named, access };
        pending.push({ ...below, judge: judge.into(name, suspected) });
      }
    }
  }
  return denied;
}

/** What is asked about was asked when the command was judged. */
export function isDenied(
  rulebook: Pick<Rulebook, "judgePath">,
  path: CanonicalPath,
  kind: "file" | "directory",
  access: Access,
): boolean {
  const both = access === "write" ? ["read", "write"] as const : ["read"] as const;
  return both.some((one) => rulebook.judgePath(one, path, kind).effect === "deny");
}
