/** Where Toolgate keeps what outlives a process and is no project's: approvals of single calls, policies as they were parsed. */

import type { CanonicalPath } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { canonicalize } from "../host/paths/canonicalize.ts";

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
