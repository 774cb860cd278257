/** Commands of a line that lead to no program: a shell says so where it comes to them, and goes on (POSIX, 2.8.2). */

import type { ResolvedCapability } from "../../core/capability.ts";

/**
 * The capabilities with those commands as such that start nothing: what rules deny or ask for stays so, and none needs to
 * allow them. One that is there by the time the line comes to it is judged then. A name with a slash is looked at when it is
 * come to, by what lies there.
 */
export function withoutPrograms(
  capabilities: readonly ResolvedCapability[],
): readonly ResolvedCapability[] {
  return capabilities.some(isMissing)
    ? capabilities.map((one) => isMissing(one) ? { ...one, opened: true } : one)
    : capabilities;
}

function isMissing(
  capability: ResolvedCapability,
): capability is Extract<ResolvedCapability, { readonly kind: "process.spawn" }> {
  if (capability.kind !== "process.spawn" || capability.program !== null) return false;
  const { argv: [name = ""], own, optional } = capability;
  return own === undefined && optional !== true && name !== "" && !name.includes("/");
}
