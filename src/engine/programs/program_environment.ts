/** The programEnvironment of programs, taken from this process before any thread is restricted. */

import { newToken } from "../../host/kernel/run_marks.ts";
import { baseEnvironment } from "../../host/run/environment.ts";
import type { Settings } from "../../policy/rulebook.ts";
import type { Program } from "../../core/capability.ts";
import { ownProgram } from "../modules/own_program.ts";
import type { ProgramEnvironment } from "../pool/thread_parts.ts";

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
  const { environment, sandbox, shell } = settings;
  const base = baseEnvironment(environment);
  const passed = searchPath !== null && base.PATH !== undefined &&
    environment.set.PATH === undefined;
  return {
    environment: passed ? { ...base, PATH: searchPath } : base,
    temporaryRoot: sandbox.temporary ? makeTemporaryRoot() : null,
    shell: shell === "sh" ? find("sh") : null,
    reasons: [],
    searchPath: searchPath ?? "",
    own: ownProgram(settings.workspace),
    marker: crypto.randomUUID(),
    token: newToken(),
  };
}

/** Null where there is no place for it (a read-only root without TMPDIR): programs then have none, as without it. */
function makeTemporaryRoot(): string | null {
  try {
    return Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-" }));
  } catch {
    return null;
  }
}

/** Removes what {@linkcode programEnvironmentOf} made. */
export function removeProgramEnvironment({ temporaryRoot }: ProgramEnvironment): void {
  if (temporaryRoot === null) return;
  try {
    Deno.removeSync(temporaryRoot, { recursive: true });
  } catch {
    // Left for the system's own sweep of temporary files.
  }
}
