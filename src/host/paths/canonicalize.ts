/** Where a requested path really leads: the one place that makes a `CanonicalPath`. */

import { joinedName } from "../../core/name_text.ts";
import { hasOddParts, parentOf, PATH_MAX } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { isWithin } from "../../sandbox/within.ts";
import { changed } from "../kernel/refusal.ts";

/** NAME_MAX, which counts no closing NUL (include/uapi/linux/limits.h). */
const LONGEST_NAME = 255;
/** MAXSYMLINKS (include/linux/namei.h) */
const MOST_LINKS = 40;

const encoder = new TextEncoder();

/**
 * Resolves a requested path from `base` as the kernel would, part by part: links are followed where they stand, and
 * `..` leaves the directory that was really reached. What does not exist (yet) keeps its name under the
 * deepest ancestor that does; a link that dangles leads to where it points.
 *
 * In builds whose runtime permissions end at the workspace a path outside cannot be looked at: it comes back
 * resolved by its words alone, for the policy to deny. That is safe because what is opened later is the
 * path that was judged, never the words.
 *
 * Throws INVALID_ARGUMENTS (empty, NUL, lone surrogate, too long, too many links), NOT_A_DIRECTORY (a part before
 * the last is a file), NATIVE_DENIED (a part that may not be looked at: never taken for absent). The last two, and too
 * many links, are told of what lies in `base` alone: what is outside is outside, whatever is there.
 */
export function canonicalize(base: CanonicalPath, requested: string): CanonicalPath {
  checkWords(requested);
  const parts = requested.split("/");
  if (!parts.includes("..")) {
    const whole = wholePath(base, requested);
    if (whole !== null) return whole;
  }
  return walk(base, requested, entryByRuntime);
}

/**
 * As {@linkcode canonicalize}, but where the last part is a link, the link itself. Words that end in `.`, `..` or a
 * slash name what they lead to. `leads`: how the rest is followed.
 */
export function canonicalEntry(
  base: CanonicalPath,
  requested: string,
  leads: typeof canonicalize = canonicalize,
): CanonicalPath {
  const cut = requested.lastIndexOf("/");
  const name = requested.slice(cut + 1);
  if (name === "" || name === "." || name === "..") return leads(base, requested);
  checkWords(requested);
  const folder = leads(base, requested.slice(0, cut + 1) || ".");
  return `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
}

/**
 * The canonical path of a directory named on the command line or in a policy, from the working directory.
 * Throws as `canonicalize`, FILE_NOT_FOUND, and NOT_A_DIRECTORY.
 */
export function canonicalDirectory(path: string): CanonicalPath {
  // getcwd(2) gives a path without links.
  const canonical = canonicalize(Deno.cwd() as CanonicalPath, path);
  try {
    if (Deno.statSync(canonical).isDirectory) return canonical;
  } catch (error) {
    // A sealed build that denies something below may not look at the directory itself; opening it tells.
    if (error instanceof Deno.errors.NotCapable) return canonical;
    if (error instanceof Deno.errors.NotFound) {
      throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`);
    }
    throw refused(path, error);
  }
  throw new ToolError("NOT_A_DIRECTORY", `"${path}" is not a directory`);
}

/** `odd`: what is no UTF-8 may be in it, as `nameText` has it. */
function checkWords(requested: string, odd = false): void {
  const invalid = (why: string): ToolError =>
    new ToolError("INVALID_ARGUMENTS", `the path ${why}; give one that a file can have`);
  if (requested === "") throw invalid("is empty");
  if (requested.includes("\0")) throw invalid("holds a NUL character");
  if (!requested.isWellFormed() && !(odd && isName(requested))) {
    throw invalid("holds half a surrogate pair, which is no text");
  }
  // Three bytes a UTF-16 unit at most: short ones need no counting.
  if (requested.length * 3 <= LONGEST_NAME) return;
  if (encoder.encode(requested).length > PATH_MAX) {
    throw invalid(`is longer than ${PATH_MAX} bytes`);
  }
  for (const part of requested.split("/")) {
    if (part.length * 3 > LONGEST_NAME && encoder.encode(part).length > LONGEST_NAME) {
      throw invalid(`has a part longer than ${LONGEST_NAME} bytes`);
    }
  }
}

function isName(text: string): boolean {
  return joinedName(text) === text;
}

/**
 * One call for the common case, an existing path without `..` (the runtime would resolve that by words before
 * the kernel sees it). Null where the walk must find out more.
 */
function wholePath(base: CanonicalPath, requested: string): CanonicalPath | null {
  if (requested.endsWith("/") || requested.endsWith("/.")) return null;
  try {
    return Deno.realPathSync(
      requested.startsWith("/") ? requested : `${base}/${requested}`,
    ) as CanonicalPath;
  } catch {
    return null;
  }
}

/** What is at a path: of a link where it points, as it is written. */
export type PathEntry = "directory" | "other" | "missing" | { readonly link: string };

/**
 * Says what is at a path, links not followed; null where it may not look. `requested` is for messages. Throws
 * NATIVE_DENIED where the system does not let it.
 */
export type EntryProbe = (path: string, requested: string) => PathEntry | null;

