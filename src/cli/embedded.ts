/** What a build carries: its version, and the policy that holds where no other is named. */

import type { PluginManifest } from "../plugins/manifest.ts";
import type { LoadedPolicy } from "../policy/model.ts";
import type { CarriedListing } from "../tools/listing.ts";

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

/** What a start is told: what it carries, and what it has beside that and loads when it is asked for. */
export interface Start extends Embedded {
  /** The built-in tools as listings have them; left out from source, where they are asked. */
  readonly listing?: CarriedListing;
}
