/** Tokens: what agents say they spend, held against what the policy gives each. */

import { ToolError } from "../core/errors.ts";
import { quoted } from "../core/printable.ts";

/** What one agent has spent of its budget. `budget` null: no policy limits it. */
export interface Spending {
  readonly agent: string;
  readonly spent: number;
  readonly budget: number | null;
}

/** Who counts what agents spend. */
export interface Budgets {
  /** Adds what a request reports. Throws RESOURCE_LIMIT where there is no more to spend. */
  charge(agent: string, tokens: number): void;
  report(): readonly Spending[];
}

/** Agents that are told apart: names come from callers. */
const MOST_AGENTS = 10_000;

/** Counts the tokens of each agent, and says when those are spent that the policies give it. */
export class PolicyBudgets implements Budgets {
  readonly #budgetOf: (agent: string) => number | null;
  readonly #spent = new Map<string, number>();

  /** `budgetOf`: the policies' budget of an agent; null where they set none. */
  constructor(budgetOf: (agent: string) => number | null) {
    this.#budgetOf = budgetOf;
  }

  charge(agent: string, tokens: number): void {
    if (tokens === 0 && this.#spent.size === 0) return;
    const spent = (this.#spent.get(agent) ?? 0) + tokens;
    if (tokens > 0) {
      if (!this.#spent.has(agent) && this.#spent.size >= MOST_AGENTS) {
        throw new ToolError("RESOURCE_LIMIT", "more agents report tokens than are told apart");
      }
      this.#spent.set(agent, spent);
    }
    const budget = spent === 0 ? null : this.#budgetOf(agent);
    if (budget === null || spent <= budget) return;
    throw new ToolError(
      "RESOURCE_LIMIT",
      `agent ${quoted(agent)} has spent ${spent} tokens of the ${budget} that the policy gives it`,
      { details: { agent, spent, budget } },
    );
  }

  report(): readonly Spending[] {
    return [...this.#spent].map(([agent, spent]) => ({
      agent,
      spent,
      budget: this.#budgetOf(agent),
    }));
  }
}
