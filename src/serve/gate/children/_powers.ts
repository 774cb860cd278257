/** What a child may, as long as it goes on. */

import { ToolError } from "../../../core/errors.ts";
import type { Budgets } from "../../../engine/budgets.ts";
import type { ChildrenRule } from "../../../policy/model.ts";
import type { Maker } from "../token.ts";
import type { Child } from "./child.ts";

/** Whether a child was made by another, or by one that was. */
export function isBelow(child: Child, other: Child): boolean {
  for (let one = child.parent; one !== null; one = one.parent) if (one === other) return true;
  return false;
}

/** Whether one that has no child above it is his who asks: by user, name and token, whatever connection he comes by. */
export function isOwner({ owner }: Child, { uid, agent, token }: Maker): boolean {
  return owner.uid === uid && owner.agent === agent.name && owner.token === (token?.id ?? null);
}

/** What its working files are. */
export type Isolation = ChildrenRule["isolation"];

/** The policy's, or more of it: throws PERMISSION_DENIED for less. */
export function isolationOf(rule: ChildrenRule, asked: Isolation = rule.isolation): Isolation {
  if (asked === "clone" || rule.isolation === "worktree") return asked;
  throw new ToolError(
    "PERMISSION_DENIED",
    "isolation: the policy says clone (children.isolation), and a worktree has more in common with the workspace",
  );
}

/** Of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "it cannot be told why";
}

/** Throws PERMISSION_DENIED for who is ending. */
export function requireGoing({ id, ending }: Child): void {
  if (ending === null) return;
  throw new ToolError("PERMISSION_DENIED", `agent ${id} is ending; nothing more is done for it`);
}

/** A budget that ends who has spent it. */
export function ending(budget: Budgets, end: (why: string) => void): Budgets {
  return {
    charge(agent, tokens) {
      try {
        budget.charge(agent, tokens);
      } catch (error) {
        if (error instanceof ToolError && error.code === "RESOURCE_LIMIT") end(error.message);
        throw error;
      }
    },
    report: () => budget.report(),
  };
}
