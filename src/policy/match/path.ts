/** Path globs of the policy: parsing, and matching one glob; `_path_rules.ts` matches many at once. */

import { BraceError, expandBraces } from "../../core/braces.ts";
import { DEEP, type GlobSegment } from "../../core/glob.ts";
import { matchesSegment, parseSegment, SegmentError, type Steps } from "../../core/glob_segment.ts";

/** Longest glob that is read: Linux's PATH_MAX (`linux/limits.h`). */
const MAX_LENGTH = 4096;

/** A glob that means nothing, with what would be right. The message does not repeat the glob. */
export class GlobError extends Error {
  override readonly name = "GlobError";
}

/** One alternative of a glob. */
export interface GlobPath {
  /** Whether it starts at the root of the file system instead of the workspace. */
  readonly absolute: boolean;
  readonly segments: readonly GlobSegment[];
}

/** A parsed glob: it matches what one of its alternatives matches. */
export interface PathGlob {
  readonly source: string;
  readonly paths: readonly GlobPath[];
}

/**
 * Parses a glob: `*`, `?`, `[a-z]`, `[!a-z]` within a segment, `{a,b}`, `**` as a whole segment,
 * `\` before a character that is to be plain. A glob ending in `/` covers the directory and all below it.
 * Throws {@linkcode GlobError}.
 */
export function parsePathGlob(text: string): PathGlob {
  if (text === "") throw new GlobError("is empty; write ** for the whole workspace");
  if (text.includes("\0")) throw new GlobError("holds a NUL character");
  if (text.length > MAX_LENGTH) throw new GlobError(`is longer than ${MAX_LENGTH} characters`);
  try {
    return {
      source: text,
      paths: expandBraces(text, { classes: true }).map((alternative) => {
        if (alternative.endsWith("/") && !text.endsWith("/")) {
          throw new GlobError("has an alternative that ends in /; write {a,b}/ or {a,b}/**");
        }
        return parseAlternative(alternative);
      }),
    };
  } catch (error) {
    if (error instanceof BraceError || error instanceof SegmentError) {
      throw new GlobError(error.message);
    }
    throw error;
  }
}

function parseAlternative(text: string): GlobPath {
  if (text === "") throw new GlobError("has an empty alternative");
  if (text.startsWith("~")) {
    throw new GlobError(
      "~ is not expanded; write the absolute path, or \\~ for the character itself",
    );
  }
  const absolute = text.startsWith("/");
  const parts = splitSegments(absolute ? text.slice(1) : text);
  if (absolute && parts.length === 1 && parts[0] === "") {
    throw new GlobError("/ alone is not taken; write /** for the whole file system");
  }
  const segments: GlobSegment[] = [];
  parts.forEach((part, index) => {
    if (part === "") {
      if (index === parts.length - 1) pushSegment(segments, DEEP);
      return;
    }
    pushSegment(segments, parsePart(part));
  });
  return { absolute, segments };
}

function pushSegment(segments: GlobSegment[], segment: GlobSegment): void {
  if (segment === ".") return;
  if (segment === DEEP && segments[segments.length - 1] === DEEP) return;
  segments.push(segment);
}

function parsePart(part: string): GlobSegment {
  if (part === "**") return DEEP;
  const segment = parseSegment(part);
  if (segment === "..") {
    throw new GlobError(
      ".. is not taken; write the absolute path for what lies outside the workspace",
    );
  }
  if (typeof segment !== "string" && holdsDoubleStar(part)) {
    throw new GlobError("** must be a whole segment, as in a/**/b; within a name write *");
  }
  return segment;
}

/** Splits at slashes outside classes; a slash can be neither escaped nor in a class. */
function splitSegments(text: string): string[] {
  if (!text.includes("[") && !text.includes("\\")) return text.split("/");
  const parts: string[] = [];
  let start = 0;
  let inClass = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") {
      if (text[++at] === "/") throw new GlobError("\\/ means nothing; write /");
    } else if (character === "[" && !inClass) {
      inClass = true;
      if (text[at + 1] === "!" || text[at + 1] === "^") at++;
      if (text[at + 1] === "]") at++;
    } else if (character === "]") {
      inClass = false;
    } else if (character === "/") {
      if (inClass) throw new GlobError("a class in [] cannot hold a slash");
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** Whether `**` stands in the segment outside classes and escapes. */
function holdsDoubleStar(part: string): boolean {
  if (!part.includes("**")) return false;
  let inClass = false;
  for (let at = 0; at < part.length; at++) {
    const character = part[at];
    if (character === "\\") at++;
    else if (character === "[" && !inClass) {
      inClass = true;
      if (part[at + 1] === "!" || part[at + 1] === "^") at++;
      if (part[at + 1] === "]") at++;
    } else if (character === "]") inClass = false;
    else if (character === "*" && !inClass && part[at + 1] === "*") return true;
  }
  return false;
}

/** The names that make up an absolute path, from the root. */
export function segmentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

/** The segments of one alternative from the root of the file system, for a glob of this workspace. */
export function rootedSegments(path: GlobPath, workspace: string): readonly GlobSegment[] {
  return path.absolute ? path.segments : [...segmentsOf(workspace), ...path.segments];
}

/**
 * Whether the glob matches an absolute canonical path, exactly (`secrets` matches nothing below itself).
 * Work is bounded by the product of the lengths of glob and path.
 */
export function matchesPathGlob(
  glob: PathGlob,
  workspace: string,
  path: string,
  steps?: Steps,
): boolean {
  const names = segmentsOf(path);
  return glob.paths.some((one) => matchesNames(rootedSegments(one, workspace), names, steps));
}

/** Row by row over the segments of the glob: `reached[i]` says that the first `i` names are matched. */
function matchesNames(
  segments: readonly GlobSegment[],
  names: readonly string[],
  steps?: Steps,
): boolean {
  let reached: boolean[] = [true, ...names.map(() => false)];
  for (const segment of segments) {
    const next: boolean[] = new Array(names.length + 1).fill(false);
    for (let index = 0; index <= names.length; index++) {
      if (steps !== undefined) steps.count++;
      if (segment === DEEP) {
        next[index] = reached[index] === true || (index > 0 && next[index - 1] === true);
      } else if (index > 0 && reached[index - 1] === true) {
        const name = names[index - 1]!;
        next[index] = typeof segment === "string"
          ? segment === name
          : matchesSegment(segment, name, steps);
      }
    }
    reached = next;
  }
  return reached[names.length] === true;
}
