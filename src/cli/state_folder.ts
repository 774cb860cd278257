/** Where Toolgate keeps what outlives a process and is no project's: approvals of single calls. */

import type { CanonicalPath } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { type ApprovalStore, openApprovalStore } from "../host/storage/approval_store.ts";
import { canonicalize } from "../host/paths/canonicalize.ts";
import type { Rulebook } from "../policy/rulebook.ts";

/** `$XDG_STATE_HOME/toolgate`, else below the home directory (XDG Base Directory Specification); null where there is neither. */
export function stateFolder(): CanonicalPath | null {
  const state = Deno.env.get("XDG_STATE_HOME");
  const home = Deno.env.get("HOME");
  const base = state?.startsWith("/") === true
    ? state
    : home?.startsWith("/") === true
    ? `${home}/.local/state`
    : null;
  if (base === null) return null;
  try {
    return canonicalize("/" as CanonicalPath, `${base}/toolgate`);
  } catch (error) {
    // A home that is no directory: there is no such place then.
    if (error instanceof ToolError) return null;
    throw error;
  }
}

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
