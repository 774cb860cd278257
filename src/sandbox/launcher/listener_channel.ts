/** The way by which the descriptor that a program's calls are handed over through comes here: a socket (unix(7)). */

import type { Libc } from "../kernel/libc.ts";
import type { Architecture } from "../seccomp.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";

/** One program's way, for one descriptor. */
export interface ListenerChannel {
  /** The end that the launcher is given. */
  readonly end: number;
  /** The descriptor that was sent, which closes with execve(2); or an error number with its sign turned. */
  receive(): number;
  close(): void;
}

/** AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC (include/linux/socket.h, include/linux/net.h) */
const AF_UNIX = 1;
const SOCK_SEQPACKET_CLOEXEC = 5 | 0o2000000;
/** MSG_DONTWAIT | MSG_CMSG_CLOEXEC (include/linux/socket.h) */
const AT_ONCE_CLOEXEC = 0x40 | 0x40000000;
/** struct msghdr (56), then the byte, its place (16), and the descriptor with its header (24). */
const BYTE_OFFSET = 56;
const PLACE_OFFSET = 64;
const CONTROL_OFFSET = 80;
const CONTROL_SIZE = 24;
/** Of a header with one descriptor: its length. */
const ONE_DESCRIPTOR = 20n;

/** Or an error number with its sign turned. */
export function openChannel(libc: Libc, architecture: Architecture): ListenerChannel | number {
  const { numbers, struct, structAddress } = libc;
  const calls = LAUNCHER_CALLS[architecture];
  const made = libc.call(calls.socketpair, AF_UNIX, SOCK_SEQPACKET_CLOEXEC, 0, structAddress);
  if (made < 0) return made;
  const [own, end] = [struct.getInt32(0, true), struct.getInt32(4, true)];
  return {
    end,
    receive() {
      const put = (offset: number, value: number): void =>
        struct.setBigUint64(offset, BigInt(value), true);
      put(0, 0);
      put(8, 0);
      put(16, structAddress + PLACE_OFFSET);
      put(24, 1);
      put(32, structAddress + CONTROL_OFFSET);
      put(40, CONTROL_SIZE);
      put(48, 0);
      put(PLACE_OFFSET, structAddress + BYTE_OFFSET);
      put(PLACE_OFFSET + 8, 1);
      put(CONTROL_OFFSET, 0);
      const count = libc.call(calls.recvmsg, own, structAddress, AT_ONCE_CLOEXEC);
      if (count < 0) return count;
      return struct.getBigUint64(CONTROL_OFFSET, true) === ONE_DESCRIPTOR
        ? struct.getInt32(CONTROL_OFFSET + 16, true)
        : -1;
    },
    close() {
      libc.call(numbers.close, own);
      libc.call(numbers.close, end);
    },
  };
}
