/** Landlock's paths for tests: by one C library, and as they were found before: by judging every entry. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { entryType } from "../../../../src/host/paths/entry_type.ts";
import {
  createLandlockPaths,
  type LandlockBounds,
  type LandlockPaths,
  type LandlockPathSource,
} from "../../../../src/host/scan/landlock_paths.ts";
import { outermost } from "../../../../src/policy/match/path_sets.ts";
import type { Rulebook } from "../../../../src/policy/rulebook.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { isWithin } from "../../../../src/sandbox/within.ts";

const opened = openLibc();
if (opened === null) throw new Error("these tests are of a machine with a C library");
export const LIBC = opened;

type Lists = Record<"read" | "write" | "list", readonly string[]>;

/** A source of all that the scope names. */
export function sourceOf(rulebook: Rulebook, bounds?: LandlockBounds): LandlockPathSource {
  return createLandlockPaths(rulebook, bounds, { roots: null, libc: LIBC });
}

/** What one listing gives. */
export function listOnce(rulebook: Rulebook, bounds?: LandlockBounds): LandlockPaths {
  return sourceOf(rulebook, bounds).list();
}

/** The lists, each in order. */
export function sortedLists({ read, write, list }: Lists): Lists {
  return { read: read.toSorted(), write: write.toSorted(), list: list.toSorted() };
}

/** The lists by judging every entry by its path, one by one, without bounds. */
export function listByJudgingAll(rulebook: Rulebook): Lists {
  const { scope } = rulebook;
  const found: Record<keyof Lists, string[]> = { read: [], write: [], list: [] };
  for (const root of outermost([...scope.read, ...scope.write])) {
    for (const access of ["read", "write"] as const) {
      const type = entryType(root);
      if (type === null || type === "symlink") continue;
      const allowed = may(rulebook, access, root, type);
      const whole = type === "file" ? allowed : visit(rulebook, access, root, allowed, found);
      if (whole) found[access].push(root);
    }
  }
  return found;
}

function may(
  rulebook: Rulebook,
  access: "read" | "write",
  path: string,
  kind: "file" | "directory",
): boolean {
  const allows = (wanted: "read" | "write") =>
    rulebook.judgePath(wanted, path as CanonicalPath, kind).effect === "allow";
  return allows("read") && allows(access);
}

/** Whether one rule does for all of it; if not, the rules for its parts are added to `found`. */
function visit(
  rulebook: Rulebook,
  access: "read" | "write",
  directory: CanonicalPath,
  allowed: boolean,
  found: Record<keyof Lists, string[]>,
): boolean {
  const { scope } = rulebook;
  const denied = access === "read" ? scope.denyRead : [...scope.denyRead, ...scope.denyWrite];
  const reach = [...scope.read, ...scope.write];
  if (denied.some((path) => isWithin(path, directory))) return false;
  if (!reach.some((path) => isWithin(path, directory) || isWithin(directory, path))) return false;
  const mayDeny = rulebook.mayDenyBelow("read", directory) ||
    access === "write" && rulebook.mayDenyBelow("write", directory);
  if (allowed && !mayDeny) return true;
  const entries = [...Deno.readDirSync(directory)];
  const prefix = directory === "/" ? "/" : `${directory}/`;
  const isMissing = (path: string): boolean =>
    path !== directory && isWithin(directory, path) &&
    !entries.some(({ name }) => isWithin(`${prefix}${name}`, path));
  let whole = allowed && !denied.some(isMissing);
  const rules: string[] = [];
  const below = { read: [], write: [], list: [] } as Record<keyof Lists, string[]>;
  for (const { name, isDirectory, isSymlink } of entries) {
    const path = `${prefix}${name}` as CanonicalPath;
    const entryAllowed = may(rulebook, access, path, isDirectory ? "directory" : "file");
    whole &&= entryAllowed;
    if (isSymlink) continue;
    const open = isDirectory ? visit(rulebook, access, path, entryAllowed, below) : entryAllowed;
    if (open) rules.push(path);
    else whole = false;
  }
  if (whole) return true;
  if (access === "read" && allowed) found.list.push(directory);
  found[access].push(...rules, ...below[access]);
  found.list.push(...below.list);
  return false;
}
