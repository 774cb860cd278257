/**
 * A call through a gate as the first thing that a process does, and as nearly all are: in little code, since reading
 * that is what such a call takes.
 */

import { askOnce, type Begun } from "../../host/sockets/ask_once.ts";
import { printBytes } from "../stdio.ts";
import { CALL, plainCall } from "./_plain_words.ts";

/**
 * The exit status of a call that succeeded. Else what was begun of it, which {@linkcode callAtGate} of `call_at_gate.ts`
 * ends; null where nothing was.
 */
export function callAlone(argv: readonly string[]): number | Begun | null {
  const asked = plainCall(argv, {
    gate: Deno.env.get("TOOLGATE_GATE") ?? "",
    format: Deno.env.get("TOOLGATE_FORMAT") ?? "",
  });
  if (asked === null) return null;
  // As text for who looks at it, and somebody who could agree to something is asked.
  if (!asked.json && Deno.stdout.isTerminal()) return null;
  if (Deno.stdin.isTerminal() && Deno.stderr.isTerminal()) return null;
  const begun = askOnce(asked.gate, asked.request);
  if (begun === null) return null;
  const printed = successOf(begun.said, asked.tool);
  if (printed === null) return begun;
  printBytes(printed);
  return 0;
}

/** The line of a call that succeeded as such calls print it, whose request had no name; null where it did not. */
function successOf(said: Uint8Array, tool: string): Uint8Array | null {
  const encoder = new TextEncoder();
  const end = said.indexOf(0x0a);
  const start = encoder.encode(`{"id":"${CALL}","tool":"${tool}","success":true,`);
  if (end < 0 || start.some((byte, i) => byte !== said[i])) return null;
  const named = encoder.encode(`{"id":"${CALL}"`).length;
  const nameless = encoder.encode('{"id":null');
  const line = said.subarray(named - nameless.length, end + 1);
  line.set(nameless);
  return line;
}
