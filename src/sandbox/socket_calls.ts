/**
 * System calls on sockets of programs that reach nobody but each other: what names an address is handed over, what would
 * name one where nobody can look is refused.
 */

import type { CallNumbers } from "./denied_calls.ts";

/** Handed over. Numbers on x86_64 (syscall_64.tbl) and aarch64 (asm-generic/unistd.h). */
const NUMBERS = {
  bind: [49, 200],
  connect: [42, 203],
  listen: [50, 201],
  getsockname: [51, 204],
} as const satisfies Record<string, readonly [number, number]>;

/** A call that is handed over. */
export type SocketCall = keyof typeof NUMBERS;

/** By name. */
export const SOCKET_CALLS = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, [x86_64, aarch64]]) => [name, { x86_64, aarch64 }]),
) as Readonly<Record<SocketCall, CallNumbers>>;

/**
 * What sends, and the argument with its flags: MSG_FASTOPEN connects to an address in memory. Without it sockets of the
 * kinds that programs can make take no address here (EISCONN or EOPNOTSUPP of unix(7), EPIPE or ignored by tcp(7)).
 */
export const SENDING_CALLS: readonly (readonly [numbers: CallNumbers, flags: number])[] = [
  [{ x86_64: 44, aarch64: 206 }, 3],
  [{ x86_64: 46, aarch64: 211 }, 2],
  [{ x86_64: 307, aarch64: 269 }, 3],
];
/** include/linux/socket.h */
export const MSG_FASTOPEN = 0x20000000;

/** setsockopt(2) */
export const SET_OPTION: CallNumbers = { x86_64: 54, aarch64: 208 };
/**
 * Options that send what is addressed to one machine by way of another, by level: IP_OPTIONS of IPPROTO_IP (ip(7));
 * IPV6_RTHDR and its predecessors IPV6_2292RTHDR and IPV6_2292PKTOPTIONS of IPPROTO_IPV6 (include/uapi/linux/in6.h).
 */
export const ROUTING_OPTIONS: readonly (readonly [level: number, options: readonly number[]])[] = [
  [0, [4]],
  [41, [57, 5, 6]],
];

/** SOL_SOCKET, SO_REUSEPORT (include/uapi/asm-generic/socket.h): whoever has it shares a port with others of its user. */
export const SHARED_PORT = { level: 1, option: 15 } as const;

/** By their numbers on this machine. */
export function socketCallsOf(architecture: keyof CallNumbers): ReadonlyMap<number, SocketCall> {
  return new Map(
    Object.entries(SOCKET_CALLS).flatMap(([name, numbers]) => {
      const number = numbers[architecture];
      return number === null ? [] : [[number, name as SocketCall] as const];
    }),
  );
}
