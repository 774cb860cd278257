/**
 * Memory that lies in sockets, which is no process's own: what was sent and nobody has read. A pair of connected ones
 * holds half a megabyte, and a program has thousands of them for the asking.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { readEntries } from "./directory_entries.ts";
import { close } from "./pipes.ts";
import { textAt } from "./read_text.ts";

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK; SOCK_RAW | SOCK_CLOEXEC; NETLINK_SOCK_DIAG (sock_diag(7)) */
const [LOCAL, INTERNET, INTERNET_6, NETLINK] = [1, 2, 10, 16];
const RAW = 3 | 0o2000000;
const SOCK_DIAG = 4;
/** SOCK_DIAG_BY_FAMILY; NLM_F_REQUEST | NLM_F_DUMP; NLMSG_ERROR, NLMSG_DONE (include/uapi/linux/netlink.h) */
const BY_FAMILY = 20;
const DUMP = 0x301;
const [ERROR, DONE] = [2, 3];
const HEADER_SIZE = 16;
const ATTRIBUTE_SIZE = 4;
/** UDIAG_SHOW_PEER | RQLEN | MEMINFO | UID, and attributes (include/uapi/linux/unix_diag.h) */
const SHOWN = 0x4 | 0x10 | 0x20 | 0x40;
const UNIX = { message: 16, inode: 4, peer: 2, queued: 4, memory: 5, user: 7 } as const;
/** INET_DIAG_SKMEMINFO, as a bit of what is asked for too; struct inet_diag_msg (include/uapi/linux/inet_diag.h) */
const TCP = { message: 72, user: 64, inode: 68, memory: 7 } as const;
const IPPROTO_TCP = 6;
/** All states but LISTEN and TIME_WAIT (include/net/tcp_states.h) */
const OPEN_STATES = 0xfff & ~(1 << 10) & ~(1 << 6);
/** SK_MEMINFO_RMEM_ALLOC, WMEM_ALLOC, FWD_ALLOC, WMEM_QUEUED, OPTMEM (include/uapi/linux/sock_diag.h) */
const [RECEIVED, SENT, AHEAD, QUEUED, OPTIONS] = [0, 2, 4, 5, 6];
/** A filter counts as an option, once; it is kept as it was given, as the kernel reads it and as machine code. */
const FORMS = 3;
const BUFFER_BYTES = 1 << 16;
const MOST_LINK = 64;
/** A socket that was told to have more has twice what it asked for at most (socket(7), SO_SNDBUF). */
const BOTH_WAYS = 2;
const USUAL_MOST = 212_992;
const PAGE_BYTES = 4096;
/** A message takes at least so much of its sender's room, however short it is (SKB_TRUESIZE, include/linux/skbuff.h). */
const LEAST_MESSAGE = 768;
const SMALL_FILE = 4096;
/** A smaller part of the room than one in so many is not looked into. */
const FEW = 16;

/** One socket, and what it holds. */
interface HoldingSocket {
  readonly inode: number;
  readonly bytes: number;
  /** Who could be holding the bytes that wait for it to read them, and how many these are; null where nobody else is. */
  readonly waiting: { readonly peer: number; readonly bytes: number } | null;
  /** Whose it is; null where the kernel does not say (before Linux 5.3). */
  readonly user: number | null;
}

/** A process, and by which thread the kernel shows what it has open (`HeldMemory`). */
export interface Holder {
  readonly id: number;
  readonly thread: number;
}

