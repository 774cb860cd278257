/** Globs over names and relative paths, matched in time bounded by the lengths of glob and path. */

import { BraceError, expandBraces } from "./braces.ts";
import { matchesSegment, parseSegment, SegmentError, type SegmentPattern } from "./glob_segment.ts";

/** What is wrong with a glob, without the glob itself. */
export class GlobError extends Error {
  override readonly name = "GlobError";
}

/** The segment `**`: any number of names, none too. */
export const DEEP = Symbol("**");

/** A segment as plain text, with wildcards, or `**`. */
export type GlobSegment = string | SegmentPattern | typeof DEEP;

/**
 * A directory as a glob sees it: what may still come of the names in it. A walk goes from place to place, so that
 * each name is looked at once, and directories in which nothing can match are not gone into.
 */
export interface GlobPlace {
  /** Whether the entry of that name matches. */
  matches(name: string): boolean;
  /** The place in the directory of that name; null where nothing below it can match. */
  into(name: string): GlobPlace | null;
}

/** A glob that was read. */
export interface Glob {
  /** Where its paths begin. */
  readonly start: GlobPlace;
  /** Whether the path (relative, `/` between its parts) matches. */
  matches(path: string): boolean;
  /** Whether one of its segments begins with a plain dot: it means hidden files. */
  readonly namesHidden: boolean;
}

/** Linux's PATH_MAX (`linux/limits.h`). */
const MAX_LENGTH = 4096;
/** Far more than a person writes; each costs a comparison a file. */
const MAX_ALTERNATIVES = 256;

/**
 * `*`, `?`, `[a-z]`, `[!a-z]` within a name, `{a,b}`, `**` as a whole part, `\` before what is to be
 * plain. A glob without `/` is matched against the last name of the path (`*.ts` finds `src/a.ts`), any
 * other against the whole path. Names that begin with a dot are names like any other.
 * Throws {@linkcode GlobError}.
 */
export function compileGlob(glob: string): Glob {
  if (glob === "") throw new GlobError("it is empty; write ** for all");
  if (glob.length > MAX_LENGTH) throw new GlobError(`it is longer than ${MAX_LENGTH} characters`);
  const alternatives = attempt(() => expandBraces(glob, { classes: true, single: true }));
  if (alternatives.length > MAX_ALTERNATIVES) {
    throw new GlobError(`its groups come to more than ${MAX_ALTERNATIVES} alternatives`);
  }
  const paths = alternatives.map((alternative) => {
    const path = alternative.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
    const segments = attempt(() => path.split("/").map(parsePart));
    return withoutRepeats(alternative.includes("/") ? segments : [DEEP, ...segments]);
  });
  const start = startOf(paths);
  return {
    start,
    matches: (path) => matchesPath(start, path),
    namesHidden: paths.some((path) => path.some(beginsWithDot)),
  };
}

/** The place of paths that match one of the alternatives, none of which has `**` twice in a row. */
export function startOf(alternatives: readonly (readonly GlobSegment[])[]): GlobPlace {
  const spots: Spot[] = [];
  for (const segments of alternatives) add(spots, segments, 0);
  return new SpotsPlace(spots);
}

function matchesPath(start: GlobPlace, path: string): boolean {
  let place: GlobPlace | null = start;
  let from = 0;
  for (let to = path.indexOf("/"); to >= 0; to = path.indexOf("/", from)) {
    place = place.into(path.slice(from, to));
    if (place === null) return false;
    from = to + 1;
  }
  return place.matches(path.slice(from));
}

/** One alternative, matched up to `index`. */
interface Spot {
  readonly segments: readonly GlobSegment[];
  readonly index: number;
}

class SpotsPlace implements GlobPlace {
  readonly #spots: readonly Spot[];
  /** Where everything that can still match is `**` before one more segment, directories change nothing. */
  readonly #same: boolean;

  constructor(spots: readonly Spot[]) {
    this.#spots = spots;
    this.#same = spots.every(({ segments, index }) =>
      segments[index] === DEEP ||
      (index === segments.length - 1 && segments[index - 1] === DEEP)
    );
  }

  matches(name: string): boolean {
    for (const { segments, index } of this.#spots) {
      const segment = segments[index] as GlobSegment;
      const rest = segments.length - index - 1;
      // `a/**` is `a` itself, too.
      if (rest > 1 || (rest === 1 && segments[index + 1] !== DEEP)) continue;
      if (segment === DEEP ? rest === 0 : matchesName(segment, name)) return true;
    }
    return false;
  }

  into(name: string): GlobPlace | null {
    if (this.#same) return this.#spots.length === 0 ? null : this;
    const below: Spot[] = [];
    for (const { segments, index } of this.#spots) {
      const segment = segments[index] as GlobSegment;
      if (segment === DEEP) add(below, segments, index);
      else if (matchesName(segment, name)) add(below, segments, index + 1);
    }
    return below.length === 0 ? null : new SpotsPlace(below);
  }
}

/** Adds a spot once, and the one behind it where it is at `**`, which may stand for no name at all. */
function add(spots: Spot[], segments: readonly GlobSegment[], index: number): void {
  for (let at = index; at < segments.length; at++) {
    if (spots.some((spot) => spot.segments === segments && spot.index === at)) return;
    spots.push({ segments, index: at });
    if (segments[at] !== DEEP) return;
  }
}

function matchesName(segment: string | SegmentPattern, name: string): boolean {
  return typeof segment === "string" ? segment === name : matchesSegment(segment, name);
}

function parsePart(part: string): GlobSegment {
  return part === "**" ? DEEP : parseSegment(part);
}

function withoutRepeats(segments: readonly GlobSegment[]): readonly GlobSegment[] {
  return segments.filter((segment, index) => segment !== DEEP || segments[index - 1] !== DEEP);
}

function beginsWithDot(segment: GlobSegment): boolean {
  if (segment === DEEP) return false;
  return typeof segment === "string"
    ? segment.startsWith(".") && segment !== "." && segment !== ".."
    : segment.first === ".";
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof BraceError || error instanceof SegmentError) {
      throw new GlobError(error.message);
    }
    throw error;
  }
}