/** Whether no link is on the way of an absolute path, nor at its end; false where that is not known. */
export type StraightProbe = (path: string) => boolean;

/** As {@linkcode resolvePath}; null where that throws. */
export function resolver(
  entryAt: EntryProbe,
  isStraight?: StraightProbe,
): (directory: CanonicalPath, path: string) => CanonicalPath | null {
  return (directory, path) => {
    try {
      return resolvePath(directory, path, entryAt, isStraight);
    } catch (error) {
      if (error instanceof ToolError) return null;
      throw error;
    }
  };
}

/**
 * As {@linkcode canonicalize}, but asking `entryAt` of each part, and not the runtime of the whole path first: where
 * `isStraight` says of an absolute path that it leads where its words do, of none.
 */
export function resolvePath(
  base: CanonicalPath,
  requested: string,
  entryAt: EntryProbe,
  isStraight: StraightProbe = () => false,
): CanonicalPath {
  checkWords(requested, true);
  const absolute = requested.startsWith("/") && !hasOddParts(requested);
  if (absolute && isStraight(requested)) return requested as CanonicalPath;
  return walk(base, requested, entryAt);
}

function walk(base: CanonicalPath, requested: string, entryAt: EntryProbe): CanonicalPath {
  let path: string = base;
  let missing = false;
  let links = 0;
  /** Still to go, last first. */
  const pending: string[] = [];
  const enter = (words: string): void => {
    pending.push(...words.split("/").reverse());
    if (!words.startsWith("/")) return;
    // From the base on where it leads there: what lies above it may be out of bounds to look at.
    path = "/";
    if (base !== "/" && (words === base || words.startsWith(`${base}/`))) {
      pending.length -= base.split("/").length;
      path = base;
    }
    missing = false;
  };
  enter(requested);
  while (pending.length > 0) {
    const part = pending.pop() as string;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      path = parentOf(path);
      // The parent of something missing may be there.
      missing = false;
      continue;
    }
    const next = path === "/" ? `/${part}` : `${path}/${part}`;
    if (missing) {
      path = next;
      continue;
    }
    // Outside of the base nothing is told of what is there: words alone lead on, for the policy to deny.
    const outside = !isWithin(base, next);
    const found = outside ? entryOutside(entryAt, next, requested) : entryAt(next, requested);
    if (found === null) return byWords(next, pending);
    if (typeof found === "object") {
      if (++links > MOST_LINKS) {
        if (outside) return byWords(next, pending);
        throw new ToolError(
          "INVALID_ARGUMENTS",
          `"${requested}" leads over more than ${MOST_LINKS} symbolic links, or in a circle`,
        );
      }
      enter(found.link);
      continue;
    }
    path = next;
    missing = found === "missing" || (found === "other" && outside);
    if (found === "other" && !outside && pending.length > 0) {
      throw new ToolError(
        "NOT_A_DIRECTORY",
        `"${requested}" goes on after a part that is a file, not a directory`,
      );
    }
  }
  return path as CanonicalPath;
}

/** Null also where the system does not let it be looked at. */
function entryOutside(entryAt: EntryProbe, path: string, requested: string): PathEntry | null {
  try {
    return entryAt(path, requested);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}

/** Looks at a name that is a link now and something else then, before it is called that. */
const MOST_LOOKS = 8;

/** Null: the runtime's permissions end before this path. */
function entryByRuntime(path: string, requested: string): PathEntry | null {
  for (let look = 0; look < MOST_LOOKS; look++) {
    try {
      const info = Deno.lstatSync(path);
      if (info.isDirectory) return "directory";
      return info.isSymlink ? { link: Deno.readLinkSync(path) } : "other";
    } catch (error) {
      if (isNoLink(error)) continue;
      if (error instanceof Deno.errors.NotCapable) return null;
      if (error instanceof Deno.errors.NotFound) return "missing";
      throw refused(requested, error);
    }
  }
  throw changed({ path: path as CanonicalPath, shown: requested });
}

/** readlink(2) says EINVAL, which the runtime has no class for. */
function isNoLink(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes("os error 22");
}

function byWords(start: string, pending: readonly string[]): CanonicalPath {
  const parts = start.split("/").slice(1);
  for (const part of pending.toReversed()) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}` as CanonicalPath;
}

/** Names the path as it was requested, and the kind of error, never where it led. */
function refused(requested: string, error: unknown): ToolError {
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return new ToolError(
      "NATIVE_DENIED",
      `"${requested}" leads through a directory that the operating system does not let Toolgate enter`,
    );
  }
  // What a link says that the runtime cannot read.
  if (error instanceof Deno.errors.InvalidData) {
    return new ToolError(
      "INVALID_ARGUMENTS",
      `"${requested}" leads by a link to a name that is no UTF-8, which tools cannot reach; programs can`,
    );
  }
  if (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG") {
    return new ToolError("INVALID_ARGUMENTS", `"${requested}" is too long once links are followed`);
  }
  const kind = error instanceof Error ? error.name : "unknown error";
  return new ToolError("EXECUTION_ERROR", `"${requested}" cannot be looked at (${kind})`);
}
