/** The ways that the surveys of the tools find in a project in memory. */

import { parseArguments } from "../../../../../src/core/parse_arguments.ts";
import type { Tool } from "../../../../../src/core/tool.ts";
import { createMemory, type Node, surveyed } from "../../_memory_context.ts";

export type Files = Readonly<Record<string, Node>>;

/** The commands of each way, best first. */
export function ways(
  tool: Tool,
  args: Record<string, unknown>,
  files: Files,
  programs?: readonly string[],
): readonly (readonly string[])[] {
  const parsed = parseArguments(tool.input, args);
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  tool.check?.(parsed.value);
  const memory = createMemory({ files, ...(programs === undefined ? {} : { programs }) });
  const found = surveyed(tool, parsed.value, memory) as readonly {
    readonly way: { readonly commands: readonly (readonly string[])[] };
  }[];
  return found.map(({ way }) => way.commands.map((argv) => argv.join(" ")));
}

/** As the ways above, the first of each. */
export const first = (found: readonly (readonly string[])[]): readonly string[] =>
  found.map(([one = ""]) => one);
