/** Makers of tokens under policies, on no machine. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { PolicyBudgets } from "../../../../src/engine/budgets.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { compileRulebook, type PlacedPolicy } from "../../../../src/policy/compile_rulebook.ts";
import type { TokenTerms } from "../../../../src/serve/_read_token.ts";
import type { Maker, Token, TokenPlace } from "../../../../src/serve/gate/token.ts";
import { ACTIONS, policy, WORKSPACE } from "../../policy/_fixtures.ts";

export const UID = 1000;
export const TERMS: TokenTerms = {
  agent: null,
  permissions: null,
  paths: null,
  commands: null,
  tokens: null,
  expiresMs: null,
  uid: null,
};

const place = WORKSPACE as CanonicalPath;

/** A gate's policies, and who comes to it. */
export class Makers {
  readonly #policies: readonly PlacedPolicy[];
  readonly budgets: PolicyBudgets;
  readonly place: TokenPlace;
  now = 1_000_000;

  constructor(...policies: readonly Partial<Policy>[]) {
    this.#policies = policies.map((sections, at) => ({
      source: `p${at + 1}.yaml`,
      policy: policy(sections),
      workspace: place,
    }));
    this.budgets = new PolicyBudgets(this.rulebook().tokensOf);
    this.place = {
      workspace: place,
      budgets: this.budgets,
      hears: (uid) => uid === UID || uid === UID + 1,
      now: () => this.now,
    };
  }

  /** What is judged by where these come after the gate's own. */
  rulebook(further: readonly PlacedPolicy[] = []) {
    return compileRulebook([...this.#policies, ...further], { system: ["/usr"], actions: ACTIONS });
  }

  /** Somebody whom the kernel knows. */
  caller(parts: Partial<Maker> = {}): Maker {
    return {
      uid: UID,
      agent: { name: "root", pinned: false },
      operator: true,
      token: null,
      narrowing: [],
      rulebook: this.rulebook(),
      budget: this.budgets,
      approver: { ask: () => Promise.resolve({ answer: "approved", remember: "once" }) },
      ...parts,
    };
  }

  /** Somebody who came with a token. `approver`: his own connection, which must not be asked. */
  bearer(token: Token): Maker {
    return this.caller({
      uid: token.uid,
      agent: { name: token.agent, pinned: true },
      operator: false,
      token,
      rulebook: this.rulebook(token.policies),
      budget: token.budget,
    });
  }
}
