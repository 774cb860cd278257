/**
 * What calls that start programs need and others do not: finding programs, the operands of commands, kernel rules
 * for programs, their programEnvironment. Loaded with the first such call.
 */

import type { CanonicalPath, ResolvedSpawnCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { deepestFolder } from "../../host/paths/entry_type.ts";
import { createKernelProbe } from "../../host/paths/path_probe.ts";
import { createLandlockPaths } from "../../host/scan/landlock_paths.ts";
import { createProgramFinder, type NearPrograms } from "../../host/run/program_search.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Bubblewrap } from "../../sandbox/bubblewrap.ts";
import type { SpawnBoundary } from "../../sandbox/boundary.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { openSpawner } from "../../sandbox/spawner.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { startGuardian } from "./_guardian.ts";
import { MARKER } from "./job_programs.ts";
import { ProgramSharing } from "./program_sharing.ts";
import type { Follower, SharedWatch, WatchKernel } from "./shared_watch.ts";
import { ProcessWatch } from "./process_watch.ts";
import { missingNetwork } from "../judge/missing_network.ts";
import { createSpawnResolver, type SpawnResolver } from "../judge/resolve_spawn.ts";
import { programEnvironmentOf } from "./program_environment.ts";
import type { ProgramEnvironment } from "../pool/thread_parts.ts";

/** All that starting programs takes, made when the first is judged. */
export interface ProgramSupport {
  readonly programEnvironment: ProgramEnvironment;
  /** System calls, for all that starts programs on this thread; null where none were given. */
  readonly libc: Libc | null;
  /** What programs may read and execute beyond the workspace. */
  readonly system: readonly string[];
  readonly resolve: SpawnResolver;
  /** What a bare name that means no program may have been meant to be. */
  near(name: string): NearPrograms;
  /** See `CapabilityResolver`. */
  missingNetwork(tool: string, spawn: ResolvedSpawnCapability): ToolError | null;
  /** What each program may touch, as the workspace is now; `state` changes when it does. */
  boundary(): { readonly spawn: SpawnBoundary; readonly state: string };
  /**
   * What holds a thread that starts programs: the ground of all of them where each holds itself, else what each may
   * touch.
   */
  ofThread(): { readonly spawn: SpawnBoundary; readonly state: string };
  /** Watches over what is started, for all who ask; null where the C library cannot be called. */
  watch(follower: Follower, kernel?: WatchKernel): SharedWatch | null;
  close(): void;
}

/**
 * @param bubblewrap What trying it gave; null where the policy does not want it.
 * @param libc System calls of this thread: programs are looked for by them, and without them by the runtime, three times as
 * long.
 */
export function createProgramSupport(
  rulebook: Rulebook,
  bubblewrap: Bubblewrap | null,
  sharing = new ProgramSharing(),
  libc: Libc | null = null,
): ProgramSupport {
  const { scope, settings } = rulebook;
  const { workspace, sandbox } = settings;
  const system = sandbox.system ?? SYSTEM_PATHS;
  const probe = libc === null ? {} : { probe: createKernelProbe(libc) };
  const finder = createProgramFinder(workspace, system, probe);
  const landlockPaths = createLandlockPaths(rulebook);
  const programEnvironment = {
    ...programEnvironmentOf(
      settings,
      (name) => finder.find(name, workspace),
      finder.searchPath,
      sharing,
    ),
    reasons: bubblewrap?.works === false ? [bubblewrap.reason] : [],
  };
  const { temporaryRoot, caches, shell } = programEnvironment;
  /**
   * Looked for once: those that are not there would be looked for in every folder each time. One that is installed
   * later is found when a call names it, and given to the thread then.
   */
  const programsOf = (): readonly string[] | "any" => {
    if (scope.programs === "any") return "any";
    const found = scope.programs.flatMap((name) => finder.find(name, workspace)?.start ?? []);
    return [...new Set(shell === null ? found : [...found, shell.start])];
  };
  let programs: readonly string[] | "any" | null = null;
  /** Whether programs are started by the launcher. */
  let launches: boolean | null = null;
  const folders = [temporaryRoot, caches].filter((path) => path !== null) as CanonicalPath[];
  const withFolders = (write: readonly CanonicalPath[]): readonly CanonicalPath[] => [
    ...write,
    ...folders,
  ];
  const common = () => ({
    programs: programs ??= programsOf(),
    system,
    network: sandbox.network === "allow",
    ...(temporaryRoot === null ? {} : { temporary: temporaryRoot as CanonicalPath }),
  });
  const bounded: ProgramSupport["boundary"] = () => {
    if (sandbox.bubblewrap === "required" && bubblewrap?.works !== true) {
      throw new ToolError(
        "NATIVE_DENIED",
        `sandbox.bubblewrap is "required": ${bubblewrap?.reason ?? "it was not tried"}; ` +
          "auto or off let the kernel's rules hold programs",
      );
    }
    const { read, write, list, fingerprint } = landlockPaths.list();
    return {
      spawn: {
        ...common(),
        read,
        write: withFolders(write),
        list,
        ...(bubblewrap?.works === true ? { bubblewrap: bubblewrap.path } : {}),
      },
      state: fingerprint,
    };
  };
  const watching = sharing.watching((follower, kernel) => {
    const calls = kernel?.libc ?? libc ?? openLibc();
    if (calls === null) return null;
    const { marker, token, root: folder } = sharing;
    const { limits } = settings;
    const watch = new ProcessWatch({ ...follower, libc: calls, marker, token, limits });
    const spawner = kernel?.spawner ?? openSpawner();
    const leavings = { marker: `${MARKER}=${marker}.`, token, folder };
    if (spawner !== null) watch.guard(startGuardian(calls, spawner, leavings));
    return watch;
  });
  return {
    programEnvironment,
    libc,
    system,
    resolve: createSpawnResolver(rulebook, (name, cwd) => finder.find(name, cwd)),
    near: (name) => finder.near(name),
    missingNetwork: (tool, spawn) => missingNetwork(tool, spawn, rulebook),
    boundary: bounded,
    ofThread() {
      const bubblewrapped = sandbox.bubblewrap === "required" || bubblewrap?.works === true;
      launches ??= (libc ?? openLibc()) !== null && openSpawner({ keepsFfi: true }) !== null;
      if (bubblewrapped || !launches) return bounded();
      const write = [...new Set(scope.write.map(deepestFolder))];
      const coarse = true;
      return {
        spawn: { ...common(), read: scope.read, write: withFolders(write), list: [], coarse },
        state: write.join("\0"),
      };
    },
    watch: (follower, kernel) => watching.join(follower, kernel),
    close() {
      landlockPaths.close();
      if (temporaryRoot !== null) sharing.leaveTemporary(temporaryRoot);
    },
  };
}
