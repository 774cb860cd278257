/** Which gate a command line is for. */

import { variable } from "../environment.ts";
import { type CommandLine, FLAGS } from "../flags.ts";
import { UsageError } from "../usage_error.ts";

/** Flags that say what governs a run: at a gate that is the gate's own. */
const GOVERNING = ["policy", "root", "sandbox", "audit"] as const;

/**
 * Where the gate listens that a command is sent to; null where it is done here. Throws a UsageError for what a gate
 * cannot be told.
 */
export function gateOf(command: string, { values }: CommandLine): string | null {
  const path = pathOf(command, values);
  if (path === null) return null;
  const told = GOVERNING.find((name) => Object.hasOwn(values, name));
  if (told === undefined) return path;
  throw new UsageError(`--${told} has no effect at a gate, whose own policy holds; leave it out`);
}

function pathOf(command: string, values: CommandLine["values"]): string | null {
  const flag = FLAGS.find(({ name }) => name === "gate");
  if (flag?.commands?.includes(command) !== true) return null;
  if (!Object.hasOwn(values, "listen")) return values["gate"]?.[0] ?? variable("gate");
  if (Object.hasOwn(values, "gate")) {
    throw new UsageError("--listen is to be a gate, --gate to come to one: leave one of them out");
  }
  return null;
}
