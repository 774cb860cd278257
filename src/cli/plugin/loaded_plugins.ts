/** The custom tools of a session, and what must not be written because of them. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { PluginManifest } from "../../plugins/manifest.ts";

/** The custom tools that the policies name, as they were read. */
export interface LoadedPlugins {
  readonly manifests: readonly PluginManifest[];
  /** What no tool may write, lest it be read as a manifest by the next start: absolute globs, and where they lead. */
  readonly governing: readonly { readonly glob: string; readonly below: CanonicalPath }[];
}

/** Those of policies that name none. */
export const NO_PLUGINS: LoadedPlugins = { manifests: [], governing: [] };
