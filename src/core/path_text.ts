/** Paths as text, with slashes. Nothing here looks at a file. */

/** Bytes of the longest path that Linux takes (`linux/limits.h`: PATH_MAX is 4096 with the NUL that ends it). */
export const PATH_MAX = 4095;

const SLASH = 0x2f;
const DOT = 0x2e;

/** The last name of a path: all behind its last slash. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The folder that an absolute path without a trailing slash lies in; `/` of what lies in the root and of the root. Of a
 * canonical path that is one, too.
 */
export function parentOf<P extends string>(path: P): P {
  return (path.slice(0, path.lastIndexOf("/")) || "/") as P;
}

/** The path of that name in the same folder. */
export function siblingOf<P extends string>(path: P, name: string): P {
  return `${path.slice(0, path.lastIndexOf("/"))}/${name}` as P;
}

/** A path of a request with the folders above it, as far as the workspace goes. */
export function foldersFrom(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..")) return [path];
  return [...parts.map((_, index) => parts.slice(0, index + 1).join("/")), "."];
}

/** A path from a folder, with `.` and `..` taken by the letter. */
export function absolute(path: string, folder: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** Whether parts of an absolute path change it, also at its end: empty ones, `.` and `..`. By letters: it is asked of each opening. */
export function hasOddParts(path: string): boolean {
  let part = 1;
  for (let at = 1; at <= path.length; at++) {
    if (at < path.length && path.charCodeAt(at) !== SLASH) continue;
    const length = at - part;
    if (length === 0) return true;
    const dots = length <= 2 && path.charCodeAt(part) === DOT && path.charCodeAt(at - 1) === DOT;
    if (dots) return true;
    part = at + 1;
  }
  return false;
}
