/**
 * Sockets with names in the file system (unix(7)), by system calls: the runtime shows neither the descriptor of one
 * nor who is at its other end. Nothing here leans on an error number to tell whether there is something to read: that
 * is what {@linkcode ReadinessSet} is for.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { setNonBlocking } from "../kernel/pipes.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** AF_UNIX, SOCK_STREAM, SOCK_NONBLOCK, SOCK_CLOEXEC (include/linux/socket.h, include/linux/net.h) */
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
/** SOL_SOCKET, SO_PEERCRED, SO_PEERPIDFD (include/uapi/asm-generic/socket.h) */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const SO_PEERPIDFD = 77;
/** SHUT_WR (shutdown(2)) */
const SHUT_WR = 1;
/** poll.h */
const POLLIN = 1;
/** Connections that the kernel keeps until they are taken; it lowers this to net.core.somaxconn (listen(2)). */
const BACKLOG = 4096;
/** sizeof(sun_path) without the NUL behind it (unix(7)). */
export const LONGEST_SOCKET_PATH = 107;

/** Who connected, as the kernel had it at that moment. */
export interface Peer {
  readonly uid: number;
  /** 0: a process that cannot be seen from here (another PID namespace). */
  readonly pid: number;
  /** A descriptor of that very process, to be closed; null where the kernel has none (before 6.5). */
  readonly pidfd: number | null;
}

/** A socket without a name, or an error number with its sign turned. */
export function openSocket(libc: Libc, { blocking }: { readonly blocking: boolean }): number {
  const flags = SOCK_STREAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK);
  return libc.call(libc.numbers.socket, AF_UNIX, flags, 0);
}

/** Two sockets that are connected to each other, the own one never blocking; null where there are no descriptors left. */
export function connectedPair(
  libc: Libc,
): { readonly own: number; readonly other: number } | null {
  const { numbers, struct, structAddress } = libc;
  if (libc.call(numbers.socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, structAddress) < 0) {
    return null;
  }
  const [own, other] = [struct.getInt32(0, true), struct.getInt32(4, true)];
  setNonBlocking(libc, own);
  return { own, other };
}

/** Gives it its name; 0, or an error number with its sign turned. */
export function bindSocket(libc: Libc, descriptor: number, path: string): number {
  return libc.call(libc.numbers.bind, descriptor, libc.structAddress, placeAddress(libc, path));
}

/** Takes connections from now on; 0, or an error number with its sign turned. */
export function listenOn(libc: Libc, descriptor: number): number {
  return libc.call(libc.numbers.listen, descriptor, BACKLOG);
}

/** 0, or an error number with its sign turned. */
export function connectTo(libc: Libc, descriptor: number, path: string): number {
  const length = placeAddress(libc, path);
  for (;;) {
    const result = libc.call(libc.numbers.connect, descriptor, libc.structAddress, length);
    if (result !== -ERRNO.EINTR) return result;
  }
}

/** The next connection, which never blocks, or an error number with its sign turned. */
export function acceptFrom(libc: Libc, listener: number): number {
  return libc.call(libc.numbers.accept4, listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/** Says that nothing more is sent. */
export function endSending(libc: Libc, descriptor: number): void {
  libc.call(libc.numbers.shutdown, descriptor, SHUT_WR);
}

/** Null where the kernel does not tell. */
export function peerOf(libc: Libc, descriptor: number): Peer | null {
  const { numbers, struct, structAddress } = libc;
  // struct ucred: pid, uid, gid (unix(7)); its length behind it.
  const option = (name: number, size: number): boolean => {
    struct.setInt32(12, size, true);
    return libc.call(
      numbers.getsockopt,
      descriptor,
      SOL_SOCKET,
      name,
      structAddress,
      structAddress + 12,
    ) === 0;
  };
  if (!option(SO_PEERCRED, 12)) return null;
  const [pid, uid] = [struct.getInt32(0, true), struct.getUint32(4, true)];
  const pidfd = pid > 0 && option(SO_PEERPIDFD, 4) ? struct.getInt32(0, true) : null;
  return { uid, pid, pidfd };
}

/** Whether the process behind a pidfd has ended: its number may be another's by now (pidfd_open(2)). */
export function hasEnded(libc: Libc, pidfd: number): boolean {
  const { numbers, struct, structAddress } = libc;
  // struct pollfd, then struct timespec (poll.h, time.h)
  struct.setInt32(0, pidfd, true);
  struct.setInt16(4, POLLIN, true);
  struct.setInt16(6, 0, true);
  struct.setBigInt64(8, 0n, true);
  struct.setBigInt64(16, 0n, true);
  return libc.call(numbers.ppoll, structAddress, 1, structAddress + 8, 0, 8) > 0;
}

/** struct sockaddr_un at the arena's structure; gives its length. Throws RangeError for a path that does not fit. */
function placeAddress({ struct, structBytes }: Libc, path: string): number {
  const bytes = new TextEncoder().encode(path);
  if (bytes.length > LONGEST_SOCKET_PATH || bytes.includes(0)) {
    throw new RangeError(`the path of a socket has at most ${LONGEST_SOCKET_PATH} bytes`);
  }
  struct.setUint16(0, AF_UNIX, true);
  structBytes.set(bytes, 2);
  structBytes[2 + bytes.length] = 0;
  return 2 + bytes.length + 1;
}
