/** Which permission groups a call needs, by what it does: who may read does not write by a tool that can do both. */

import type { PermissionGroup } from "../../core/tool.ts";

/**
 * That of the tool; beside it `file_write` where a tool of `file_read` writes. Null where the tool is for all agents.
 */
export function groupsOf(
  permission: PermissionGroup | null,
  capabilities: readonly { readonly kind: string }[],
): readonly (PermissionGroup | null)[] {
  const writes = capabilities.some(({ kind }) => kind === "fs.write");
  return permission === "file_read" && writes ? [permission, "file_write"] : [permission];
}
