/** The throw-away workspace that cases are judged in. */

import { dirname, join } from "@std/path";
import type { LaidOut } from "../config/laid_out.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Calls `use` with a workspace that holds what is named, and removes it. Without such files a build that may make no
 * folder judges by the words alone, in the workspace that it has (null). `root`: a workspace that was named; cases lay
 * nothing out there.
 */
export async function withWorkspace<T>(
  files: Readonly<Record<string, LaidOut>>,
  root: string | null,
  use: (workspace: string | null) => Promise<T>,
): Promise<T> {
  const laidOut = Object.entries(files);
  if (root !== null) {
    if (laidOut.length === 0) return await use(root);
    throw new UsageError(
      "these cases lay out files of their own, for a throw-away workspace; leave --root away",
    );
  }
  const folder = makeFolder();
  if (folder === null) {
    if (laidOut.length === 0) return await use(null);
    throw new UsageError("these cases lay out files, and this build may make no folder for them");
  }
  try {
    layOutIn(folder, laidOut);
    return await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function makeFolder(): string | null {
  try {
    return Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-cases-" }));
  } catch {
    return null;
  }
}

/** Links come last: nothing that is laid out leads over one. */
function layOutIn(folder: string, files: readonly (readonly [string, LaidOut])[]): void {
  const steps: readonly ((full: string, what: LaidOut) => void)[] = [
    (full, what) => Deno.mkdirSync("folder" in what ? full : dirname(full), { recursive: true }),
    (full, what) => {
      if ("text" in what) Deno.writeTextFileSync(full, what.text, { createNew: true });
    },
    (full, what) => {
      if ("link" in what) Deno.symlinkSync(what.link, full);
    },
  ];
  for (const step of steps) {
    for (const [path, what] of files) {
      try {
        step(join(folder, path), what);
      } catch (error) {
        const why = error instanceof Error ? error.name : "?";
        throw new UsageError(`files: ${JSON.stringify(path)} cannot be laid out (${why})`);
      }
    }
  }
}
