/**
 * Binding, listening and connecting for programs: on a copy of their own socket, with an address that was read once. What
 * the program makes of its memory or its descriptors meanwhile changes neither.
 */

import { nameBytes, nameText } from "../../core/name_text.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import type { SocketCall } from "../../sandbox/socket_calls.ts";
import { close } from "../kernel/pipes.ts";
import type { DeniedLoopback } from "../../policy/rulebook.ts";
import type { Connecting } from "./_connecting.ts";
import { statOf } from "../kernel/stat.ts";
import { type CallSockets, onLoopback } from "./call_sockets.ts";
import {
  type CallParts,
  type CallResult,
  inFolder,
  onName,
  permits,
  refusal,
  sharedName,
} from "./_call_result.ts";
import { copyOf } from "./_descriptors.ts";
import type { ProgramReach, WayOut } from "./handed_rules.ts";
import { type RefusedPlace, refusedPlace } from "./_refused_place.ts";
import { connectToProxy } from "./_to_proxy.ts";
import { readMask } from "../kernel/process_status.ts";
import { LEAVE, normalName, openExactly } from "./_names.ts";
import {
  addressText,
  FAMILIES,
  type InternetAddress,
  internetBytes,
  LARGEST_ADDRESS,
  localBytes,
  loopback,
  mapped,
  reachOf,
  readAddress,
  shownAddress,
} from "./socket_address.ts";

/** What it takes beside what all calls take. */
export interface SocketParts extends CallParts {
  readonly sockets: CallSockets;
  readonly connecting: Connecting;
  /** Null for programs that have no way out. */
  readonly reach: ProgramReach | null;
  /** Null where rules deny nothing of the call's own. */
  readonly deniedLoopback: DeniedLoopback | null;
  readonly refusePlace: (refused: RefusedPlace) => void;
}

/** SOL_SOCKET with SO_TYPE, SO_DOMAIN; IPPROTO_IPV6 with IPV6_V6ONLY (asm-generic/socket.h, linux/in6.h) */
const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SO_DOMAIN = 39;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const SOCK_STREAM = 1;
/** SOCK_NONBLOCK | SOCK_CLOEXEC (include/linux/net.h) */
const AT_ONCE = OPEN.NONBLOCK | OPEN.CLOEXEC;
/** SHUT_RDWR (shutdown(2)) */
const SHUT_BOTH = 2;
/** Asked for by root alone (net.ipv4.ip_unprivileged_port_start). */
const FIRST_FREE_PORT = 1024;
/** sizeof(struct sockaddr_un) less its family: no name is longer. */
const LONGEST_NAME = 108;
/** Where structures lie that are not those of who asks for them meanwhile. */
const PLACE = 1024;
const LENGTH_PLACE = PLACE + 256;
/** The mode of a socket before the mask (sock_alloc, net/socket.c). */
const SOCKET_MODE = 0o777;

