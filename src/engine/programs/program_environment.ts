/** The programEnvironment of programs, taken from this process before any thread is restricted. */

import { baseEnvironment } from "../../host/run/environment.ts";
import type { Settings } from "../../policy/rulebook.ts";
import type { Program } from "../../core/capability.ts";
import { ownProgram } from "../modules/own_program.ts";
import type { ProgramEnvironment } from "../pool/thread_parts.ts";
import { openCaches } from "./_caches.ts";
import { writeGitConfig } from "./_git_config.ts";
import { writeHookStandIns } from "./_hook_stand_ins.ts";
import { ProgramSharing } from "./program_sharing.ts";

/**
 * Reads the variables that the policy passes, and makes the folder for temporary files where it wants one. A `PATH` that
 * is passed has the folders in which Toolgate itself finds programs: one that looks for itself there (Python) would
 * else find another, which it may not run.
 */
export function programEnvironmentOf(
  settings: Settings,
  find: (name: string) => Program | null,
  searchPath: string | null,
  sharing = new ProgramSharing(),
): ProgramEnvironment {
  const { environment, git, sandbox, shell, workspace } = settings;
  const temporaryRoot = sandbox.temporary ? sharing.takeTemporary() : null;
  const gitConfig = temporaryRoot === null || environment.pass.includes(GIT_CONFIG) ||
      Object.hasOwn(environment.set, GIT_CONFIG)
    ? null
    : writeGitConfig(temporaryRoot, git.identity);
  const hookStandIns = temporaryRoot === null || git.hooks === "deny"
    ? null
    : writeHookStandIns(temporaryRoot);
  const caches = openCaches(sandbox.caches, workspace, userId);
  const alone = caches !== null && sandbox.network === "deny" ? WITHOUT_NETWORK : {};
  const given: Readonly<Record<string, string>> = { ...alone, ...baseEnvironment(environment) };
  const base = gitConfig === null ? given : { ...given, [GIT_CONFIG]: gitConfig };
  const passed = searchPath !== null && base.PATH !== undefined &&
    environment.set.PATH === undefined;
  return {
    environment: passed ? { ...base, PATH: searchPath } : base,
    temporaryRoot,
    caches,
    gitConfig,
    hookStandIns,
    shell: shell === "sh" ? find("sh") : null,
    reasons: [],
    searchPath: searchPath ?? "",
    own: ownProgram(workspace),
    marker: sharing.marker,
    token: sharing.token,
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

/** npm waits up to a minute between tries to reach what nobody lets it reach (npm-config(7), fetch-retries). */
const WITHOUT_NETWORK = { npm_config_fetch_retries: "0" };

/** git(1), Environment Variables */
const GIT_CONFIG = "GIT_CONFIG_GLOBAL";
