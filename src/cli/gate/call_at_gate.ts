/**
 * A call through a gate that is not as nearly all are, or does not go as they do: what is loaded for it is less than a
 * tenth of what a call takes that is done here.
 */

import type { Begun } from "../../host/sockets/ask_once.ts";
import { parseCommandLine, refuseOthersFlags } from "../flags.ts";
import { settled } from "../settled.ts";
import { UsageError } from "../usage_error.ts";
import { answerThrough, callThrough } from "./call_through.ts";
import { GateClient } from "./client.ts";
import { gateOf } from "./gate_of.ts";

/**
 * The exit status of a call through a gate; null for all else that is asked, and for what nobody can have meant. `begun`:
 * what `call_alone.ts` has asked already.
 */
export async function callAtGate(
  argv: readonly string[],
  begun: Begun | null,
): Promise<number | null> {
  const asked = callOf(argv);
  if (asked === null) return null;
  return await settled(() =>
    begun === null
      ? callThrough(asked.line, asked.gate)
      : answerThrough(asked.line, GateClient.goingOn(begun))
  );
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
