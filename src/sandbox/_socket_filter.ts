/** What a filter says of sockets: which may be made, and which calls on them are handed over. */

import type { CallNumbers } from "./denied_calls.ts";
import { JUDGED_CALLS } from "./denied_calls.ts";
import type { Instruction } from "./_filter_nodes.ts";
import {
  ALLOW,
  AND,
  answer,
  argumentOffset,
  HAND_OVER,
  JUMP_IF_EQUAL,
  load,
  refuse,
  refuseBits,
  unless,
} from "./_filter_words.ts";
import { ERRNO } from "./kernel/errno.ts";
import {
  MSG_FASTOPEN,
  ROUTING_OPTIONS,
  SENDING_CALLS,
  SET_OPTION,
  SHARED_PORT,
  SOCKET_CALLS,
} from "./socket_calls.ts";

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
/** SOCK_TYPE_MASK (include/linux/net.h) */
const SOCKET_TYPE_BITS = 0xf;

/** Those of IPv4, IPv6 and routing questions. */
export const INTERNET_SOCKETS: readonly Instruction[] = [
  load(argumentOffset(0)),
  unless(JUMP_IF_EQUAL, AF_INET, 1),
  answer(ALLOW),
  unless(JUMP_IF_EQUAL, AF_INET6, 1),
  answer(ALLOW),
  unless(JUMP_IF_EQUAL, AF_NETLINK, 3),
  load(argumentOffset(2)),
  unless(JUMP_IF_EQUAL, NETLINK_ROUTE, 1),
  answer(ALLOW),
  refuse(ERRNO.EACCES),
];

/** IPPROTO_TCP (include/uapi/linux/in.h); 0 is the only one of its kind. MPTCP (262) would not heed the kernel's rules. */
const IPPROTO_TCP = 6;

/** What may be made: streams and packets of unix(7), streams of TCP; as `socket` says in its three arguments. */
const HANDED_SOCKETS: readonly Instruction[] = [
  load(argumentOffset(1)),
  { code: AND, ifTrue: 0, ifFalse: 0, value: SOCKET_TYPE_BITS },
  unless(JUMP_IF_EQUAL, SOCK_SEQPACKET, 3),
  load(argumentOffset(0)),
  unless(JUMP_IF_EQUAL, AF_UNIX, 11),
  answer(ALLOW),
  unless(JUMP_IF_EQUAL, SOCK_STREAM, 9),
  load(argumentOffset(0)),
  unless(JUMP_IF_EQUAL, AF_UNIX, 1),
  answer(ALLOW),
  { code: JUMP_IF_EQUAL, ifTrue: 1, ifFalse: 0, value: AF_INET },
  unless(JUMP_IF_EQUAL, AF_INET6, 4),
  load(argumentOffset(2)),
  { code: JUMP_IF_EQUAL, ifTrue: 1, ifFalse: 0, value: 0 },
  unless(JUMP_IF_EQUAL, IPPROTO_TCP, 1),
  answer(ALLOW),
  refuse(ERRNO.EACCES),
];

/** See `socket_calls.ts`. */
export function handSockets(
  on: (numbers: CallNumbers, body: readonly Instruction[]) => void,
): void {
  on(JUDGED_CALLS.socket, HANDED_SOCKETS);
  for (const numbers of Object.values(SOCKET_CALLS)) on(numbers, [answer(HAND_OVER)]);
  for (const [numbers, flags] of SENDING_CALLS) on(numbers, refuseBits(flags, MSG_FASTOPEN));
  on(SET_OPTION, [
    ...ROUTING_OPTIONS.flatMap(([level, options]) => [
      load(argumentOffset(1)),
      unless(JUMP_IF_EQUAL, level, 1 + 2 * options.length),
      load(argumentOffset(2)),
      ...options.flatMap((option) => [
        unless(JUMP_IF_EQUAL, option, 1),
        refuse(ERRNO.EPERM),
      ]),
    ]),
    load(argumentOffset(1)),
    unless(JUMP_IF_EQUAL, SHARED_PORT.level, 3),
    load(argumentOffset(2)),
    unless(JUMP_IF_EQUAL, SHARED_PORT.option, 1),
    refuse(ERRNO.ENOPROTOOPT),
    answer(ALLOW),
  ]);
}

/** Pairs of the kinds that cannot be pointed elsewhere afterwards. */
export const CONNECTED_PAIRS: readonly Instruction[] = [
  load(argumentOffset(0)),
  unless(JUMP_IF_EQUAL, AF_UNIX, 6),
  load(argumentOffset(1)),
  { code: AND, ifTrue: 0, ifFalse: 0, value: SOCKET_TYPE_BITS },
  unless(JUMP_IF_EQUAL, SOCK_STREAM, 1),
  answer(ALLOW),
  unless(JUMP_IF_EQUAL, SOCK_SEQPACKET, 1),
  answer(ALLOW),
  refuse(ERRNO.EACCES),
];
