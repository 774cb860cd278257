/** Entries and trees through `Deno.*`: counted, made, removed. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { Survey } from "../../../core/files.ts";
import { ToolError } from "../../../core/errors.ts";
import type { LongOptions, Target, TreeTarget } from "../file_backend.ts";
import {
  changed,
  inTheWay,
  notEmpty,
  protectedBelow,
  requirePermission,
} from "../../kernel/refusal.ts";
import { attempt, kindOf, lstat, typeOf } from "./_paths.ts";
import { removeMade, requireParent } from "./_names.ts";

/** One entry of a tree, its parts before or after it as the walk wants it. */
export interface Entry {
  readonly path: CanonicalPath;
  readonly info: Deno.FileInfo;
  readonly admitted: boolean;
  /** Of a directory: all in it was seen. */
  readonly left: boolean;
}

/** What is there, links for what they are. Throws FILE_NOT_FOUND. */
export function requireEntry(target: Target): Deno.FileInfo {
  const info = lstat(target);
  if (info === null) throw new ToolError("FILE_NOT_FOUND", `"${target.shown}" does not exist`);
  return info;
}

/**
 * All below a directory, links never followed; a directory is given before what lies in it and again afterwards. One
 * that is not admitted is given once, and not gone into.
 */
export function* traverse(tree: TreeTarget, checkpoint: () => void): Generator<Entry> {
  const stack: { readonly entry: Entry | null; readonly rest: readonly Entry[]; next: number }[] = [
    { entry: null, rest: listed(tree, tree.path), next: 0 },
  ];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const entry = frame.rest[frame.next++];
    if (entry === undefined) {
      stack.pop();
      if (frame.entry !== null) yield { ...frame.entry, left: true };
      continue;
    }
    checkpoint();
    yield entry;
    if (!entry.info.isDirectory || !entry.admitted) continue;
    stack.push({ entry, rest: listed(tree, entry.path), next: 0 });
  }
}

function listed(tree: TreeTarget, directory: CanonicalPath): readonly Entry[] {
  const target = { ...tree, path: directory };
  const info = lstat(target);
  // It vanished, or something else has its name.
  if (info?.isDirectory !== true) throw changed(tree);
  const admits = tree.admit(directory);
  return attempt(target, () => [...Deno.readDirSync(directory)]).flatMap(({ name }) => {
    const path = `${directory === "/" ? "" : directory}/${name}` as CanonicalPath;
    const own = lstat({ ...tree, path });
    if (own === null) return [];
    const admitted = admits === null || admits(path, kindOf(own));
    return [{ path, info: own, admitted, left: false }];
  });
}

/** As `Files.survey`. */
export function survey(tree: TreeTarget, { checkpoint }: LongOptions): Survey {
  requirePermission("read", tree);
  const info = requireEntry(tree);
  tree.require(kindOf(info));
  const counts = { files: 0, directories: 0, others: 0, bytes: 0, refused: 0 };
  const count = (one: Deno.FileInfo): void => {
    if (one.isFile) counts.bytes += one.size;
    counts[one.isFile ? "files" : one.isDirectory ? "directories" : "others"]++;
  };
  count(info);
  if (info.isDirectory) {
    for (const { admitted, left, info: own } of traverse(tree, checkpoint)) {
      if (left) continue;
      if (admitted) count(own);
      else counts.refused++;
    }
  }
  return { type: typeOf(info), ...counts };
}

/** Throws PATH_DENIED where the policy protects anything below. */
export function requireAllAdmitted(
  tree: TreeTarget,
  verb: string,
  checkpoint: () => void,
): void {
  if (tree.admit(tree.path) === null) return;
  let refused = 0;
  for (const { admitted } of traverse(tree, checkpoint)) if (!admitted) refused++;
  if (refused > 0) throw protectedBelow(tree, refused, verb);
}

/** As `Files.remove`. */
export function removeEntry(
  tree: TreeTarget,
  { recursive, checkpoint }: LongOptions & { readonly recursive: boolean },
): { readonly entries: number } {
  requirePermission("write", tree);
  const info = requireEntry(tree);
  tree.require(kindOf(info));
  let entries = 0;
  const remove = (path: string): void => {
    attempt(tree, () => Deno.removeSync(path));
    entries++;
  };
  if (info.isDirectory && !isEmpty(tree)) {
    if (!recursive) throw notEmpty(tree);
    requireAllAdmitted(tree, "removed", checkpoint);
    for (const { path, admitted, left, info: own } of traverse(tree, checkpoint)) {
      if (admitted && (left || !own.isDirectory)) remove(path);
    }
  }
  remove(tree.path);
  return { entries };
}

function isEmpty(target: Target): boolean {
  return attempt(
    target,
    () => Deno.readDirSync(target.path)[Symbol.iterator]().next().done === true,
  );
}

/** As `Files.createDirectory`. */
export function createDirectory(
  target: Target,
  { parents }: { readonly parents: boolean },
): { readonly created: boolean } {
  requirePermission("write", target);
  const made = requireParent(target, parents);
  const there = lstat(target);
  if (there?.isDirectory === true) return { created: false };
  if (there !== null) throw inTheWay(target, typeOf(there));
  try {
    attempt(target, () => Deno.mkdirSync(target.path));
  } catch (error) {
    removeMade(made);
    throw error;
  }
  return { created: true };
}
