/** The surroundings of programs, taken from this process before any thread is restricted. */

import { baseEnvironment } from "../host/environment.ts";
import type { Settings } from "../policy/rulebook.ts";
import type { Program } from "../core/capability.ts";
import type { ProgramSurroundings } from "./thread_parts.ts";

/** Reads the variables that the policy passes, and makes the folder for temporary files where it wants one. */
export function surroundingsOf(
  settings: Settings,
  find: (name: string) => Program | null,
): ProgramSurroundings {
  const { environment, sandbox, shell } = settings;
  return {
    environment: baseEnvironment(environment),
    temporaryRoot: sandbox.temporary ? makeTemporaryRoot() : null,
    shell: shell === "sh" ? find("sh") : null,
    reasons: [],
    marker: crypto.randomUUID(),
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

/** Removes what {@linkcode surroundingsOf} made. */
export function removeSurroundings({ temporaryRoot }: ProgramSurroundings): void {
  if (temporaryRoot === null) return;
  try {
    Deno.removeSync(temporaryRoot, { recursive: true });
  } catch {
    // Left for the system's own sweep of temporary files.
  }
}
