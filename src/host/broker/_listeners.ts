/** Who listens at a port of this machine: as the kernel finds him for whoever connects (sock_diag(7)). */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "../kernel/pipes.ts";
import { FAMILIES, type InternetAddress, mappedIn } from "./socket_address.ts";

/** AF_NETLINK, SOCK_DGRAM, NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY (include/linux/socket.h, uapi/linux/netlink.h, sock_diag.h) */
const AF_NETLINK = 16;
const SOCK_DGRAM = 2;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
/** NLM_F_REQUEST (include/uapi/linux/netlink.h) */
const REQUEST = 1;
const IPPROTO_TCP = 6;
/** TCP_LISTEN (include/net/tcp_states.h) */
const LISTENING = 10;
/**
 * struct nlmsghdr, then struct inet_diag_req_v2: family, protocol, states at 4, ports at 8, addresses at 12 and 28, two
 * words of a cookie at 48, all ones for any (include/uapi/linux/inet_diag.h).
 */
const HEADER = 16;
const REQUEST_SIZE = HEADER + 56;
/** In struct inet_diag_msg: the state, and the number of the socket. */
const STATE_OFFSET = HEADER + 1;
const INODE_OFFSET = HEADER + 68;
/** An answer that came too late for who asked before; no more than one is. */
const MOST_LATE = 4;

/** Asks the kernel; opened with the first question. */
export class Listeners {
  readonly #libc: Libc;
  readonly #message = new Uint8Array(REQUEST_SIZE);
  readonly #answer = new Uint8Array(1024);
  #socket: number | null = null;
  #sequence = 0;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** The number of the socket that a connection to an address of this machine comes to; null where nobody listens. */
  at({ address, port }: InternetAddress): number | null {
    const { numbers } = this.#libc;
    this.#socket ??= this.#libc.call(
      numbers.socket,
      AF_NETLINK,
      SOCK_DGRAM | OPEN.NONBLOCK | OPEN.CLOEXEC,
      NETLINK_SOCK_DIAG,
    );
    if (this.#socket < 0) return null;
    const four = mappedIn(address) ?? (address.length === 4 ? address : null);
    const message = this.#message.fill(0);
    const view = new DataView(message.buffer);
    view.setUint32(0, REQUEST_SIZE, true);
    view.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
    view.setUint16(6, REQUEST, true);
    view.setUint32(8, ++this.#sequence, true);
    view.setUint8(HEADER, four === null ? FAMILIES.inet6 : FAMILIES.inet);
    view.setUint8(HEADER + 1, IPPROTO_TCP);
    view.setUint32(HEADER + 4, 0xffff_ffff, true);
    view.setUint16(HEADER + 8, port);
    message.set(four ?? address, HEADER + 12);
    view.setBigUint64(HEADER + 48, 0xffff_ffff_ffff_ffffn, true);
    const sent = this.#libc.transfer(numbers.write, this.#socket, message, REQUEST_SIZE);
    return sent === REQUEST_SIZE ? this.#found() : null;
  }

  #found(): number | null {
    const answer = this.#answer;
    const view = new DataView(answer.buffer);
    for (let late = 0; late < MOST_LATE; late++) {
      const { read } = this.#libc.numbers;
      const count = this.#libc.transfer(read, this.#socket ?? -1, answer, answer.length);
      if (count === -ERRNO.EINTR) continue;
      if (count < HEADER) return null;
      if (view.getUint32(8, true) !== this.#sequence) continue;
      const isSocket = view.getUint16(4, true) === SOCK_DIAG_BY_FAMILY &&
        count >= INODE_OFFSET + 4 && view.getUint8(STATE_OFFSET) === LISTENING;
      return isSocket ? view.getUint32(INODE_OFFSET, true) : null;
    }
    return null;
  }

  close(): void {
    if (this.#socket !== null && this.#socket >= 0) close(this.#libc, this.#socket);
    this.#socket = null;
  }
}
