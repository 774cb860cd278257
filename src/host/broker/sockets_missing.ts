/** Whether the sockets of programs can be had: what that takes of the kernel, tried. */

import { ERRNO, errnoName } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "../kernel/pipes.ts";
import { statOf } from "../kernel/stat.ts";
import { Listeners } from "./_listeners.ts";
import { FAMILIES, internetBytes, loopback, readAddress } from "./socket_address.ts";

const SOCK_STREAM_CLOEXEC = 1 | OPEN.CLOEXEC;
const ADDRESS_SIZE = 16;
/** Where the length of an address lies behind it. */
const LENGTH_PLACE = 64;

/** Null where they can be had, else why not: some containers refuse the one call, some kernels have not the other. */
export function socketsMissing(libc: Libc): string | null {
  const { numbers } = libc;
  const process = libc.call(numbers.pidfdOpen, Deno.pid, 0);
  // No descriptor has this number.
  const copied = process < 0 ? process : libc.call(numbers.pidfdGetfd, process, -1, 0);
  if (process >= 0) close(libc, process);
  if (copied !== -ERRNO.EBADF) {
    const failure = `pidfd_getfd: ${errnoName(-copied)}`;
    return `this kernel, or container, lets no descriptor be copied (${failure})`;
  }
  return findsListeners(libc)
    ? null
    : "this kernel, or container, does not tell who listens (CONFIG_INET_DIAG)";
}

/** Whether a socket of our own is found where it listens. */
function findsListeners(libc: Libc): boolean {
  const { numbers, structBytes, struct, structAddress } = libc;
  const socket = libc.call(numbers.socket, FAMILIES.inet, SOCK_STREAM_CLOEXEC, 0);
  if (socket < 0) return false;
  structBytes.set(internetBytes({ family: "inet", address: loopback("inet"), port: 0 }));
  struct.setInt32(LENGTH_PLACE, ADDRESS_SIZE, true);
  const listens = libc.call(numbers.bind, socket, structAddress, ADDRESS_SIZE) >= 0 &&
    libc.call(numbers.listen, socket, 1) >= 0 &&
    libc.call(numbers.getsockname, socket, structAddress, structAddress + LENGTH_PLACE) >= 0;
  const address = readAddress(structBytes.slice(0, ADDRESS_SIZE));
  const stat = statOf(libc, socket);
  const listeners = new Listeners(libc);
  const found = listens && address?.family === "inet" && typeof stat !== "number" &&
    listeners.at(address) === stat.inode;
  listeners.close();
  close(libc, socket);
  return found;
}