/** The memory of sockets of this network namespace. */
export class SocketMemory {
  readonly #libc: Libc;
  readonly #user: number;
  readonly #each: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #latin1 = new TextDecoder("latin1");

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#user = libc.call(libc.numbers.geteuid);
    const most = Number(textAt(libc, "/proc/sys/net/core/wmem_max", SMALL_FILE) ?? "");
    this.#each = (most > 0 ? most : USUAL_MOST) * BOTH_WAYS;
  }

  /** What all of them together hold at most, by their number alone; 0 where that is not told. */
  most(): number {
    const { number, internet } = this.#facts();
    return number * this.#each + internet;
  }

  /** How many sockets there are, and what those of TCP hold (proc_pid_net(5)). */
  #facts(): { readonly number: number; readonly internet: number } {
    const text = textAt(this.#libc, `/proc/${Deno.pid}/net/sockstat`, SMALL_FILE) ?? "";
    const word = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
    return {
      number: word(/^sockets: used (\d+)/m),
      internet: word(/^TCP:.* mem (\d+)/m) * PAGE_BYTES,
    };
  }

  /**
   * What those of some processes hold, if all there are hold more than `room`; else 0. `all`: the numbers of all processes;
   * `isGone`: whether one has nothing any more, which ends while it is looked at.
   *
   * What nobody has open is on its way in another socket, or in a process that nobody can look into: where these hold
   * anything, or cannot be looked into, that counts too.
   */
  heldBy(
    processes: readonly Holder[],
    room: number,
    all: () => readonly number[],
    isGone: (id: number) => boolean,
  ): number {
    const { internet } = this.#facts();
    const sockets = [
      ...this.#holding(LOCAL),
      ...internet * FEW > room ? [INTERNET, INTERNET_6].flatMap((one) => this.#holding(one)) : [],
    ].filter(({ bytes }) => bytes > 0);
    const sum = (some: readonly HoldingSocket[]): number =>
      some.reduce((total, { bytes }) => total + bytes, 0);
    if (sum(sockets) <= room) return 0;
    const own = new Set<number>();
    // Of one that is ending the folder is root's (proc_pid_fd(5)).
    const seen = processes.map((one) => this.#openIn(one, own) || isGone(one.id))
      .every((done) => done);
    const held = sum(sockets.filter(({ inode }) => own.has(inode)));
    if (seen && held === 0) return 0;
    const others = new Set<number>();
    const mine = new Set(processes.map(({ id }) => id));
    for (const id of all()) if (!mine.has(id)) this.#openIn({ id, thread: id }, others);
    const isStray = ({ inode, user }: HoldingSocket): boolean =>
      !own.has(inode) && !others.has(inode) && (user === this.#user || this.#user === 0);
    return held + sum(sockets.filter(isStray));
  }

  /** Adds the sockets that a process has open; whether they could be seen. */
  #openIn({ id, thread }: Holder, inodes: Set<number>): boolean {
    const { call, numbers, path, structAddress, structBytes } = this.#libc;
    const flags = OPEN.RDONLY | OPEN.CLOEXEC | numbers.O_DIRECTORY;
    const folder = call(numbers.openat, AT_FDCWD, path(`/proc/${id}/task/${thread}/fd`), flags);
    // One that is gone has none.
    if (folder < 0) return folder === -ERRNO.ENOENT;
    const entries = readEntries(this.#libc, folder, this.#buffer);
    for (const { name } of typeof entries === "number" ? [] : entries) {
      const length = call(numbers.readlinkat, folder, path(name), structAddress, MOST_LINK);
      const target = length <= 0 ? "" : this.#latin1.decode(structBytes.subarray(0, length));
      const found = /^socket:\[(\d+)\]$/.exec(target);
      if (found !== null) inodes.add(Number(found[1]));
    }
    close(this.#libc, folder);
    return typeof entries !== "number" || entries === -ERRNO.ENOENT;
  }

  /** Sockets of a family with what they hold; none where the kernel does not tell. */
  #holding(family: number): readonly HoldingSocket[] {
    const { call, numbers, transfer } = this.#libc;
    const descriptor = call(numbers.socket, NETLINK, RAW, SOCK_DIAG);
    if (descriptor < 0) return [];
    const request = family === LOCAL ? unixRequest() : tcpRequest(family);
    const found: HoldingSocket[] = [];
    transfer(numbers.write, descriptor, request, request.length);
    for (let more = true; more;) {
      const count = transfer(numbers.read, descriptor, this.#buffer, BUFFER_BYTES);
      more = count > 0 && this.#parse(count, family, found);
    }
    close(this.#libc, descriptor);
    if (family !== LOCAL) return found;
    // What one has sent counts as its own until it is read; where he is gone, it counts where it waits.
    const there = new Set(found.map(({ inode }) => inode));
    return found.map((one) =>
      one.waiting === null || there.has(one.waiting.peer)
        ? one
        : { ...one, bytes: one.bytes + one.waiting.bytes }
    );
  }

  /** Whether more is to come. */
  #parse(count: number, family: number, found: HoldingSocket[]): boolean {
    const view = new DataView(this.#buffer.buffer, 0, count);
    for (let at = 0; at + HEADER_SIZE <= count;) {
      const [length, type] = [view.getUint32(at, true), view.getUint16(at + 4, true)];
      if (type === DONE || type === ERROR || length < HEADER_SIZE) return false;
      const message = new DataView(view.buffer, at + HEADER_SIZE, length - HEADER_SIZE);
      found.push(family === LOCAL ? unixSocket(message) : tcpSocket(message));
      at += (length + 3) & ~3;
    }
    return true;
  }
}

/** struct nlmsghdr with so many bytes behind it. */
function requestOf(size: number): DataView<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(HEADER_SIZE + size));
  view.setUint32(0, view.byteLength, true);
  view.setUint16(4, BY_FAMILY, true);
  view.setUint16(6, DUMP, true);
  return view;
}

/** struct unix_diag_req */
function unixRequest(): Uint8Array<ArrayBuffer> {
  const view = requestOf(24);
  view.setUint8(HEADER_SIZE, LOCAL);
  view.setUint32(HEADER_SIZE + 4, 0xffffffff, true);
  view.setUint32(HEADER_SIZE + 12, SHOWN, true);
  return new Uint8Array(view.buffer);
}

/** struct inet_diag_req_v2 */
function tcpRequest(family: number): Uint8Array<ArrayBuffer> {
  const view = requestOf(56);
  view.setUint8(HEADER_SIZE, family);
  view.setUint8(HEADER_SIZE + 1, IPPROTO_TCP);
  view.setUint8(HEADER_SIZE + 2, 1 << (TCP.memory - 1));
  view.setUint32(HEADER_SIZE + 4, OPEN_STATES, true);
  return new Uint8Array(view.buffer);
}

function unixSocket(message: DataView): HoldingSocket {
  const attributes = attributesOf(message, UNIX.message);
  const word = (name: number): number => attributes.get(name)?.getUint32(0, true) ?? 0;
  const memory = attributes.get(UNIX.memory);
  const part = (at: number): number => memory?.getUint32(4 * at, true) ?? 0;
  const waiting = word(UNIX.queued);
  return {
    inode: message.getUint32(UNIX.inode, true),
    bytes: part(SENT) + part(RECEIVED) + part(OPTIONS) * FORMS,
    waiting: waiting === 0 ? null : {
      peer: word(UNIX.peer),
      // Each byte can be a message, as many as a sender has room for.
      bytes: Math.max(waiting, Math.min(waiting * LEAST_MESSAGE, USUAL_MOST)),
    },
    user: attributes.has(UNIX.user) ? word(UNIX.user) : null,
  };
}

function tcpSocket(message: DataView): HoldingSocket {
  const memory = attributesOf(message, TCP.message).get(TCP.memory);
  const part = (at: number): number => memory?.getUint32(4 * at, true) ?? 0;
  return {
    inode: message.getUint32(TCP.inode, true),
    bytes: part(RECEIVED) + part(AHEAD) + part(QUEUED) + part(OPTIONS) * FORMS,
    waiting: null,
    user: message.getUint32(TCP.user, true),
  };
}

/** struct nlattr: length and type, then as many bytes, on a border of four. */
function attributesOf(message: DataView, from: number): ReadonlyMap<number, DataView> {
  const found = new Map<number, DataView>();
  for (let at = from; at + ATTRIBUTE_SIZE <= message.byteLength;) {
    const length = message.getUint16(at, true);
    if (length < ATTRIBUTE_SIZE || at + length > message.byteLength) break;
    const start = message.byteOffset + at + ATTRIBUTE_SIZE;
    found.set(
      message.getUint16(at + 2, true),
      new DataView(message.buffer, start, length - ATTRIBUTE_SIZE),
    );
    at += (length + 3) & ~3;
  }
  return found;
}
