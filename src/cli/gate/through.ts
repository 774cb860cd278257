/** Commands that are sent to a gate instead of being done here: nothing of a policy is read, nothing of an engine loaded. */

import type { Invocation } from "../invocation.ts";
import { UsageError } from "../usage_error.ts";

/** Does a command by the gate that listens at `path`; gives the exit status. */
type Through = (invocation: Invocation, path: string) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Through>>> = {
  call: async () => (await import("./call_through.ts")).callThrough,
  mcp: async () => (await import("./mcp_through.ts")).mcpThrough,
  tools: async () => (await import("../tools/through_gate.ts")).toolsThrough,
  gate: async () => (await import("./gate.ts")).gate,
};

/** Throws a UsageError for a command that no gate does. */
export async function through(
  command: string,
  invocation: Invocation,
  path: string,
): Promise<number> {
  const load = COMMANDS[command];
  if (load === undefined) throw new UsageError(`${command} takes no gate`);
  return await (await load())(invocation, path);
}
