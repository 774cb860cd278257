/** How Toolgate is started once more, as the process of a module. */

import type { CanonicalPath } from "../../core/capability.ts";
import { MODULE_PROCESS, type OwnProgram } from "../../host/run/module_protocol.ts";

/** Leads to the executable of whoever follows it, wherever that was moved to since (proc_pid_exe(5)). */
const RUNNING = "/proc/self/exe";

/**
 * To be asked on the main thread. Null where it runs from source, which threads that are held cannot load, and where a
 * build may not know its executable.
 */
export function ownProgram(workspace: CanonicalPath): OwnProgram | null {
  if (!Deno.build.standalone) return null;
  const path = executable();
  if (path === null) return null;
  return { path, words: ["toolgate", MODULE_PROCESS], directory: workingDirectory() ?? workspace };
}

function executable(): string | null {
  if (Deno.build.os === "linux") return RUNNING;
  try {
    return Deno.execPath();
  } catch {
    return null;
  }
}

/** Null where it is gone, or a build may not know it. */
function workingDirectory(): CanonicalPath | null {
  try {
    // getcwd(2) gives a path without links.
    return Deno.cwd() as CanonicalPath;
  } catch {
    return null;
  }
}
