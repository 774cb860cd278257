/** What a sealed binary carries: the policy of one file, and the custom tools that it names. */

import { basename, dirname } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { isModule } from "../../plugins/manifest.ts";
import { withCode } from "../../plugins/module_source.ts";
import type { Embedded } from "../embedded.ts";
import { loadPlugins } from "../plugin/plugin_files.ts";
import { loadPolicy, readPolicy } from "../session.ts";

/** The file in a build, beside its modules, that holds its {@linkcode Embedded} as JSON. */
export const EMBEDDED_FILE = "embedded.txt";

/** What is the same whatever policy it is sealed with, and the agent that alone it is to speak for. */
export type Sealing = Pick<Embedded, "version" | "telemetry" | "agent">;

/** Throws UsageError where the file is no policy, or names custom tools that are none. */
export async function sealedWith(file: string, sealing: Sealing): Promise<Embedded> {
  const { policy } = await loadPolicy(file);
  const source = basename(file);
  const folder = dirname(Deno.realPathSync(file)) as CanonicalPath;
  const plugin = { source: file, rule: policy.plugins, folder };
  const { manifests } = loadPlugins([plugin], [], (path) => readPolicy(path, "plugin"));
  // Modules as they run: what reads TypeScript is not asked again.
  const plugins = await Promise.all(
    manifests.map((manifest) => isModule(manifest) ? withCode(manifest) : manifest),
  );
  const { version, telemetry, agent } = sealing;
  return {
    version,
    sealed: true,
    policy: { source, policy },
    plugins,
    ...(telemetry === undefined ? {} : { telemetry }),
    ...(agent === undefined ? {} : { agent }),
  };
}
