/** From a policy to the permission flags of the binary that is sealed with it. */

import { isAbsolute, join } from "@std/path";
import type { CanonicalPath } from "../src/core/capability.ts";
import { compileRulebook } from "../src/policy/compile_rulebook.ts";
import type { LoadedPolicy } from "../src/policy/model.ts";
import { permissionFlags } from "../src/sandbox/permission_flags.ts";
import { SYSTEM_PATHS } from "../src/sandbox/system_paths.ts";

/** Stands for the directory of a later start: nobody names a path like it. */
const START = "/ directory of the start" as CanonicalPath;

/**
 * Flags for exactly what the policy can allow. Throws Error for a workspace above or beside the directory
 * that the binary will be started in, which no flag can name before that is known.
 */
export function sealedFlags({ source, policy }: LoadedPolicy): readonly string[] {
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
  return permissionFlags(scope, { ...settings, workspace: START });
}
