/** From the words of a request to what they name on this machine: paths canonical, programs found. */

import type { CanonicalPath, Capability, ResolvedCapability } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { canonicalize } from "../host/canonicalize.ts";
import type { ProgramSupport } from "./program_support.ts";

export interface CapabilityResolver {
  /** Throws a ToolError where a path cannot be resolved (loops, too long, not a directory on the way). */
  resolve(capabilities: readonly Capability[]): readonly ResolvedCapability[];
}

export function createResolver(
  workspace: CanonicalPath,
  programs: () => ProgramSupport,
): CapabilityResolver {
  const resolveOne = (capability: Capability): ResolvedCapability => {
    switch (capability.kind) {
      case "fs.read":
      case "fs.write": {
        const { path: requested } = capability;
        return { ...capability, requested, path: canonicalize(workspace, requested) };
      }
      case "process.spawn":
        return programs().resolve(capability);
      case "net.connect":
      case "env.read":
        return capability;
    }
  };
  return {
    resolve: (capabilities) =>
      capabilities.flatMap((capability) => {
        try {
          return [resolveOne(capability)];
        } catch (error) {
          // What cannot be resolved is left out where the call can do without it.
          if (error instanceof ToolError && "optional" in capability) return [];
          throw error;
        }
      }),
  };
}
