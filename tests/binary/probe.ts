/** Builds of the probe (tests/probe): the real engine with a tool that attacks it. */

import { moduleUrl, unsealed } from "../../scripts/build.ts";
import { builtForTests } from "../../scripts/testing/binaries.ts";

/** Builds it under `dist/` with these permission flags, where it is not there; gives the path of the binary. */
export async function buildProbe(name: string, flags: readonly string[]): Promise<string> {
  return await builtForTests(name, {
    flags,
    main: `import { runProbe } from ${JSON.stringify(moduleUrl("tests/probe/main.ts"))};\n` +
      "Deno.exit(await runProbe(Deno.args));\n",
    worker: moduleUrl("tests/probe/worker.ts"),
  });
}

/** The probe with the ceiling of the shipped binary. */
export async function buildUnsealedProbe(): Promise<string> {
  return await buildProbe("probe", (await unsealed()).flags);
}
