/** The one place that asks whether the policy gives a program any network: what it cannot do without is lacking then. */

import type { ResolvedSpawnCapability } from "../../core/capability.ts";
import { isAddress, type NetworkNeed, networkNeedOf } from "../../programs/network_needs.ts";
import type { Settings } from "../rulebook.ts";

export { isAddress };

/** What is asked of the policy. */
export interface ProgramNetworkRules {
  readonly settings: Pick<Settings, "sandbox" | "workspace">;
  /** What rules open to a program by name; null for nothing. */
  readonly networkOf: (command: ResolvedSpawnCapability) => unknown;
}

/** What a command's words need of other machines and the policy does not give it; null where it may have it. */
export function lackingNetwork(
  command: ResolvedSpawnCapability,
  { settings: { sandbox }, networkOf }: ProgramNetworkRules,
): NetworkNeed | null {
  if (sandbox.network === "allow" || sandbox.kernel === "off") return null;
  const need = networkNeedOf(command.argv);
  return need === null || networkOf(command) !== null ? null : need;
}
