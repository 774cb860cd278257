/** `approvals`: what single calls have asked for, and the answers to it. */

import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { ApprovalStore, StoredApproval } from "../../host/storage/approval_store.ts";
import type { Invocation } from "../invocation.ts";
import { formatOf } from "../format.ts";
import { approvalStore } from "../kept_approvals.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** `approvals list|approve|reject|revoke`; gives the exit status. */
export function approvals(invocation: Invocation): Promise<number> {
  const [action = "list", ...ids] = invocation.words;
  if ((action === "list") !== (ids.length === 0)) {
    throw new UsageError("approvals takes list, or approve, reject or revoke with approvals");
  }
  const store = approvalStore(null);
  if (store === null) {
    throw new UsageError(
      "there is no place for approvals: HOME or XDG_STATE_HOME must be writable",
    );
  }
  const format = formatOf(invocation);
  if (ids.length === 0) {
    const found = store.list();
    print(format === "json" ? JSON.stringify(found) : table(found));
    return Promise.resolve(EXIT.success);
  }
  change(store, action, ids, invocation.switches.has("remember"));
  return Promise.resolve(EXIT.success);
}

/** All of them, or none where one cannot be. */
function change(
  store: ApprovalStore,
  action: string,
  ids: readonly string[],
  remembered: boolean,
): void {
  const open = new Map(store.list().map((known) => [known.id, known]));
  const found = ids.map((id) => {
    const known = open.get(id);
    if (known !== undefined) return known;
    throw new UsageError(
      `no approval ${JSON.stringify(id)} is open; approvals list shows those that are`,
    );
  });
  switch (action) {
    case "approve": {
      const once = remembered
        ? found.find(({ onceBecause }) => (onceBecause ?? null) !== null)
        : undefined;
      if (once !== undefined) {
        throw new UsageError(
          `${once.id} cannot be remembered: ${once.onceBecause}; approve it without --remember`,
        );
      }
      for (const known of found) store.put({ ...known, status: "approved", remembered });
      return;
    }
    case "reject":
      for (const known of found) store.put({ ...known, status: "rejected", remembered: false });
      return;
    case "revoke":
      for (const { id } of found) store.remove(id);
      return;
    default:
      throw new UsageError(
        `approvals takes list, approve, reject or revoke, not ${JSON.stringify(action)}`,
      );
  }
}

function table(found: readonly StoredApproval[]): string {
  if (found.length === 0) return "nothing is asked for";
  return found.map(({ id, agent, description, risk, status, remembered, expiresAt }) =>
    `${id}  ${status}${remembered ? ", remembered" : ""}  until ${
      new Date(expiresAt).toISOString()
    }\n` +
    `  ${printable(description, 300)} (${risk}, asked by ${printable(agent, 80)})`
  ).join("\n");
}
