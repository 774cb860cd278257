/** Looking at the paths of one request: each word once, and no longer than one request may take. */

import { existsSync } from "node:fs";
import { isAbsolute, join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { isWithin } from "../../sandbox/within.ts";
import { hasOddParts, PATH_MAX } from "../../core/path_text.ts";
import type { StraightProbe } from "./canonicalize.ts";
import { type PathProbe, RUNTIME_PROBE } from "./path_probe.ts";

/**
 * For all paths of one request, in ms: 10,000 plain ones take a tenth of it. Links can be laid so that one path leads over
 * tens of thousands of folders (40 links of 4 KiB each).
 */
const MOST_MS = 3_000;

/** Names in a folder that are not there before the folder is listed: an error of the runtime costs as much as 20 looks. */
const MOST_ERRORS = 2;
/** Parts of a path whose folders are asked about one by one: each takes a look of its own. */
const MOST_PARTS = 16;
/** A part of a path that is no name, or one that may be longer than names are. */
const NO_NAME = /^\.{0,2}$|\0|[^]{86}/;

/** What a probe of one request may be given beside the one that it asks. */
export interface RequestProbeOptions {
  /** Asked first where a path leads: one call of the kernel's tells of most that they lead where their words do. */
  readonly straight?: StraightProbe | null;
  /** Asked first whether something is there, where the runtime may look everywhere: its error costs 0.25 ms. */
  readonly there?: ThereProbe | null;
  /** In ms. */
  readonly now?: () => number;
}

/** Whether something is at an absolute path, a link at its end not followed; null where that is not known. */
export type ThereProbe = (path: string) => boolean | null;

/** A probe that remembers what it found: for one request, whose paths are taken as they are at one time. */
export function createRequestProbe(
  probe: PathProbe,
  { straight = null, there: byKernel = null, now = () => performance.now() }: RequestProbeOptions =
    {},
): PathProbe {
  const found = new Map<string, CanonicalPath | ToolError>();
  const there = new Map<string, boolean>();
  let left = MOST_MS;
  const timed = <T>(look: () => T): T => {
    if (left <= 0) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        "the paths of this request take too long to follow: they lead over too many links; name where they lead",
      );
    }
    const started = now();
    try {
      return look();
    } finally {
      left -= now() - started;
    }
  };
  const canonicalOf = (base: CanonicalPath, path: string): CanonicalPath | ToolError => {
    try {
      return probe.canonicalize(base, path);
    } catch (error) {
      if (error instanceof ToolError) return error;
      throw error;
    }
  };
  // Most paths are straight, and this is never asked.
  let absence: ReturnType<typeof createAbsence> | null = null;
  const absent = (base: CanonicalPath, path: string): CanonicalPath | null => {
    if (probe !== RUNTIME_PROBE) return null;
    absence ??= createAbsence((base, path) => {
      const known = canonicalOf(base, path);
      return known instanceof ToolError ? null : known;
    });
    return absence(base, path);
  };
  return {
    canonicalize(base, path) {
      const key = `${base}\0${path}`;
      let known = found.get(key);
      if (known === undefined) {
        known = timed(() =>
          straightPath(straight, base, path) ?? absent(base, path) ?? canonicalOf(base, path)
        );
        found.set(key, known);
      }
      if (known instanceof ToolError) throw known;
      return known;
    },
    exists(directory, path) {
      const key = `${directory}\0${path}`;
      let known = there.get(key);
      if (known === undefined) {
        const look = () =>
          isThere(byKernel, directory, path) ??
            (absent(directory, path) === null && probe.exists(directory, path));
        there.set(key, known = timed(look));
      }
      return known;
    },
    isDirectory: (path) =>
      timed(() => !(probe === RUNTIME_PROBE && leadsNowhere(path)) && probe.isDirectory(path)),
    isStraight: probe.isStraight,
    entryAt: probe.entryAt,
    isProgram: probe.isProgram,
  };
}

/** The longest path whose bytes need no counting, in UTF-16 units of three bytes at most. */
const SURELY_SHORT = Math.floor((PATH_MAX - 1) / 3);

/** Null where it takes a closer look. */
function isThere(there: ThereProbe | null, directory: string, path: string): boolean | null {
  if (there === null || path.includes("\0") || !path.isWellFormed()) return null;
  const whole = isAbsolute(path) ? path : join(directory, path);
  return whole.length > SURELY_SHORT ? null : there(whole);
}

/** A path that no link is on the way of, as its words have it; null where that takes a closer look. */
function straightPath(
  straight: StraightProbe | null,
  base: CanonicalPath,
  path: string,
): CanonicalPath | null {
  if (straight === null || path === "" || path.includes("\0") || !path.isWellFormed()) return null;
  const whole = path.startsWith("/") ? path : `${base === "/" ? "" : base}/${path}`;
  if (whole.length > SURELY_SHORT || hasOddParts(whole)) return null;
  return straight(whole) ? whole as CanonicalPath : null;
}

/** Whether surely nothing is where the path leads; false also where that may not be looked at. */
function leadsNowhere(path: string): boolean {
  try {
    return !existsSync(path);
  } catch {
    return false;
  }
}

/** How often names of a folder were asked for that are not there, and its links once it was listed. */
interface Seen {
  count: number;
  links: ReadonlySet<string> | null;
}

/**
 * Where a path of plain names would lie that surely is not there, nor a link of that name; null where that takes a closer
 * look, which is made as ever.
 */
function createAbsence(
  canonicalOf: (base: CanonicalPath, path: string) => CanonicalPath | null,
): (base: CanonicalPath, path: string) => CanonicalPath | null {
  const folders = new Map<string, CanonicalPath | null>();
  const seen = new Map<CanonicalPath, Seen>();
  const absent = (base: CanonicalPath, path: string): CanonicalPath | null => {
    const cut = path.lastIndexOf("/");
    const name = path.slice(cut + 1);
    const parts = path.split("/");
    if (NO_NAME.test(name) || !path.isWellFormed() || parts.includes("..")) return null;
    if (!leadsNowhere(path.startsWith("/") ? path : `${base}/${path}`)) return null;
    const before = cut === -1 ? "." : path.slice(0, cut) || "/";
    const key = `${base}\0${before}`;
    let folder = folders.get(key);
    if (folder === undefined) {
      const alone = parts.length > MOST_PARTS ? null : absent(base, before);
      folders.set(key, folder = alone ?? canonicalOf(base, before));
      // Nothing lies in what is not there.
      if (alone !== null) seen.set(alone, { count: MOST_ERRORS, links: new Set() });
    }
    // Outside nothing is told of what is there.
    if (folder === null || !isWithin(base, folder)) return null;
    let known = seen.get(folder);
    if (known === undefined) seen.set(folder, known = { count: 0, links: null });
    if (++known.count <= MOST_ERRORS) return null;
    known.links ??= linksIn(folder);
    if (known.links === null || known.links.has(name)) return null;
    return `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
  };
  return absent;
}

/** Null where the folder cannot be listed, or is none. */
function linksIn(folder: CanonicalPath): ReadonlySet<string> | null {
  try {
    const links = new Set<string>();
    for (const { name, isSymlink } of Deno.readDirSync(folder)) if (isSymlink) links.add(name);
    return links;
  } catch {
    return null;
  }
}
