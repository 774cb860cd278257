/** A directory of a test's own. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";

/** Runs `use` with a new empty directory, which is removed afterwards. */
export async function withDirectory(
  use: (directory: CanonicalPath) => void | Promise<void>,
): Promise<void> {
  const directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    await use(directory as CanonicalPath);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}
