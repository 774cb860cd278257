/** What a build carries: its version, and the policy that holds where no other is named. */

import type { PluginManifest } from "../plugins/manifest.ts";
import type { LoadedPolicy } from "../policy/model.ts";

/** What a build carries beside the code. */
export interface Embedded {
  readonly version: string;
  /** Sealed: the policy always holds, and the runtime's permissions are baked from it. */
  readonly sealed: boolean;
  readonly policy: LoadedPolicy;
  /** The runtime's OpenTelemetry exporter is baked in. */
  readonly telemetry?: true;
  /** Sealed for this agent: it speaks for no other. */
  readonly agent?: string;
  /** The custom tools that it names, as they were when it was built. */
  readonly plugins?: readonly PluginManifest[];
}