/** For the programs of one listener. */
export class SocketDeeds {
  readonly #parts: SocketParts;
  readonly #connecting: Connecting;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#connecting = parts.connecting;
  }

  /** Nobody waits for anything any more. */
  close(): void {
    this.#connecting.close();
  }

  /** Does the call for the program, as far as it may. */
  do(name: SocketCall, call: HandedOver): CallResult {
    if (name === "getsockname") return this.#name(call);
    const copy = copyOf(this.#parts, call, call.words.int(0));
    if (copy < 0) return copy;
    let result: CallResult = -ERRNO.EACCES;
    try {
      const family = this.#option(copy, SOL_SOCKET, SO_DOMAIN);
      result = family === null
        ? -ERRNO.ENOTSOCK
        : name === "listen"
        ? this.#listen(copy, family, call.words.int(1))
        : this.#at(name, call, copy, family);
      return result;
    } finally {
      // Who connects closes it afterwards.
      if (typeof result !== "object") close(this.#parts.libc, copy);
    }
  }

  /** An option that is a number; null where it is no socket. */
  #option(socket: number, level: number, option: number): number | null {
    const { libc: { struct, structAddress, numbers, call } } = this.#parts;
    struct.setInt32(LENGTH_PLACE, 4, true);
    const length = structAddress + LENGTH_PLACE;
    const asked = call(numbers.getsockopt, socket, level, option, structAddress + PLACE, length);
    return asked < 0 ? null : struct.getInt32(PLACE, true);
  }

  #at(name: "bind" | "connect", call: HandedOver, copy: number, family: number): CallResult {
    const { notifications } = this.#parts;
    const size = call.words.int(2);
    if (size < 0 || size > LARGEST_ADDRESS) return -ERRNO.EINVAL;
    const bytes = notifications.bytes(call, call.words.at(1), size);
    if (typeof bytes === "number") return bytes;
    const address = readAddress(bytes);
    if (address === null) return -ERRNO.EINVAL;
    if (address.family === "none") {
      return name === "bind" || family === FAMILIES.unix
        ? -ERRNO.EINVAL
        : this.#with("connect", copy, new Uint8Array(16));
    }
    if (FAMILIES[address.family] !== family) return -ERRNO.EAFNOSUPPORT;
    if (address.family === "unix") return this.#local(name, call, copy, address.name);
    return name === "bind" ? this.#bind(copy, address) : this.#connect(copy, address);
  }

  /** A call with a socket and an address. */
  #with(name: "bind" | "connect", socket: number, address: Uint8Array): number {
    const { libc } = this.#parts;
    libc.structBytes.set(address, PLACE);
    return libc.call(libc.numbers[name], socket, libc.structAddress + PLACE, address.length);
  }

  #bind(copy: number, wanted: InternetAddress): number {
    const { libc, refusePlace, sockets } = this.#parts;
    const wide = reachOf(wanted.address) === "any";
    const six = wide && wanted.family === "inet6" &&
      this.#option(copy, IPPROTO_IPV6, IPV6_V6ONLY) === 0;
    // Both of its kinds, in place of all addresses: those of IPv6 come there too, see `CallSockets`.
    const place = six ? { ...wanted, address: mapped(loopback("inet")) } : onLoopback(wanted);
    if (place === null) {
      refusePlace(refusedPlace(shownAddress(wanted), "listen"));
      return -ERRNO.EACCES;
    }
    if (place.port !== 0 && place.port < FIRST_FREE_PORT) return -ERRNO.EACCES;
    const result = this.#with("bind", copy, internetBytes(place));
    if (result < 0) return result;
    const stat = statOf(libc, copy);
    const bound = this.#address("getsockname", copy);
    if (typeof stat === "number" || bound === null) return -ERRNO.EACCES;
    sockets.addPort(stat.inode, bound, wide);
    return result;
  }

  #listen(copy: number, family: number, backlog: number): number {
    const { libc, sockets } = this.#parts;
    const stat = statOf(libc, copy);
    if (typeof stat === "number") return stat;
    if (family === FAMILIES.inet || family === FAMILIES.inet6) {
      // One that is bound to nothing would be bound to all addresses.
      const bound = this.#address("getsockname", copy);
      if (bound === null || bound.port === 0) {
        const kind = family === FAMILIES.inet ? "inet" : "inet6";
        const result = this.#bind(copy, {
          family: kind,
          address: new Uint8Array(kind === "inet" ? 4 : 16),
          port: 0,
        });
        if (result < 0) return result;
      } else if (reachOf(bound.address) !== "loopback") return -ERRNO.EACCES;
      else if (!sockets.hasPort(stat.inode)) sockets.addPort(stat.inode, bound, false);
      if (this.#isDenied("listen", this.#address("getsockname", copy))) return -ERRNO.EACCES;
    } else if (sockets.nameOf(stat.inode) === null) return -ERRNO.EINVAL;
    return libc.call(libc.numbers.listen, copy, backlog);
  }

  #address(name: "getsockname" | "getpeername", socket: number): InternetAddress | null {
    const { libc: { struct, structAddress, structBytes, numbers, call } } = this.#parts;
    struct.setInt32(LENGTH_PLACE, LARGEST_ADDRESS, true);
    const length = structAddress + LENGTH_PLACE;
    if (call(numbers[name], socket, structAddress + PLACE, length) < 0) return null;
    const size = Math.min(struct.getInt32(LENGTH_PLACE, true), LARGEST_ADDRESS);
    const address = readAddress(structBytes.slice(PLACE, PLACE + size));
    return address?.family === "inet" || address?.family === "inet6" ? address : null;
  }

  #connect(copy: number, wanted: InternetAddress): CallResult {
    const { sockets, refusePlace, reach } = this.#parts;
    // Its address is no matter any more: the kernel says how far it has come.
    if (this.#isConnected(copy)) {
      const nowhere = { ...wanted, address: loopback(wanted.family), port: 0 };
      return this.#later(copy, internetBytes(nowhere), (result) => result);
    }
    const place = onLoopback(wanted);
    const outward = reach?.placeOf(place ?? wanted) ?? null;
    if (outward !== null && reach !== null) return this.#toProxy(copy, wanted, reach.open(outward));
    if (place !== null && this.#isDenied("connect", place)) return -ERRNO.EACCES;
    const to = place === null ? null : sockets.destination(place);
    if (to === null && reach !== null) {
      return this.#toProxy(copy, wanted, reach.openTo(place ?? wanted));
    }
    if (place === null) {
      refusePlace(refusedPlace(shownAddress(wanted), "connect"));
      return -ERRNO.EACCES;
    }
    if (to === null) return -ERRNO.ECONNREFUSED;
    return this.#later(copy, internetBytes(to), (result) => {
      if (result < 0 && result !== -ERRNO.EINPROGRESS || !sockets.leadsToOthers(to)) return result;
      // The call's own was gone, and somebody else was there at once.
      const { libc } = this.#parts;
      libc.call(libc.numbers.shutdown, copy, SHUT_BOTH);
      return -ERRNO.ECONNREFUSED;
    });
  }

  /** Whether a rule denies what its own call serves at a place of the loopback. */
  #isDenied(access: RefusedPlace["access"], place: InternetAddress | null): boolean {
    const { deniedLoopback, refusePlace } = this.#parts;
    if (deniedLoopback === null) return false;
    // Nobody can say which port it is: it may be one of theirs.
    if (place === null) return true;
    const host = addressText(place);
    const verdict = deniedLoopback(access, { host, port: place.port });
    if (verdict !== null) refusePlace({ place: shownAddress(place), access, verdict });
    return verdict !== null;
  }

  #toProxy(copy: number, wanted: InternetAddress, way: Promise<WayOut>): CallResult {
    const portOf = () => this.#address("getpeername", copy)?.port ?? null;
    return {
      later: connectToProxy({ ...this.#parts, portOf }, { copy, wanted, way }).then((result) => {
        close(this.#parts.libc, copy);
        return result;
      }),
    };
  }

  #isConnected(socket: number): boolean {
    const { libc: { struct, structAddress, numbers, call } } = this.#parts;
    struct.setInt32(LENGTH_PLACE, LARGEST_ADDRESS, true);
    const length = structAddress + LENGTH_PLACE;
    return call(numbers.getpeername, socket, structAddress + PLACE, length) >= 0;
  }

  /** Connects where this thread need not wait for it. The copy is closed afterwards. */
  #later(copy: number, address: Uint8Array, then: (result: number) => number): CallResult {
    const { libc } = this.#parts;
    return {
      later: this.#connecting.connect(copy, address).then((result) => {
        const said = then(result);
        close(libc, copy);
        return said;
      }),
    };
  }

  /** A socket that lies in a folder, or is to. */
  #local(name: "bind" | "connect", call: HandedOver, copy: number, bytes: Uint8Array): CallResult {
    const { libc, notifications, refusePlace } = this.#parts;
    const access = name === "bind" ? "listen" : "connect";
    const text = nameText(bytes);
    // Those that lie in no folder are everybody's on this machine.
    if (text === "" || text.startsWith("\0")) {
      refusePlace(refusedPlace(`@${text.slice(1).replace(/\0+$/, "")}`, access));
      return -ERRNO.EACCES;
    }
    const written = normalName(libc, notifications, call, AT_FDCWD, text);
    if (written === LEAVE) return -ERRNO.ENOENT;
    const parts = this.#parts;
    const act = name === "bind"
      ? (path: string) => this.#bindLocal(call, copy, path, bytes)
      : (path: string) => this.#connectLocal(copy, path);
    const local = ({ path, slash }: { readonly path: string; readonly slash: boolean }) =>
      slash ? -ERRNO.ENOENT : act(path);
    const done = onName(parts, sharedName(parts, written), name === "connect", local, local);
    if (done !== LEAVE) return done;
    refusePlace(refusedPlace(written.path, access));
    return -ERRNO.EACCES;
  }

  #bindLocal(call: HandedOver, copy: number, path: string, given: Uint8Array): CallResult {
    const { libc, sockets } = this.#parts;
    if (!permits(this.#parts, "write", path, "file", true)) {
      const present = -ERRNO.EADDRINUSE;
      return refusal(this.#parts, "write", path, "file", { makes: true, present });
    }
    const result = inFolder(this.#parts, path, (folder, name) => {
      const place = nameBytes(`/proc/self/fd/${folder}/${name}`);
      if (place.length >= LONGEST_NAME) return -ERRNO.ENAMETOOLONG;
      const bound = this.#with("bind", copy, localBytes(place));
      if (bound < 0) return bound === -ERRNO.EEXIST ? -ERRNO.EADDRINUSE : bound;
      const flags = OPEN.PATH | OPEN.CLOEXEC | libc.numbers.O_NOFOLLOW;
      const file = libc.call(libc.numbers.openat, folder, libc.path(name), flags);
      const stat = statOf(libc, copy);
      const isOwn = file >= 0 && typeof stat !== "number" && this.#isSilent(copy, file) &&
        sockets.addLocal({ descriptor: file, name: given, socket: stat.inode });
      if (isOwn) {
        const mask = readMask(libc, `/proc/${call.thread}/status`) ?? 0o077;
        const own = libc.path(`/proc/self/fd/${file}`);
        libc.call(libc.numbers.fchmodat, AT_FDCWD, own, SOCKET_MODE & ~mask);
        return 0;
      }
      if (file >= 0) close(libc, file);
      return -ERRNO.ENOBUFS;
    });
    return result;
  }

  /**
   * Whether nobody listens at the file of a socket, as at that of one which was just bound: what was put in its place in
   * between, whoever's it is, is not taken for it.
   */
  #isSilent(copy: number, file: number): boolean {
    const { libc } = this.#parts;
    const type = this.#option(copy, SOL_SOCKET, SO_TYPE) ?? SOCK_STREAM;
    const tried = libc.call(libc.numbers.socket, FAMILIES.unix, type | AT_ONCE, 0);
    if (tried < 0) return false;
    const result = this.#with("connect", tried, fileAddress(file));
    close(libc, tried);
    return result === -ERRNO.ECONNREFUSED;
  }

  #connectLocal(copy: number, path: string): CallResult {
    const { libc, sockets, refusePlace } = this.#parts;
    const file = openExactly(libc, path, OPEN.PATH | libc.numbers.O_NOFOLLOW);
    if (file < 0) return file;
    const own = sockets.hasLocal(file);
    if (!own) {
      close(libc, file);
      refusePlace(refusedPlace(path, "connect"));
      return -ERRNO.EACCES;
    }
    return this.#later(copy, fileAddress(file), (result) => {
      close(libc, file);
      return result;
    });
  }

  /** getsockname(2): the kernel knows a socket in a folder by the name that it was made by here. */
  #name(call: HandedOver): CallResult {
    const { libc, notifications, sockets } = this.#parts;
    if (!sockets.hasNames) return LEAVE;
    const copy = copyOf(this.#parts, call, call.words.int(0));
    if (copy < 0) return LEAVE;
    const stat = statOf(libc, copy);
    close(libc, copy);
    const name = typeof stat === "number" ? null : sockets.nameOf(stat.inode);
    if (name === null) return LEAVE;
    const [address, length] = [call.words.at(1), call.words.at(2)];
    const room = notifications.bytes(call, length, 4);
    if (typeof room === "number") return room;
    const size = new DataView(room.buffer).getInt32(0, true);
    if (size < 0) return -ERRNO.EINVAL;
    const all = localBytes(name);
    const written = notifications.write(call, address, all.subarray(0, size)) ||
      notifications.write(call, length, new Uint8Array(Uint32Array.of(all.length).buffer));
    return written;
  }
}

/** The name of an open file, which leads to it whatever lies at its path. */
function fileAddress(file: number): Uint8Array {
  return localBytes(new TextEncoder().encode(`/proc/self/fd/${file}`));
}
