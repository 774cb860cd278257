/** Types of `@std/path`: pure functions over the paths of the platform that runs them. */

/** What separates the entries of a search path: `:`, on Windows `;`. */
export const DELIMITER: ":" | ";";
/** What separates the parts of a path: `/`, on Windows `\`. */
export const SEPARATOR: "/" | "\\";
/** One or more separators. */
export const SEPARATOR_PATTERN: RegExp;

/** The parts of a path. */
export interface ParsedPath {
  /** `/` of `/home/me/a.txt` */
  root: string;
  /** `/home/me` */
  dir: string;
  /** `a.txt` */
  base: string;
  /** `.txt` */
  ext: string;
  /** `a` */
  name: string;
}

/** What a glob understands. */
export interface GlobOptions {
  /** Understands `**` as any number of folders. Default: true. */
  globstar?: boolean;
  /** Understands `+(a|b)`, `!(a)` and the like. Default: true. */
  extended?: boolean;
}

/** As {@linkcode GlobOptions}, and how the expression matches. */
export interface GlobToRegExpOptions extends GlobOptions {
  /** Matches without regard to case. Default: false. */
  caseInsensitive?: boolean;
}

/** The last part of a path, without `suffix` where it ends with that. */
export function basename(path: string | URL, suffix?: string): string;
/** The longest folder that all paths share, with a separator at its end; `""` where they share none. */
export function common(paths: string[]): string;
/** All but the last part of a path; `.` where there is but one. */
export function dirname(path: string | URL): string;
/** The ending with its dot; `""` where there is none. */
export function extname(path: string | URL): string;
/** The path that these parts make; the inverse of {@linkcode parse}. */
export function format(pathObject: Partial<ParsedPath>): string;
/** The path of a `file:` URL. Throws TypeError for other URLs. */
export function fromFileUrl(url: string | URL): string;
/** A regular expression, anchored at both ends, that matches what the glob does. */
export function globToRegExp(glob: string, options?: GlobToRegExpOptions): RegExp;
/** Whether it begins at the root. */
export function isAbsolute(path: string): boolean;
/** Whether the text has a character that is special in globs. */
export function isGlob(str: string): boolean;
/** Joins the parts and normalizes what results; `.` where there are none. */
export function join(path?: string | URL, ...paths: string[]): string;
/** Joins globs and normalizes what results; with `globstar`, `**` followed by `..` stays. */
export function joinGlobs(globs: string[], options?: Pick<GlobOptions, "globstar">): string;
/** Resolves `.`, `..` and repeated separators by text alone. */
export function normalize(path: string | URL): string;
/** As {@linkcode normalize} for globs; with `globstar`, `**` followed by `..` stays. */
export function normalizeGlob(glob: string, options?: Pick<GlobOptions, "globstar">): string;
/** Root, folder, name and extension of a path. */
export function parse(path: string): ParsedPath;
/** The way from one path to another; both are resolved against the working directory first. */
export function relative(from: string, to: string): string;
/** An absolute path: the parts from the last absolute one on, else from the working directory. */
export function resolve(...pathSegments: string[]): string;
/** A `file:` URL of an absolute path. Throws TypeError for a relative one. */
export function toFileUrl(path: string): URL;
/** A path in the `\\?\` form on Windows; unchanged elsewhere. */
export function toNamespacedPath(path: string): string;
