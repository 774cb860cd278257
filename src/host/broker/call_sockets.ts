/** The sockets that one call's programs serve to each other: what they may be connected to, and nothing else. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { close } from "../kernel/pipes.ts";
import { statOf } from "../kernel/stat.ts";
import type { Listeners } from "./_listeners.ts";
import { type InternetAddress, loopback, mapped, mappedIn, reachOf } from "./socket_address.ts";
import { Concurrency } from "./_concurrency.ts";

/** Sockets of TCP that are remembered before those that are gone are forgotten, and the last that are kept in any case. */
const MOST_PORTS = 1024;
const LAST_PORTS = 64;
/**
 * Connections that are begun at once, by the call and by all: each takes a thread, of which the runtime has 32 for all that
 * waits. None stays in it but one whose program makes its socket wait meanwhile: that one does until its call has ended.
 */
const MOST_CONNECTING = 2;
/** See there. */
export const MOST_CONNECTING_OF_ALL = 12;
/** Sockets in folders: each takes a descriptor of Toolgate's. */
const MOST_NAMES = 128;
/** STATX_NLINK, AT_EMPTY_PATH (include/uapi/linux/stat.h, fcntl.h); where struct statx has the number of names. */
const STATX_NLINK = 0x4;
const AT_EMPTY_PATH = 0x1000;
const NLINK_OFFSET = 16;

/** A socket that lies in a folder. Its descriptor keeps its number from becoming another's. */
interface LocalSocket {
  readonly descriptor: number;
  /** As the program named it. */
  readonly name: Uint8Array;
  /** Of the socket itself, beside that of its file. */
  readonly socket: number;
}

/** Of one call, whose programs may be many. */
export class CallSockets {
  readonly #libc: Libc;
  readonly #listeners: Listeners;
  /** By their numbers. */
  readonly #ports = new Map<number, { readonly place: InternetAddress; readonly wide: boolean }>();
  /** Connections being made. */
  readonly concurrency = new Concurrency(MOST_CONNECTING);
  readonly #locals = new Map<string, LocalSocket>();

  constructor(libc: Libc, listeners: Listeners) {
    this.#libc = libc;
    this.#listeners = listeners;
  }

  /** A socket of TCP is one of the call's, bound to an address of the loopback. `wide`: in place of all addresses. */
  addPort(socket: number, place: InternetAddress, wide: boolean): void {
    if (this.#ports.size >= MOST_PORTS) this.#forgetPorts();
    this.#ports.set(socket, { place, wide });
  }

  hasPort(socket: number): boolean {
    return this.#ports.has(socket);
  }

  #forgetPorts(): void {
    for (const [socket, { place }] of [...this.#ports].slice(0, -LAST_PORTS)) {
      if (this.#listeners.at(place) !== socket) this.#ports.delete(socket);
    }
  }

  /** Whether somebody else is reached by it. */
  leadsToOthers(to: InternetAddress): boolean {
    const found = this.#listeners.at(to);
    return found !== null && !this.#ports.has(found);
  }

  /**
   * Where a connection is made to, of an address of the loopback: there, or where one of the call's own stands for all
   * addresses. Null where none of the call's own is reached.
   */
  destination(to: InternetAddress): InternetAddress | null {
    const found = this.#listeners.at(to);
    if (found !== null) return this.#ports.has(found) ? to : null;
    const four = loopback("inet");
    const isFour = mappedIn(to.address) !== null || to.family === "inet";
    const candidates = isFour ? [four] : [loopback("inet6"), four];
    for (const address of candidates) {
      const reached = address === four && to.family === "inet6" ? mapped(four) : address;
      const other = { ...to, address: reached };
      const socket = this.#listeners.at(other);
      if (socket !== null && this.#ports.get(socket)?.wide === true) return other;
    }
    return null;
  }

  /** Null where it takes no more; else keeps what lies in a folder, by a descriptor that is its own from now on. */
  addLocal(local: LocalSocket): boolean {
    const stat = statOf(this.#libc, local.descriptor);
    if (typeof stat === "number") return false;
    if (this.#locals.size >= MOST_NAMES) this.#forgetRemoved();
    if (this.#locals.size >= MOST_NAMES) return false;
    this.#locals.set(`${stat.device} ${stat.inode}`, local);
    return true;
  }

  #forgetRemoved(): void {
    const { numbers, struct, structAddress } = this.#libc;
    for (const [key, { descriptor }] of this.#locals) {
      const path = this.#libc.path("");
      const asked = this.#libc.call(
        numbers.statx,
        descriptor,
        path,
        AT_EMPTY_PATH,
        STATX_NLINK,
        structAddress,
      );
      if (asked < 0 || struct.getUint32(NLINK_OFFSET, true) > 0) continue;
      close(this.#libc, descriptor);
      this.#locals.delete(key);
    }
  }

  /** Whether what a descriptor refers to is the file of one of them. */
  hasLocal(descriptor: number): boolean {
    const stat = statOf(this.#libc, descriptor);
    return typeof stat !== "number" && this.#locals.has(`${stat.device} ${stat.inode}`);
  }

  /** As its program named it; null for one that is none of them. */
  nameOf(socket: number): Uint8Array | null {
    for (const local of this.#locals.values()) if (local.socket === socket) return local.name;
    return null;
  }

  get hasNames(): boolean {
    return this.#locals.size > 0;
  }

  close(): void {
    this.concurrency.close();
    for (const { descriptor } of this.#locals.values()) close(this.#libc, descriptor);
    this.#locals.clear();
  }
}

/** The address of the loopback that stands for one: itself, or that of its kind in place of any. Null beyond. */
export function onLoopback(to: InternetAddress): InternetAddress | null {
  const reach = reachOf(to.address);
  if (reach === "loopback") return to;
  if (reach === "beyond") return null;
  const isMapped = mappedIn(to.address) !== null;
  return { ...to, address: isMapped ? mapped(loopback("inet")) : loopback(to.family) };
}
