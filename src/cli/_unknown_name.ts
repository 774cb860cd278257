/** What was probably meant by a name that no command, or no tool, has. */

import { didYouMean, nearest } from "../core/nearest.ts";
import { quoted } from "../core/printable.ts";
import { createRegistry } from "../tools/registry.ts";
import { COMMANDS } from "./commands.ts";
import { UsageError } from "./usage_error.ts";

/** A command by another name, or a tool, which is called by `call`. */
export function unknownCommand(name: string): UsageError {
  const tool = createRegistry().canonicalName(name);
  const near = nearest(name, Object.keys(COMMANDS));
  const hint = tool !== null
    ? `; it is a tool: toolgate call ${tool}`
    : near !== null
    ? `; did you mean ${near}?`
    : "; toolgate --help lists them";
  return new UsageError(`there is no command ${quoted(name)}${hint}`);
}

/** What to say to a name that no tool has, with the nearest that one has. */
export function unknownTool(name: string): UsageError {
  const near = didYouMean(createRegistry().nearest(name));
  return new UsageError(`there is no tool ${quoted(name)}.${near || " toolgate tools lists them"}`);
}
