/** Leading a program to the proxy. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Connecting } from "./_connecting.ts";
import type { WayOut } from "./handed_rules.ts";
import { type InternetAddress, internetBytes, loopback, mapped } from "./socket_address.ts";

/** MSG_DONTWAIT, MSG_NOSIGNAL (include/linux/socket.h) */
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
/** SHUT_RDWR (shutdown(2)) */
const SHUT_BOTH = 2;
/** Where what is sent lies. */
const PLACE = 1024;

/**
 * Connects to the proxy, and says whose connection it is before the program can say anything: it is still within its call.
 * Where another of its threads speaks first nobody understands it. Gives what connect(2) is answered with; `copy` stays open.
 */
export async function connectToProxy(
  { libc, connecting, portOf }: {
    readonly libc: Libc;
    readonly connecting: Connecting;
    /** The port that the socket is connected to now. */
    readonly portOf: () => number | null;
  },
  { copy, wanted, way }: {
    /** The program's socket. */
    readonly copy: number;
    readonly wanted: InternetAddress;
    readonly way: Promise<WayOut>;
  },
): Promise<number> {
  const opened = await way;
  if (typeof opened === "number") return -opened;
  const { port, greeting } = opened;
  const own = loopback("inet");
  const address = wanted.family === "inet" ? own : mapped(own);
  const result = await connecting.connectWhole(
    copy,
    internetBytes({ family: wanted.family, address, port }),
  );
  if (result < 0) return result;
  const { numbers, structBytes, structAddress } = libc;
  // Connected elsewhere meanwhile it is told nothing.
  if (portOf() === port) {
    structBytes.set(greeting, PLACE);
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    // Without an address its length is not looked at.
    const at = structAddress + PLACE;
    if (libc.call(numbers.sendto, copy, at, greeting.length, flags, 0) === greeting.length) {
      return 0;
    }
  }
  libc.call(numbers.shutdown, copy, SHUT_BOTH);
  return -ERRNO.ECONNRESET;
}
