/** From the words of a request to what they name on this machine: paths canonical, programs found. */

import type {
  CanonicalPath,
  Capability,
  FileCapability,
  ResolvedCapability,
  ResolvedFileCapability,
  ResolvedSpawnCapability,
  SpawnCapability,
} from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { canonicalEntry } from "../../host/paths/canonicalize.ts";
import { entryType } from "../../host/paths/entry_type.ts";
import type { NearPrograms } from "../../host/run/program_search.ts";
import { type PathProbe, RUNTIME_PROBE } from "../../host/paths/path_probe.ts";
import { createRequestProbe, type RequestProbeOptions } from "../../host/paths/request_probe.ts";
import type { SpawnResolver } from "./resolve_spawn.ts";
import { atOnce, type Steps } from "../turns.ts";

/** Finds what capabilities name: each path where it really is, each program where it lies. */
export interface CapabilityResolver {
  /**
   * Throws a ToolError where a path cannot be resolved (loops, too long, not a directory on the way), and RESOURCE_LIMIT
   * where all of them together take too long.
   */
  resolve(capabilities: readonly Capability[]): readonly ResolvedCapability[];
  /** The same in steps, for whoever has others to answer in between. */
  resolveInSteps(capabilities: readonly Capability[]): Steps<readonly ResolvedCapability[]>;
  /** What a bare name that means no program may have been meant to be. */
  near(name: string): NearPrograms;
  /** NETWORK_DENIED for a command that does nothing without a network that no program has; else null. */
  missingNetwork(tool: string, spawn: ResolvedSpawnCapability): ToolError | null;
}

/** Finds programs, and what they would reach. */
export interface ProgramResolver {
  readonly resolve: SpawnResolver;
  /** Left out where nobody is told. */
  readonly near?: (name: string) => NearPrograms;
  /** As the resolver's; left out where that was looked at before. */
  readonly missingNetwork?: CapabilityResolver["missingNetwork"];
}

/** How a resolver looks at paths; see {@linkcode createRequestProbe}. */
export interface ResolverOptions extends Pick<RequestProbeOptions, "straight" | "there"> {
  readonly probe?: PathProbe;
}

/** The resolver of a workspace. `programs` is called with the first command. */
export function createResolver(
  workspace: CanonicalPath,
  programs: () => ProgramResolver,
  { probe = RUNTIME_PROBE, ...looks }: ResolverOptions = {},
): CapabilityResolver {
  const isFolder = (folder: string, probe: PathProbe): boolean => {
    try {
      return probe.isDirectory(probe.canonicalize(workspace, folder));
    } catch (error) {
      // A way that does not end leads to none.
      if (error instanceof ToolError && error.code !== "RESOURCE_LIMIT") return false;
      throw error;
    }
  };
  const resolveFile = (
    capability: FileCapability,
    probe: PathProbe,
  ): readonly ResolvedFileCapability[] => {
    const { within, ...asked } = capability;
    const { entry, by } = asked;
    const requested = within !== undefined && isFolder(within.folder, probe)
      ? within.path
      : asked.path;
    const leads = probe.canonicalize(workspace, requested);
    const path = entry === true ? canonicalEntry(workspace, requested, probe.canonicalize) : leads;
    // Of arguments alone it cannot be said whether they name a directory, which rules on endings leave alone.
    const tree = capability.tree || (by === "program" && probe.isDirectory(path));
    const resolved: ResolvedFileCapability = {
      ...asked,
      requested,
      path,
      tree,
      ...(tree && isOrBecomesDirectory(path, workspace, probe) ? { directory: true } : {}),
    };
    return path === leads ? [resolved] : [resolved, {
      kind: capability.kind,
      requested,
      path: leads,
      tree: false,
      judgedOnly: true,
    }];
  };
  const resolveOne = (
    capability: PlainCapability,
    probe: PathProbe,
    found: ResolvedCapability[],
  ): void => {
    if (capability.kind === "net.connect" || capability.kind === "env.read") {
      found.push(capability);
      return;
    }
    try {
      found.push(...resolveFile(capability, probe));
    } catch (error) {
      leaveOut(capability, error);
    }
  };
  function* resolveAll(
    capabilities: readonly Capability[],
    probe: PathProbe,
    found: ResolvedCapability[],
  ): Steps<void> {
    for (const capability of capabilities) {
      if (capability.kind !== "process.spawn") {
        resolveOne(capability, probe, found);
      } else {
        try {
          const { spawn, reached } = yield* programs().resolve(capability, probe);
          found.push(spawn);
          yield* resolveAll(reached, probe, found);
        } catch (error) {
          leaveOut(capability, error);
        }
      }
      yield;
    }
  }
  function* steps(capabilities: readonly Capability[]): Steps<readonly ResolvedCapability[]> {
    const found: ResolvedCapability[] = [];
    yield* resolveAll(capabilities, createRequestProbe(probe, looks), found);
    return found;
  }
  return {
    resolve(capabilities) {
      if (!startNothing(capabilities)) return atOnce(steps(capabilities));
      const found: ResolvedCapability[] = [];
      const own = createRequestProbe(probe, looks);
      for (const capability of capabilities) resolveOne(capability, own, found);
      return found;
    },
    resolveInSteps: steps,
    missingNetwork: (tool, spawn) => programs().missingNetwork?.(tool, spawn) ?? null,
    near: (name) => programs().near?.(name) ?? { names: [], untrusted: null },
  };
}

/** What takes no look for programs. */
type PlainCapability = Exclude<Capability, SpawnCapability>;

function startNothing(
  capabilities: readonly Capability[],
): capabilities is readonly PlainCapability[] {
  for (const { kind } of capabilities) if (kind === "process.spawn") return false;
  return true;
}

/** What cannot be resolved is left out where the call can do without it, or no program can reach it. Throws elsewhere. */
function leaveOut(capability: Capability, error: unknown): void {
  const spared = "optional" in capability || "by" in capability;
  const spent = error instanceof ToolError && error.code === "RESOURCE_LIMIT";
  if (!(error instanceof ToolError) || !spared || spent) throw error;
}

/** What is not there yet counts: as a file it would be judged again when it is opened. */
function isOrBecomesDirectory(
  path: CanonicalPath,
  workspace: CanonicalPath,
  probe: PathProbe,
): boolean {
  // The probe knows what is not there without an error of the runtime for each.
  if (!probe.exists(workspace, path)) return true;
  const type = entryType(path);
  return type === "directory" || type === null;
}
