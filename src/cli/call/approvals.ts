/** `approvals`: what single calls have asked for, and the answers to it. */

import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { ApprovalStore, StoredApproval } from "../../host/storage/approval_store.ts";
import type { Invocation } from "../invocation.ts";
import { formatOf } from "../session.ts";
import { approvalStore } from "../state_folder.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** `approvals list|approve|reject|revoke`; gives the exit status. */
export function approvals(invocation: Invocation): Promise<number> {
  const [action = "list", id, ...rest] = invocation.words;
  if (rest.length > 0 || (action === "list") !== (id === undefined)) {
    throw new UsageError("approvals takes list, or approve, reject or revoke with an approval");
  }
  const store = approvalStore(null);
  if (store === null) {
    throw new UsageError(
      "there is no place for approvals: HOME or XDG_STATE_HOME must be writable",
    );
  }
  const format = formatOf(invocation);
  if (id === undefined) {
    const found = store.list();
    print(format === "json" ? JSON.stringify(found) : table(found));
    return Promise.resolve(EXIT.success);
  }
  return Promise.resolve(change(store, action, id, invocation.switches.has("remember")));
}

function change(store: ApprovalStore, action: string, id: string, remembered: boolean): number {
  const found = store.list().find((known) => known.id === id);
  if (found === undefined) {
    throw new UsageError(
      `no approval ${JSON.stringify(id)} is open; approvals list shows those that are`,
    );
  }
  switch (action) {
    case "approve":
      if (remembered && (found.onceBecause ?? null) !== null) {
        throw new UsageError(
          `it cannot be remembered: ${found.onceBecause}; approve it without --remember`,
        );
      }
      store.put({ ...found, status: "approved", remembered });
      return EXIT.success;
    case "reject":
      store.put({ ...found, status: "rejected", remembered: false });
      return EXIT.success;
    case "revoke":
      store.remove(id);
      return EXIT.success;
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
