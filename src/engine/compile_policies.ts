/** Compiles policies for this machine and these tools: the same on the main thread and on workers. */

import { compileRulebook, type PlacedPolicy } from "../policy/compile_rulebook.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import { nameBehind } from "../plugins/manifest.ts";
import { DEVICES, SYSTEM_PATHS } from "../sandbox/system_paths.ts";
import type { Registry } from "../tools/registry.ts";

/** Throws where the policies contradict each other. */
export function compilePolicies(policies: readonly PlacedPolicy[], registry: Registry): Rulebook {
  return compileRulebook(policies, {
    system: SYSTEM_PATHS,
    devices: DEVICES.map(({ path }) => path),
    caseInsensitive: isCaseInsensitive(),
    // A custom tool can be ruled on before it is registered.
    canonicalToolName: (name) => registry.canonicalName(name) ?? nameBehind(name) ?? name,
  });
}

/** Whether file systems ignore case here. */
export function isCaseInsensitive(): boolean {
  return Deno.build.os === "darwin" || Deno.build.os === "windows";
}
