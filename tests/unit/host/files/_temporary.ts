/** A directory of a test's own. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";

type Use = (directory: CanonicalPath) => void | Promise<void>;

/** Runs `use` with a new empty directory, which is removed afterwards. */
export function withDirectory(use: Use): Promise<void> {
  return withDirectoryIn({}, use);
}

/**
 * As {@linkcode withDirectory}, in memory where the system has a place for that: for what changes files so often that
 * nearly all of its time would be the disk's, which syncs each change.
 */
export function withDirectoryInMemory(use: Use): Promise<void> {
  return withDirectoryIn(Deno.build.os === "linux" ? { dir: "/dev/shm" } : {}, use);
}

async function withDirectoryIn(place: { readonly dir?: string }, use: Use): Promise<void> {
  const directory = Deno.realPathSync(
    Deno.makeTempDirSync({ ...place, prefix: "toolgate-test-" }),
  );
  try {
    await use(directory as CanonicalPath);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}
