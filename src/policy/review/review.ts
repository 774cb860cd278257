/** What is odd about policies that load: rules that never decide, names of nothing, holes. Pure. */

import type { PlacedPolicy } from "../_settings.ts";
import { type Budget, REVIEW_STEPS } from "./_budget.ts";
import { reviewCommands } from "./_commands.ts";
import { reviewInterpreters } from "./_interpreters.ts";
import { reviewNetwork } from "./_network.ts";
import { reviewPaths } from "./_paths.ts";
import { reviewSecrets } from "./_secrets.ts";
import {
  type KnownTools,
  reviewAgents,
  reviewExtensions,
  reviewProtocols,
  reviewTools,
  reviewWhole,
} from "./_settings.ts";
import type { PolicyWarning } from "./_warning.ts";
import type { Rulebook } from "../rulebook.ts";

export type { KnownTools } from "./_settings.ts";
export type { PolicyWarning } from "./_warning.ts";

/** What a review needs beside the policies, and how far it goes. */
export interface ReviewOptions {
  /** How many of the policies, from the first, are spoken of; the others (of flags, of the run itself) count too. */
  readonly reviewed: number;
  /** Of all these policies, complete: nothing is left to be loaded. */
  readonly rulebook: Rulebook;
  readonly tools: KnownTools;
  /** Elementary comparisons. */
  readonly steps?: number;
}

/**
 * Reviews policies as they would hold together, the first being the base. A rule that is said to never decide never
 * does, whatever is asked; of rules that cannot be compared within the budget nothing is said.
 */
export function reviewPolicies(
  policies: readonly PlacedPolicy[],
  { reviewed, rulebook, tools, steps = REVIEW_STEPS }: ReviewOptions,
): readonly PolicyWarning[] {
  const budget: Budget = { left: steps };
  const warnings = [
    ...reviewInterpreters(policies, reviewed, rulebook),
    ...reviewWhole(policies, rulebook.settings),
    ...reviewExtensions(policies, reviewed),
    ...policies.slice(0, reviewed).flatMap((placed, policy) => [
      ...reviewTools(placed, policy, tools),
      ...reviewAgents(placed, policy, budget),
      ...reviewProtocols(placed, policy, rulebook.settings),
    ]),
    ...reviewNetwork(policies, reviewed, budget),
    ...reviewSecrets(policies, reviewed),
    ...reviewPaths(policies, reviewed, budget),
    ...reviewCommands(policies, reviewed, budget),
  ];
  if (budget.left > 0) return warnings;
  const message = "too many rules to compare them all with each other: some that never decide " +
    "may not be named";
  return [...warnings, { policy: 0, key: "", message }];
}
