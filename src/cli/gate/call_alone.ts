/**
 * A call through a gate as the first thing that a process does: what is loaded for it is less than a tenth of what a call
 * takes that is done here.
 */

import { parseCommandLine, refuseOthersFlags } from "../flags.ts";
import { settled } from "../settled.ts";
import { UsageError } from "../usage_error.ts";
import { callThrough } from "./call_through.ts";
import { gateOf } from "./gate_of.ts";

/** The exit status of a call through a gate; null for all else that is asked, and for what nobody can have meant. */
export async function callAlone(argv: readonly string[]): Promise<number | null> {
  const asked = callOf(argv);
  return asked === null ? null : await settled(() => callThrough(asked.line, asked.gate));
}

function callOf(argv: readonly string[]) {
  try {
    const line = parseCommandLine(argv);
    const [name, ...words] = line.words;
    if (name !== "call" || line.switches.has("help") || line.switches.has("version")) return null;
    refuseOthersFlags(name, line);
    const gate = gateOf(name, line);
    return gate === null ? null : { line: { ...line, words }, gate };
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
