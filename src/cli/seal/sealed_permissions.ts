/** From a policy to the permissions of the binary that is sealed with it. */

import { isAbsolute, join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { compileRulebook } from "../../policy/compile_rulebook.ts";
import type { LoadedPolicy } from "../../policy/model.ts";
import { type PermissionLists, permissionLists } from "../../sandbox/permission_flags.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";

/** Stands for the directory of a later start: nobody names a path like it. */
const START = "/ directory of the start" as CanonicalPath;

/**
 * Exactly what the policy can allow. Throws Error for a workspace above or beside the directory that the binary will be
 * started in, which no permission can name before that is known.
 */
export function sealedPermissions({ source, policy }: LoadedPolicy): PermissionLists {
  const named = policy.workspace ?? ".";
  const workspace = isAbsolute(named) ? named : join(START, named).replace(/\/$/, "");
  if (!isAbsolute(named) && workspace !== START && !workspace.startsWith(`${START}/`)) {
    throw new Error(
      `${source}: workspace: ${named} leads out of the directory that the binary is started in; ` +
        "a sealed build takes an absolute path, or one below that directory",
    );
  }
  const { scope, settings } = compileRulebook(
    [{ source, policy, workspace: workspace as CanonicalPath }],
    { system: SYSTEM_PATHS },
  );
  return permissionLists(scope, { ...settings, workspace: START });
}
