/** What a sealed binary carries: the policy of one file, and the custom tools that it names. */

import { basename, dirname } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { isModule } from "../../plugins/manifest.ts";
import { withCode } from "../../plugins/module_source.ts";
import type { Embedded } from "../embedded.ts";
import { loadPlugins } from "../plugin/plugin_files.ts";
import { compileAgents, matchAgent } from "../../policy/match/agent.ts";
import type { Policy } from "../../policy/model.ts";
import { loadPolicy, readPolicy } from "../session.ts";
import { UsageError } from "../usage_error.ts";

/** The file in a build, beside its modules, that holds its {@linkcode Embedded} as JSON. */
export const EMBEDDED_FILE = "embedded.txt";

/** What is the same whatever policy it is sealed with, and the agent that alone it is to speak for. */
export type Sealing = Pick<Embedded, "version" | "telemetry" | "agent">;

/** Throws UsageError where the file is no policy, names custom tools that are none, or gives the agent a worktree. */
export async function sealedWith(file: string, sealing: Sealing): Promise<Embedded> {
  const { policy } = await loadPolicy(file);
  refuseWorktree(policy, sealing.agent);
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

/** A binary that may use one folder alone could not be that agent: whoever seals it hears so, not who calls it. */
function refuseWorktree({ agents }: Policy, agent: string | undefined): void {
  if (agent === undefined || agents === null) return;
  if (matchAgent(compileAgents(agents), agent)?.rule.worktree !== true) return;
  throw new UsageError(
    `agent ${agent} works in a git worktree (agents.worktree), and a sealed binary may use its own folder alone; ` +
      "seal for an agent without one, or call the unsealed binary for it",
  );
}
