/** The one place that asks whether the policy gives a program any network: what it cannot do without is lacking then. */

import { isAddress, type NetworkNeed, networkNeedOf } from "../../programs/network_needs.ts";
import type { Settings } from "../rulebook.ts";

export { isAddress };

/** What a command's words need of other machines and the policy gives no program; null where it may have it. */
export function lackingNetwork(
  argv: readonly string[],
  settings: Pick<Settings, "sandbox">,
): NetworkNeed | null {
  return givesNetwork(settings) ? null : networkNeedOf(argv);
}

/** Whether programs have any network beyond what their own call serves. */
function givesNetwork({ sandbox }: Pick<Settings, "sandbox">): boolean {
  return sandbox.network === "allow" || sandbox.kernel === "off";
}
