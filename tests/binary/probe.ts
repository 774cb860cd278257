/** Builds of the probe (tests/probe): the real engine with a tool that attacks it. */

import { fromFileUrl } from "@std/path";
import { build, hostTarget, moduleUrl, unsealed } from "../../scripts/build.ts";

/** Builds it under `dist/` with these permission flags; gives the path of the binary. */
export async function buildProbe(name: string, flags: readonly string[]): Promise<string> {
  const output = fromFileUrl(new URL(`../../dist/${name}`, import.meta.url));
  await build({
    target: hostTarget(),
    output,
    release: false,
    flags,
    main: `import { runProbe } from ${JSON.stringify(moduleUrl("tests/probe/main.ts"))};\n` +
      "Deno.exit(await runProbe(Deno.args));\n",
    worker: moduleUrl("tests/probe/worker.ts"),
    report: () => {},
  });
  return output;
}

/** The probe with the ceiling of the shipped binary. */
export async function buildUnsealedProbe(): Promise<string> {
  return await buildProbe("probe", (await unsealed()).flags);
}
