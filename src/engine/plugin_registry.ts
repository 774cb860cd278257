/** The built-in tools with the custom ones of a policy, some of which may come and go while calls run. */

import { ToolError } from "../core/errors.ts";
import { quoted } from "../core/printable.ts";
import type { Tool } from "../core/tool.ts";
import { aliasOf, isModule, type PluginManifest } from "../plugins/manifest.ts";
import { createCatalogue } from "../tools/catalogue.ts";
import type { Registry, RegistryEntry } from "../tools/registry.ts";

/** Custom tools that may be registered at run time: each is told to models, and starts threads anew. */
const MOST_REGISTERED = 100;

/** Custom tools, and the registry that has them. */
export interface PluginRegistry {
  /** The same object for good: it answers by the tools that there are now. */
  readonly registry: Registry;
  /** Those of the policy, then those registered since. */
  readonly manifests: readonly PluginManifest[];
  /** Changes whenever the manifests do. */
  readonly version: number;
  /** Adds a tool, or replaces one that was registered so. Throws INVALID_REQUEST and RESOURCE_LIMIT. */
  register(manifest: PluginManifest): { readonly replaced: boolean };
  /** Removes a tool that was registered so, by name or alias. Throws UNKNOWN_TOOL and INVALID_REQUEST. */
  unregister(name: string): { readonly tool: string };
}

/** `builtIn` with the tools of these manifests. Throws a TypeError where a name is taken. */
export function withPlugins(builtIn: Registry, manifests: readonly PluginManifest[]): Registry {
  return manifests.length === 0
    ? builtIn
    : builtIn.extend(manifests.map((manifest) => entryOf(manifest, builtIn)));
}

function entryOf(manifest: PluginManifest, builtIn: Registry): RegistryEntry {
  const { name } = manifest;
  return {
    name,
    aliases: [aliasOf(name)],
    load: async () => ({ default: await loadPlugin(manifest, builtIn) }),
  };
}

/** The tool of a manifest: of a command made with the built-in one that starts programs. */
export async function loadPlugin(manifest: PluginManifest, registry: Registry): Promise<Tool> {
  if (isModule(manifest)) {
    const { createModuleTool } = await import("../plugins/module_tool.ts");
    return createModuleTool(manifest) as Tool;
  }
  const { createCommandTool } = await import("../plugins/command_tool.ts");
  return createCommandTool(manifest, await registry.get("run_command")) as Tool;
}

/** What a custom tool was made from; null for any other. */
export function manifestOf({ definition }: Tool): PluginManifest | null {
  // Nothing but loadPlugin makes tools that have one.
  return definition === undefined ? null : definition as PluginManifest;
}

/** `fixed`: the tools of the policy, which nothing changes at run time. */
export function createPluginRegistry(
  builtIn: Registry,
  fixed: readonly PluginManifest[],
): PluginRegistry {
  const start = withPlugins(builtIn, fixed);
  const registered = new Map<string, PluginManifest>();
  let current = start;
  let version = 0;
  const change = (): void => {
    current = withPlugins(start, [...registered.values()]);
    version++;
  };
  return {
    registry: following(() => current),
    get manifests() {
      return [...fixed, ...registered.values()];
    },
    get version() {
      return version;
    },
    register(manifest) {
      const { name } = manifest;
      for (const claimed of [name, aliasOf(name)]) {
        const owner = start.canonicalName(claimed);
        if (owner === null) continue;
        throw new ToolError(
          "INVALID_REQUEST",
          `manifest: the name ${
            quoted(claimed)
          } is that of a tool which a pipe cannot replace; choose another`,
        );
      }
      const replaced = registered.has(name);
      if (!replaced && registered.size >= MOST_REGISTERED) {
        throw new ToolError(
          "RESOURCE_LIMIT",
          `${MOST_REGISTERED} custom tools are registered, which is the most; unregister one first`,
        );
      }
      registered.set(name, manifest);
      change();
      return { replaced };
    },
    unregister(asked) {
      const name = current.canonicalName(asked);
      if (name === null) {
        throw new ToolError("UNKNOWN_TOOL", `there is no tool named ${quoted(asked)}`);
      }
      if (!registered.delete(name)) {
        throw new ToolError(
          "INVALID_REQUEST",
          `tool: ${
            quoted(asked)
          } was not registered over a pipe, and so cannot be removed over one`,
        );
      }
      change();
      return { tool: name };
    },
  };
}

/** A registry that hands each question on to the one that holds now. */
function following(current: () => Registry): Registry {
  const registry: Registry = {
    get names() {
      return current().names;
    },
    get catalogue() {
      return createCatalogue(registry);
    },
    looks: (name) => current().looks(name),
    canonicalName: (name) => current().canonicalName(name),
    aliasesOf: (name) => current().aliasesOf(name),
    get: (name) => current().get(name),
    listed: () => current().listed(),
    list: () => current().list(),
    descriptions: () => current().descriptions(),
    search: (text) => current().search(text),
    nearest: (name) => current().nearest(name),
    loadAll: () => current().loadAll(),
    extend: (added) => current().extend(added),
  };
  return registry;
}
