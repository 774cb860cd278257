/** Sets of paths in which the paths above count too, asked in time that grows with the depth of a path alone. */

/** Whether an absolute path, or one above it, is in the set. */
export function liesInAny(path: string, folders: ReadonlySet<string>): boolean {
  return folders.has(path) || liesBelowAny(path, folders);
}

/** Whether a path above it is in the set. */
export function liesBelowAny(path: string, folders: ReadonlySet<string>): boolean {
  if (path === "/") return false;
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (folders.has(path.slice(0, end))) return true;
  }
  return folders.has("/");
}

/** Each path once, in order, without those that lie in others. */
export function outermost<P extends string>(paths: readonly P[]): readonly P[] {
  const distinct = new Set<string>(paths);
  return ([...distinct] as P[]).filter((path) => !liesBelowAny(path, distinct)).sort();
}
