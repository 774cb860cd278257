/** `exec` with redirections and no program: what follows in its shell runs with them. */

import type { PlanNode, SimplePlan } from "../core/plan.ts";
import { certainText, holdsCommand } from "./certain.ts";
import { Refused } from "./_constructs.ts";
import { NO_SETTINGS } from "./_settings.ts";

type Items = Extract<PlanNode, { readonly kind: "list" }>["items"];

/** Whether it is one. The parser lets it stand in the list of a shell alone. */
function isExec(node: PlanNode): node is SimplePlan {
  return node.kind === "simple" && node.words.length === 1 &&
    certainText(node.words[0]!) === "exec";
}

/** The list of a shell with all that follows such an `exec` in a group that has its redirections. */
export function withinExec(items: Items): Items {
  const at = items.findIndex(({ node }) => isExec(node));
  const node = items[at]?.node;
  if (node === undefined || !isExec(node)) return items;
  const rest = withinExec(items.slice(at + 1));
  // Whether it is done hangs on a command, or what is done at the end would be told elsewhere.
  const ends = items.some((one) => holdsCommand(one.node, ["trap"]));
  if (items[at]!.when !== "always" || ends) throw new Refused("exec", node.position);
  const group: PlanNode = {
    kind: "group",
    subshell: false,
    settings: NO_SETTINGS,
    body: { kind: "list", items: rest },
    redirections: node.redirections,
    rest: true,
  };
  return [...items.slice(0, at), { when: "always", node: group }];
}
