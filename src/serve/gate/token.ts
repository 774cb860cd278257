/** A token: what its bearer may do, which is never more than who made it. No secret stands here. */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { PermissionGroup } from "../../core/tool.ts";
import type { Approver } from "../../engine/approvals/approvals.ts";
import type { Budgets } from "../../engine/budgets.ts";
import { DelegatedBudget } from "../../engine/delegated_budget.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { DelegationError, policyOfDelegation } from "../../policy/delegation.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { PipeAgent } from "../_operations.ts";
import type { TokenTerms } from "../_read_token.ts";

/** A token that was made. */
export interface Token {
  /** `tk_1`: what it is called where it is listed and revoked. */
  readonly id: string;
  /** Who speaks by it. */
  readonly agent: string;
  /** The user by whom alone it can be shown. */
  readonly uid: number;
  /** Who made it, by the kernel's word and by name; `above`: the token that he came with himself. */
  readonly maker: { readonly uid: number; readonly agent: string };
  readonly above: Token | null;
  /** What it takes away, beside the gate's own policies: of those above, then its own. */
  readonly policies: readonly PlacedPolicy[];
  /** What is left of the permission groups. */
  readonly permissions: readonly PermissionGroup[];
  /** Tokens at most; null: as many as its maker has. */
  readonly tokens: number | null;
  readonly budget: Budgets;
  /** Who is asked where the policy wants somebody to agree: never who speaks by it. */
  readonly approver: Approver;
  /** Milliseconds since 1970; null: as long as the gate. */
  readonly expiresAt: number | null;
}

/** Who asks for a token. */
export interface Maker {
  readonly uid: number;
  readonly agent: PipeAgent;
  /** Whether he is the gate's own user, who may speak for anybody. */
  readonly operator: boolean;
  readonly token: Token | null;
  /** What holds for him beside the gate's own policies and his token's. */
  readonly narrowing: readonly PlacedPolicy[];
  /** What he may do, and what he has to spend. */
  readonly rulebook: Rulebook;
  readonly budget: Budgets;
  readonly approver: Approver;
}

/** What a gate's tokens have in common. */
export interface TokenPlace {
  readonly workspace: CanonicalPath;
  /** What the policies count. */
  readonly budgets: Budgets;
  /** Whether a user is heard at all. */
  readonly hears: (uid: number) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Tokens that are made with each other: each is one more policy. */
const MOST_ABOVE = 8;

/**
 * The token of these terms. `alive`: throws once it is good for nothing. Throws PERMISSION_DENIED for what its maker
 * cannot give, INVALID_REQUEST for what is no glob or pattern.
 */
export function delegate(
  maker: Maker,
  terms: TokenTerms,
  { id, alive, place, named = false }: {
    readonly id: string;
    readonly alive: () => void;
    readonly place: TokenPlace;
    /** Whether it is the gate that gives the name. */
    readonly named?: boolean;
  },
): Token {
  const above = maker.token;
  const agent = named && terms.agent !== null ? terms.agent : agentOf(maker, terms);
  const uid = terms.uid ?? maker.uid;
  if (uid !== maker.uid && !place.hears(uid)) {
    throw denied(`uid: this gate does not hear user ${uid}, with a token or without`);
  }
  if ((above?.policies.length ?? 0) >= MOST_ABOVE) {
    throw denied(`at most ${MOST_ABOVE} tokens are made with each other in a row`);
  }
  const given = permissionsOf(maker, terms);
  const own = maker.rulebook.permissionsOf(agent);
  if (own === null) {
    throw denied(`agent: no rule of the policy's agents names ${quoted(agent)}; name it there`);
  }
  const expiresAt = terms.expiresMs === null ? null : place.now() + terms.expiresMs;
  const ends = [expiresAt, above?.expiresAt ?? null].filter((end) => end !== null);
  return {
    id,
    agent,
    uid,
    maker: { uid: maker.uid, agent: maker.agent.name },
    above,
    policies: [...above?.policies ?? [], ...maker.narrowing, {
      source: `token ${id}`,
      policy: policyOf({ ...terms, permissions: given }),
      workspace: place.workspace,
    }],
    permissions: given.filter((group) => own.includes(group)),
    tokens: terms.tokens,
    budget: new DelegatedBudget({
      agent,
      tokens: terms.tokens,
      above: maker.budget,
      maker: maker.agent.name,
      policies: isCountedAbove(maker, agent) ? null : place.budgets,
      alive,
    }),
    approver: above?.approver ?? maker.approver,
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
  };
}

/** Who asks by another name than his connection has: that one, with no more than it has itself. */
export function asAgent(maker: Maker, name: string): Maker {
  if (name === maker.agent.name) return maker;
  return { ...maker, agent: { name, pinned: true }, operator: false };
}

/** Whether a token is one of those that were made with another, or that one itself. */
export function isBelow(token: Token, other: Token): boolean {
  for (let one: Token | null = token; one !== null; one = one.above) if (one === other) return true;
  return false;
}

/** The name in the log, and whose budget is charged: who is held to his own name cannot borrow another's. */
function agentOf({ agent, operator, token }: Maker, terms: TokenTerms): string {
  const name = terms.agent ?? agent.name;
  const free = token === null && (operator || !agent.pinned);
  if (free || name === agent.name || name.startsWith(`${agent.name}-`)) return name;
  throw denied(`agent: yours are ${agent.name} and names that begin with ${agent.name}-`);
}

function permissionsOf(
  { rulebook, agent }: Maker,
  { permissions }: TokenTerms,
): readonly PermissionGroup[] {
  const mine = rulebook.permissionsOf(agent.name) ?? [];
  const missing = permissions?.filter((group) => !mine.includes(group)) ?? [];
  if (missing.length === 0) return permissions ?? mine;
  throw denied(
    `permissions: ${missing.join(", ")} cannot be handed on by ${quoted(agent.name)}, who has ` +
      (mine.length === 0 ? "none" : mine.join(", ")),
  );
}

function policyOf(delegation: Parameters<typeof policyOfDelegation>[0]) {
  try {
    return policyOfDelegation(delegation);
  } catch (error) {
    if (!(error instanceof DelegationError)) throw error;
    throw new ToolError("INVALID_REQUEST", error.message);
  }
}

/** Names are counted once: for a token of one's own name who made it counts already. */
function isCountedAbove({ agent, token }: Maker, name: string): boolean {
  if (agent.name === name) return true;
  for (let one = token; one !== null; one = one.above) {
    if (one.agent === name || one.maker.agent === name) return true;
  }
  return false;
}

function denied(message: string): ToolError {
  return new ToolError("PERMISSION_DENIED", message);
}
