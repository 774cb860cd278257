/** `mcp --gate`: the messages of an MCP client go to a gate and back as they are. It alone reads them. */

import { ERROR_CODES, EXIT } from "../../core/errors.ts";
import { readSome, setNonBlocking, writeSome } from "../../host/kernel/pipes.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Invocation } from "../invocation.ts";
import { complain, show } from "../stdio.ts";
import type { GateClient } from "./client.ts";
import { connectTo } from "./connect.ts";

/** poll.h */
const POLLIN = 0x1;
const POLLOUT = 0x4;
const POLL_ENTRY = 8;
const STDIN = 0;
const STDOUT = 1;
const INPUT_BYTES = 1 << 16;

/** Until the client ends its input and all is answered, or the gate is gone. */
export async function mcpThrough(invocation: Invocation, path: string): Promise<number> {
  const connected = await connectTo(invocation, path, "mcp");
  const { refused } = connected;
  if (refused !== null) {
    complain(`toolgate: ${refused.code}: ${refused.message}`);
    return ERROR_CODES[refused.code] ?? EXIT.failed;
  }
  const { client } = connected;
  show("stdout", client.rest());
  carry(client);
  client.close();
  return EXIT.success;
}

/** One way: what was read and is not yet written. */
interface Way {
  readonly from: number;
  readonly to: number;
  rest: Uint8Array;
  ended: boolean;
}

/** Both ways at once: a gate that waits to be read must not keep this from reading it. */
function carry(client: GateClient): void {
  const { libc, descriptor } = client;
  setNonBlocking(libc, descriptor);
  const way = (from: number, to: number): Way => ({
    from,
    to,
    rest: new Uint8Array(0),
    ended: false,
  });
  const [out, back] = [way(STDIN, descriptor), way(descriptor, STDOUT)];
  const buffer = new Uint8Array(INPUT_BYTES);
  while (!back.ended || back.rest.length > 0) {
    const ready = waitFor(libc, [out, back]);
    for (const [i, one] of [out, back].entries()) {
      if (ready[i] !== true) continue;
      if (one.rest.length === 0) {
        const count = readSome(libc, one.from, buffer);
        if (count === null) continue;
        if (count === 0) {
          one.ended = true;
          if (one === out) client.endSending();
          continue;
        }
        one.rest = buffer.slice(0, count);
      }
      const sent = writeSome(libc, one.to, one.rest);
      if (sent === null) return;
      one.rest = one.rest.subarray(sent);
    }
  }
}

/** Whether each can go on: what is carried can be written, or there is something to read. */
function waitFor(libc: Libc, ways: readonly Way[]): readonly boolean[] {
  const { struct, structAddress, numbers } = libc;
  ways.forEach(({ from, to, rest, ended }, i) => {
    const writes = rest.length > 0;
    struct.setInt32(i * POLL_ENTRY, writes ? to : ended ? -1 : from, true);
    struct.setInt16(i * POLL_ENTRY + 4, writes ? POLLOUT : POLLIN, true);
    struct.setInt16(i * POLL_ENTRY + 6, 0, true);
  });
  if (libc.call(numbers.ppoll, structAddress, ways.length, 0, 0, 8) <= 0) return [];
  return ways.map((_, i) => struct.getInt16(i * POLL_ENTRY + 6, true) !== 0);
}
