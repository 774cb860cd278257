/** What the contexts of all calls on one thread share. */

import { type ContextOptions, createFileBackend } from "../host/context.ts";
import type { Entered } from "../sandbox/enter.ts";

/** What programs get that is the same for all of them; read on the main thread, where the environment is. */
export interface ProgramSurroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for the private TMPDIR of each run; null where the policy wants none. */
  readonly temporaryRoot: string | null;
}

/** Of threads that start no programs. */
export const NO_SURROUNDINGS: ProgramSurroundings = { environment: {}, temporaryRoot: null };

export type ThreadParts = Pick<
  ContextOptions,
  "files" | "libc" | "layers" | "environment" | "temporaryRoot"
>;

export async function createThreadParts(
  held: Pick<Entered, "libc" | "layers">,
  surroundings: ProgramSurroundings,
): Promise<ThreadParts> {
  const { libc, layers } = held;
  return { files: await createFileBackend(libc), libc, layers, ...surroundings };
}
