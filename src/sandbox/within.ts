/** Whether one path lies in another. */

/** True for the directory itself and for what lies in it. Both absolute, without `.`, `..` or links. */
export function isWithin(directory: string, path: string): boolean {
  if (path === directory || directory === "/") return true;
  return path.length > directory.length && path[directory.length] === "/" &&
    path.startsWith(directory);
}
