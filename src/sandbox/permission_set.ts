/** Rendering a boundary as the permission set of a worker. */

import type { Boundary } from "./boundary.ts";

/**
 * The set for a worker that is to be held by `boundary`: always a subset of what the boundary names, and a
 * subset of the process's own ceiling where the boundary is one of the policy's scope. `ffi` is there for
 * `enterBoundary`, which gives it up; modules and the environment are never there.
 *
 * Where the ceiling denies something below a path (the `--deny-…` flags of sealed builds) the runtime takes that
 * path for more than its parent has and refuses it; such a kind is inherited, denials and all. So are connections where
 * the ceiling has networks: the runtime takes a network for more than the same network of the parent.
 */
export function permissionSetOf(
  boundary: Boundary,
  isPartial: (kind: "read" | "write", path: string) => boolean = isPartlyDenied,
  reachesAll: () => boolean = mayConnectAnywhere,
): Deno.PermissionOptionsObject {
  const { spawn } = boundary;
  const programs = spawn?.programs ?? [];
  const paths = (kind: "read" | "write", list: readonly string[]): string[] | false | "inherit" =>
    list.some((path) => isPartial(kind, path)) ? "inherit" : narrowed(list);
  return {
    read: paths("read", [...boundary.read, ...boundary.write]),
    write: paths("write", boundary.write),
    run: programs === "any" ? true : narrowed(programs),
    net: boundary.connect.some((place) => place.includes("/")) && !reachesAll()
      ? "inherit"
      : narrowed(boundary.connect),
    ffi: true,
    env: false,
    sys: false,
    import: false,
  };
}

function isPartlyDenied(name: "read" | "write", path: string): boolean {
  return Deno.permissions.querySync({ name, path }).partial;
}

/** Not in a sealed build: what it may is baked. */
function mayConnectAnywhere(): boolean {
  return Deno.permissions.querySync({ name: "net" }).state === "granted";
}

/** An empty list must never reach the runtime, where for `--allow-…` flags it means "all". */
function narrowed(values: readonly string[]): string[] | false {
  return values.length === 0 ? false : [...new Set(values)];
}
