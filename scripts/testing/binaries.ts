/** The binaries that tests run, each built once for the same sources. */

import { join } from "@std/path";
import { build, type BuildOptions, hostTarget, unsealed } from "../build.ts";
import { ROOT } from "../compile.ts";
import { buildOnce } from "./builds.ts";

/** Builds `dist/toolgate` where it is not what the sources give. Throws Error with what failed. */
export async function buildBinary(): Promise<void> {
  await builtForTests("toolgate", await unsealed());
}

/**
 * A binary under `dist/`, built where it is not there with these options already; its path. Throws Error with what
 * failed.
 */
export async function builtForTests(
  name: string,
  options: Omit<BuildOptions, "target" | "output" | "release" | "report">,
): Promise<string> {
  const output = join(ROOT, "dist", name);
  await buildOnce(ROOT, output, JSON.stringify(options), () =>
    build({
      ...options,
      target: hostTarget(),
      output,
      release: false,
      report: () => {},
    }));
  return output;
}
