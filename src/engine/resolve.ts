/** From the words of a request to what they name on this machine: paths canonical, programs found. */

import type {
  CanonicalPath,
  Capability,
  FileCapability,
  ResolvedCapability,
  ResolvedFileCapability,
} from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { canonicalEntry, canonicalize } from "../host/canonicalize.ts";
import { entryType } from "../host/entry_type.ts";
import type { ProgramSupport } from "./program_support.ts";

export interface CapabilityResolver {
  /** Throws a ToolError where a path cannot be resolved (loops, too long, not a directory on the way). */
  resolve(capabilities: readonly Capability[]): readonly ResolvedCapability[];
}

export function createResolver(
  workspace: CanonicalPath,
  programs: () => ProgramSupport,
): CapabilityResolver {
  const resolveFile = (capability: FileCapability): readonly ResolvedFileCapability[] => {
    const { path: requested, tree, entry } = capability;
    const leads = canonicalize(workspace, requested);
    const path = entry === true ? canonicalEntry(workspace, requested) : leads;
    const resolved: ResolvedFileCapability = {
      ...capability,
      requested,
      path,
      ...(tree && isOrBecomesDirectory(path) ? { directory: true } : {}),
    };
    return path === leads ? [resolved] : [resolved, {
      kind: capability.kind,
      requested,
      path: leads,
      tree: false,
      judgedOnly: true,
    }];
  };
  const resolveOne = (capability: Capability): readonly ResolvedCapability[] => {
    switch (capability.kind) {
      case "fs.read":
      case "fs.write":
        return resolveFile(capability);
      case "process.spawn":
        return [programs().resolve(capability)];
      case "net.connect":
      case "env.read":
        return [capability];
    }
  };
  return {
    resolve: (capabilities) =>
      capabilities.flatMap((capability) => {
        try {
          return resolveOne(capability);
        } catch (error) {
          // What cannot be resolved is left out where the call can do without it.
          if (error instanceof ToolError && "optional" in capability) return [];
          throw error;
        }
      }),
  };
}

/** What is not there yet counts: as a file it would be judged again when it is opened. */
function isOrBecomesDirectory(path: CanonicalPath): boolean {
  const type = entryType(path);
  return type === "directory" || type === null;
}
