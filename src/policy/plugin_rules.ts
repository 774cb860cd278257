/** What several policies together say of custom tools: the first names them, the others only take away. */

import type { Policy } from "./model.ts";

/** Whether a pipe may register custom tools: where the first policy allows it and no other denies it. */
export function mayRegister(
  policies: readonly { readonly policy: Pick<Policy, "plugins"> }[],
): boolean {
  const words = policies.map(({ policy }) => policy.plugins?.registration ?? null);
  return words[0] === "allow" && !words.includes("deny");
}
