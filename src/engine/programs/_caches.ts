/** The folder in which programs of a workspace keep what outlives a call. */

import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";
import { GO_SETTINGS, goSettings } from "../../host/run/temporary.ts";

/**
 * `setting`: `sandbox.caches`. One folder a workspace, so that what the programs of one leave there is met by no other's.
 * `userId`: who this is; null where that cannot be found out. Null where there is to be none, or where it cannot be had: no home, a read-only one, a folder that is somebody else's.
 */
export function openCaches(
  setting: string,
  workspace: CanonicalPath,
  userId: () => number | null,
): string | null {
  if (setting === "off") return null;
  try {
    const base = setting === "auto" ? cacheHome() : setting;
    if (base === null) return null;
    const name = createHash("sha256").update(workspace).digest("hex").slice(0, 16);
    const above = setting === "auto" ? `${base}/toolgate` : base;
    const folder = `${above}/${name}`;
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, isDirectory, mode } = Deno.lstatSync(folder);
    // A link, or what others may write to, could lead programs anywhere, or bring them anything.
    const own = isDirectory && uid === (userId() ?? uid) && ((mode ?? 0) & 0o022) === 0;
    if (!own) return null;
    const real = Deno.realPathSync(folder);
    writeGoSettings(real);
    return real;
  } catch {
    return null;
  }
}

/** As they were meant, whatever a program has made of them since. */
function writeGoSettings(folder: string): void {
  const path = `${folder}/${GO_SETTINGS}`;
  const wanted = goSettings(folder);
  try {
    if (Deno.lstatSync(path).isFile && Deno.readTextFileSync(path) === wanted) return;
    // A link there would be written through.
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return;
  }
  Deno.writeTextFileSync(path, wanted, { createNew: true, mode: 0o600 });
}

/** XDG Base Directory Specification */
function cacheHome(): string | null {
  const named = variable("XDG_CACHE_HOME");
  if (named?.startsWith("/") === true) return named;
  const home = variable("HOME");
  return home?.startsWith("/") === true ? `${home}/.cache` : null;
}

/** Undefined also where the runtime's permissions do not name the variable. */
function variable(name: string): string | undefined {
  return Deno.permissions.querySync({ name: "env", variable: name }).state === "granted"
    ? Deno.env.get(name)
    : undefined;
}
