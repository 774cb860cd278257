/** The files that a program is given by its own words: where they lead now, and no more than the policy allows. */

import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { resolvePath } from "../../host/paths/canonicalize.ts";
import { parentOf } from "../../core/path_text.ts";
import { createKernelProbe } from "../../host/paths/path_probe.ts";
import { createLandlockPaths } from "../../host/scan/landlock_paths.ts";
import type { Access } from "../../policy/model.ts";
import type { Effects } from "../../policy/rulebook.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { ProgramPaths } from "../../sandbox/program_rules.ts";
import type { PathRules } from "./_agreed_rules.ts";

/** What drawing files takes. */
export interface FileSource {
  readonly libc: Libc;
  readonly rulebook: PathRules;
  /** Where programs may read beyond the workspace, as canonical paths: looked up for who names a path. */
  readonly system: () => readonly CanonicalPath[];
}

/**
 * Paths are judged where they lead at this moment: what was put in the place of one since the command was judged gets a
 * rule only where the rules allow it too: what needs somebody's agreement where they are those of a call that has it.
 *
 * What is written may have to be made, replaced or removed, which is a matter of its folder: that is given as far as
 * nothing in it is denied. `byName`: what it changes it hands over, and is given by `changed`, the folders.
 */
export function ownFiles(
  { libc, rulebook, system }: FileSource,
  { reads, writes, deletes, probes }: Effects,
  directory: CanonicalPath,
  byName = false,
): ProgramPaths & { readonly changed: readonly CanonicalPath[] } {
  const { entryAt } = createKernelProbe(libc);
  /** By the words: a path can lead over tens of thousands of folders, and stand there a thousand times. */
  const known = new Map<string, CanonicalPath | null>();
  const resolve = (path: string): CanonicalPath | null => {
    const before = known.get(path);
    if (before !== undefined) return before;
    let found: CanonicalPath | null;
    try {
      found = resolvePath(directory, path, entryAt);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      // What cannot be resolved nobody can reach.
      found = null;
    }
    known.set(path, found);
    return found;
  };
  const typeOf = (path: CanonicalPath): "directory" | "file" | null => {
    const found = entryAt(path);
    return found === "directory" ? found : found === "other" ? "file" : null;
  };
  const allows = (access: Access, path: CanonicalPath, type: "file" | "directory"): boolean =>
    rulebook.judgePath(access, path, type).effect === "allow";

  const readFiles: CanonicalPath[] = [];
  const trees: CanonicalPath[] = [];
  const parted: CanonicalPath[] = [];
  const look = (path: CanonicalPath | null): void => {
    const type = path === null ? null : typeOf(path);
    if (path === null || type === null) return;
    const open = system().some((folder) => isWithin(folder, path));
    if (!open && !allows("read", path, type)) return;
    if (type === "file") readFiles.push(path);
    else if (!open && rulebook.mayDenyBelow("read", path)) parted.push(path);
    else trees.push(path);
  };
  // An option that is not known may have a path hang on it: what is there counts.
  const named = new Set([...reads.map(({ path }) => path), ...probes].map(resolve));
  named.forEach(look);
  const folders = new Set<CanonicalPath>();
  // What lies above all that the policy speaks of (of `mv a .` the folder around `.`) is nobody's to change.
  const inScope = (path: CanonicalPath): boolean =>
    rulebook.scope.write.some((root) => isWithin(root, path));
  for (const { path: words, tree } of [...writes, ...deletes]) {
    const path = resolve(words);
    if (path === null) continue;
    // A folder that is written to is changed itself, but for what is made in it.
    if (tree && typeOf(path) === "directory") folders.add(path);
    // A link is made and removed where it stands, and what it leads to is written where that is.
    const beside = folderOf(words);
    for (const folder of [parentOf(path), beside === null ? null : resolve(beside)]) {
      const there = folder === null ? null : existing(folder, typeOf);
      if (there !== null && inScope(there)) folders.add(there);
    }
  }
  const looked = partsOf({ libc, rulebook }, parted);
  const changeable = partsOf({ libc, rulebook }, [...folders]);
  const list = [...looked.list, ...changeable.list];
  const read = [...trees, ...looked.read];
  const changed = [...folders];
  // By name it changes what is in its folders as far as the policy allows; the kernel's rules only let it look there.
  return byName
    ? { read: [...read, ...changeable.write], readFiles, write: [], list, changed }
    : { read, readFiles, write: changeable.write, list, changed };
}

/** The words of the folder that a path stands in; null where they name what they lead to. */
function folderOf(words: string): string | null {
  const cut = words.lastIndexOf("/");
  if (["", ".", ".."].includes(words.slice(cut + 1))) return null;
  return cut === -1 ? "." : words.slice(0, cut + 1);
}

const NOTHING = { read: [], write: [], list: [] } as const;

function partsOf(
  { libc, rulebook }: Omit<FileSource, "system">,
  roots: readonly CanonicalPath[],
): Pick<ProgramPaths, "read" | "write" | "list"> {
  if (roots.length === 0) return NOTHING;
  return createLandlockPaths(rulebook, undefined, { roots, libc }).list();
}

/** What is to be made begins in the deepest folder that is there. */
function existing(
  path: CanonicalPath,
  typeOf: (path: CanonicalPath) => "directory" | "file" | null,
): CanonicalPath {
  let at = path;
  while (at !== "/" && typeOf(at) !== "directory") at = parentOf(at);
  return at;
}
