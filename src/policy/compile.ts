/** Compiles policies to the rulebook that everything else asks, complete from the start. */

import * as actions from "./judge/actions.ts";
import { compile, type PlacedPolicy, type RulebookOptions } from "./_compile.ts";
import type { Rulebook } from "./rulebook.ts";

export { type PlacedPolicy, PolicyConflict, type RulebookOptions } from "./_compile.ts";

/**
 * Compiles one or more policies, the first being the base and each further one only tightening it. Throws
 * `PolicyConflict` where they cannot hold together.
 */
export function compileRulebook(
  policies: readonly PlacedPolicy[],
  options: RulebookOptions,
): Rulebook {
  return compile(policies, options, { get: () => actions, prepare: () => null });
}
