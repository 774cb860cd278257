/** What a policy says of agents and risks where it is silent, too: its place among the policies decides. */

import type { Risk } from "../../core/tool.ts";
import { type AgentRule, DEFAULTS, type Policy } from "../model.ts";

/** The rules of agents; null: a further policy leaves them to the others. `position`: the policy's, from 0. */
export function effectiveAgents(
  { agents }: Policy,
  position: number,
): Readonly<Record<string, AgentRule>> | null {
  return agents ?? (position === 0 ? DEFAULTS.agents : null);
}

/** The thresholds of risk, likewise. */
export function effectiveThresholds(
  { risk }: Policy,
  position: number,
): { readonly allow: Risk; readonly ask: Risk } | null {
  return risk ?? (position === 0 ? DEFAULTS.risk : null);
}
