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
  const within = Object.values(COMMANDS).flatMap(({ usage }) => actionsOf(usage))
    .filter(([, action]) => action === name).map(([command]) => `toolgate ${command} ${name}`);
  const hint = tool !== null
    ? `; it is a tool: toolgate call ${tool}`
    : within.length > 0
    ? `; did you mean ${within.join(", or ")}?`
    : near !== null
    ? `; did you mean ${near}?`
    : "; toolgate --help lists them";
  return new UsageError(`there is no command ${quoted(name)}${hint}`);
}

/** The actions that a command's usage names, `policy [check|init [FILE]]`, each with its command. */
function actionsOf(usage: string): readonly (readonly [command: string, action: string])[] {
  const [command = "", ...rest] = usage.split(" ");
  return [...rest.join(" ").matchAll(/(?<=[[|])[a-z]+/g)].map(([action]) => [command, action]);
}

/** What to say to a name that no tool has, with the nearest that one has. */
export function unknownTool(name: string): UsageError {
  const near = didYouMean(createRegistry().nearest(name));
  return new UsageError(`there is no tool ${quoted(name)}.${near || " toolgate tools lists them"}`);
}
