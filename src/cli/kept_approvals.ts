/** Approvals that outlive a single call: in the folder of Toolgate's own, where no tool can forge one. */

import type { CanonicalPath } from "../core/capability.ts";
import { type ApprovalStore, openApprovalStore } from "../host/storage/approval_store.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import { stateFolder } from "./state_folder.ts";

/**
 * Null where it cannot be had: no home, a read-only one, one that others may write to. Where `rulebook` lets tools write
 * there, an approval could be forged: then there is none either.
 */
export function approvalStore(rulebook: Rulebook | null): ApprovalStore | null {
  const folder = stateFolder();
  if (folder === null) return null;
  const path = `${folder}/approvals/ap.json` as CanonicalPath;
  if (rulebook !== null && rulebook.judgePath("write", path).effect !== "deny") return null;
  try {
    return openApprovalStore(`${folder}/approvals`, Date.now);
  } catch {
    return null;
  }
}
