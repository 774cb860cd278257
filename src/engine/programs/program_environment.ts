/** The programEnvironment of programs, taken from this process before any thread is restricted. */

import { newToken } from "../../host/kernel/run_marks.ts";
import { baseEnvironment } from "../../host/run/environment.ts";
import { removeTree } from "../../host/run/temporary.ts";
import type { Settings } from "../../policy/rulebook.ts";
import type { Program } from "../../core/capability.ts";
import { ownProgram } from "../modules/own_program.ts";
import type { ProgramEnvironment } from "../pool/thread_parts.ts";
import { openCaches } from "./_caches.ts";
import { writeGitConfig } from "./_git_config.ts";

/**
 * Reads the variables that the policy passes, and makes the folder for temporary files where it wants one. A `PATH` that
 * is passed has the folders in which Toolgate itself finds programs: one that looks for itself there (Python) would
 * else find another, which it may not run.
 */
export function programEnvironmentOf(
  settings: Settings,
  find: (name: string) => Program | null,
  searchPath: string | null,
): ProgramEnvironment {
  const { environment, git, sandbox, shell, workspace } = settings;
  const temporaryRoot = sandbox.temporary ? makeTemporaryRoot() : null;
  const gitConfig = temporaryRoot === null || environment.pass.includes(GIT_CONFIG) ||
      Object.hasOwn(environment.set, GIT_CONFIG)
    ? null
    : writeGitConfig(temporaryRoot, git.identity);
  const given = baseEnvironment(environment);
  const base = gitConfig === null ? given : { ...given, [GIT_CONFIG]: gitConfig };
  const passed = searchPath !== null && base.PATH !== undefined &&
    environment.set.PATH === undefined;
  return {
    environment: passed ? { ...base, PATH: searchPath } : base,
    temporaryRoot,
    caches: openCaches(sandbox.caches, workspace, userId),
    gitConfig,
    shell: shell === "sh" ? find("sh") : null,
    reasons: [],
    searchPath: searchPath ?? "",
    own: ownProgram(workspace),
    marker: crypto.randomUUID(),
    token: newToken(),
  };
}

/** proc(5): its entries belong to whom the process acts as. */
function userId(): number | null {
  try {
    return Deno.statSync("/proc/self").uid;
  } catch {
    return null;
  }
}

/** git(1), Environment Variables */
const GIT_CONFIG = "GIT_CONFIG_GLOBAL";

/** Null where there is no place for it (a read-only root without TMPDIR): programs then have none, as without it. */
function makeTemporaryRoot(): string | null {
  try {
    return Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-" }));
  } catch {
    return null;
  }
}

/** Removes what {@linkcode programEnvironmentOf} made for its time. */
export function removeProgramEnvironment({ temporaryRoot }: ProgramEnvironment): void {
  if (temporaryRoot !== null) removeTree(temporaryRoot);
}
