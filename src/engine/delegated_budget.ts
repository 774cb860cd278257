/** Tokens that one agent hands on to another: what this one spends counts for both. */

import { ToolError } from "../core/errors.ts";
import { quoted } from "../core/printable.ts";
import type { Budgets, Spending } from "./budgets.ts";

/** Where a part of a budget comes from. */
export interface DelegatedBudgetOptions {
  /** Who spends it. */
  readonly agent: string;
  /** Tokens at most; null: as many as its maker has. */
  readonly tokens: number | null;
  /** Of who handed it on, and his name there. */
  readonly above: Budgets;
  readonly maker: string;
  /** What the policies count; null where `above` counts there already for an agent of this name. */
  readonly policies: Budgets | null;
  /** Throws where nothing may be done with it any more. */
  readonly alive: () => void;
}

/** The part of a budget that was handed on. */
export class DelegatedBudget implements Budgets {
  readonly #options: DelegatedBudgetOptions;
  #spent = 0;

  constructor(options: DelegatedBudgetOptions) {
    this.#options = options;
  }

  /** All of them count before one of them refuses: what is spent is spent. */
  charge(_: string, tokens: number): void {
    const { agent, tokens: budget, above, maker, policies, alive } = this.#options;
    alive();
    this.#spent += tokens;
    const refusals: unknown[] = [];
    const counted = (count: () => void): void => {
      try {
        count();
      } catch (error) {
        refusals.push(error);
      }
    };
    counted(() => above.charge(maker, tokens));
    counted(() => policies?.charge(agent, tokens));
    if (budget !== null && this.#spent > budget) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `agent ${
          quoted(agent)
        } has spent ${this.#spent} tokens of the ${budget} that its token gives it`,
        { details: { agent, spent: this.#spent, budget } },
      );
    }
    if (refusals.length > 0) throw refusals[0];
  }

  report(): readonly Spending[] {
    const { agent, tokens: budget } = this.#options;
    return [{ agent, spent: this.#spent, budget }];
  }
}
