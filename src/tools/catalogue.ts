/** The registry as `get_help` may see it: what tools say of themselves, and nothing that runs. */

import { type Schema, toStandardSchema } from "../core/schema.ts";
import type { Catalogue, Tool, ToolDescription } from "../core/tool.ts";

/** What a catalogue is drawn from: a registry, by what is used of it. */
export interface ToolSource {
  /** Of a name or an alias, without loading anything; null where no tool has it. */
  canonicalName(name: string): string | null;
  aliasesOf(name: string): readonly string[];
  /** By name or alias; at once where it is loaded. Throws UNKNOWN_TOOL with the nearest names. */
  get(name: string): Tool | Promise<Tool>;
  /** All of them, in the order of the registry. */
  descriptions(): Promise<readonly ToolDescription[]>;
  /** Best first: by name and aliases, description, and what it works on (its arguments, category, group). */
  search(text: string): Promise<readonly ToolDescription[]>;
  /** Canonical names nearest to a name or alias that is not there. */
  nearest(name: string): readonly string[];
}

/** The tools of a registry as tools may see them: described, not to be run. */
export function createCatalogue(registry: ToolSource): Catalogue {
  return {
    async describe(name) {
      const canonical = registry.canonicalName(name);
      if (canonical === null) return null;
      return describeTool(await registry.get(canonical), registry.aliasesOf(canonical));
    },
    search: registry.search,
    all: registry.descriptions,
    nearest: registry.nearest,
  };
}

/** What a tool says of itself, its schemas as any JSON Schema validator reads them. */
export function describeTool(tool: Tool, aliases: readonly string[]): ToolDescription {
  const { name, category, description, risk, permission, examples = [] } = tool;
  return {
    name,
    aliases,
    category,
    description,
    risk,
    changes: risk !== "safe" || tool.preview !== undefined,
    permission,
    input: standard(tool.input),
    output: standard(tool.output),
    examples,
  };
}

function standard(schema: Schema<unknown>): Schema<unknown> {
  return { ...toStandardSchema(schema), type: "object" };
}
