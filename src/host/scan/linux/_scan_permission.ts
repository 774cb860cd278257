/** What the runtime's permission set lets a scan read: it is asked, for system calls pass it by. */

import type { CanonicalPath } from "../../../core/capability.ts";

/** The runtime's permission set, which FFI would pass by: whether it refuses nothing below a directory. */
export function mayReadBelow(path: CanonicalPath): boolean {
  const { state, partial } = Deno.permissions.querySync({ name: "read", path });
  return state === "granted" && !partial;
}

/** One entry of a directory in which it refuses something. A look is tried first: it is not remembered. */
export function mayRead(path: CanonicalPath): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) return true;
    return Deno.permissions.querySync({ name: "read", path }).state === "granted";
  }
}
