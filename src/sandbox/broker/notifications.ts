/** Calls that programs hand over, as the kernel tells of them and takes the answers (seccomp_unotify(2)). */

import { ERRNO } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { AT_FDCWD } from "../kernel/open_without_links.ts";
import { LISTENING } from "../launcher/program_steps.ts";
import type { MemoryReader } from "./memory_reader.ts";

/** A call that somebody waits for. */
export interface HandedOver {
  /** The kernel's number for it: the lower and the upper half. */
  readonly low: number;
  readonly high: number;
  /** The thread that made it, which waits; its number may be another's as soon as it was killed. */
  readonly thread: number;
  readonly number: number;
  /** Its arguments, until the next call is received. */
  readonly words: Words;
}

/** The arguments of a call, as the registers had them: 64 bits each. */
export class Words {
  /** Lower and upper halves. */
  readonly #halves = new Int32Array(2 * WORDS);

  /** From a structure, at an offset. */
  take(struct: DataView, offset: number): void {
    for (let half = 0; half < 2 * WORDS; half++) {
      this.#halves[half] = struct.getInt32(offset + 4 * half, true);
    }
  }

  /** As the kernel takes what is an `int`: 32 bits of it, whatever is above. */
  int(index: number): number {
    return this.#halves[2 * index]!;
  }

  /** An address or a size: exact below 2^53, and no such above. */
  at(index: number): number {
    return (this.#halves[2 * index + 1]! >>> 0) * 2 ** 32 + (this.#halves[2 * index]! >>> 0);
  }

  /** A number with a sign. */
  wide(index: number): bigint {
    return BigInt(this.#halves[2 * index + 1]!) * 2n ** 32n +
      BigInt(this.#halves[2 * index]! >>> 0);
  }
}

/** SECCOMP_IOCTL_NOTIF_RECV, SEND, ID_VALID, ADDFD, SET_FLAGS (include/uapi/linux/seccomp.h) */
const IOCTL = {
  RECEIVE: 0xc0502100,
  SEND: 0xc0182101,
  IS_VALID: 0x40082102,
  ADD_DESCRIPTOR: 0x40182103,
  SET_FLAGS: 0x40082104,
} as const;
/** SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, since Linux 6.6 (the same header): who answers and who waits take turns. */
const SYNC_WAKE_UP = 1;
/** SECCOMP_USER_NOTIF_FLAG_CONTINUE, SECCOMP_ADDFD_FLAG_SEND (the same header) */
const FLAG_CONTINUE = 1;
const FLAG_SEND = 2;
/** sizeof(struct seccomp_notif); the data of the call begins at 16, its words at 32 (the same header). */
const NOTICE_SIZE = 80;
const ANSWER_SIZE = 24;
const WORDS_OFFSET = 32;
const WORDS = 6;
/** SECCOMP_SET_MODE_FILTER, SECCOMP_GET_NOTIF_SIZES (the same header) */
const SET_MODE_FILTER = 1;
const GET_SIZES = 3;
const OPEN_CLOEXEC = 0o2000000;
/** Where what is written lies, and the two structures that say from where and to where (process_vm_writev(2)). */
const OWN_PLACE = 128;
const BYTES_PLACE = 256;

/**
 * Null where calls can be handed over here and their names be read, else why not. Asks without putting a filter on
 * anything; whether a listener is there already, which would be the only one, only the first start tells.
 */
export function handingMissing(libc: Libc): string | null {
  const { numbers, struct, structAddress } = libc;
  const sized = libc.call(numbers.seccomp, GET_SIZES, 0, structAddress);
  const isKnown = sized >= 0 && struct.getUint16(0, true) === NOTICE_SIZE &&
    struct.getUint16(2, true) === ANSWER_SIZE;
  // Flags that it knows get as far as the filter, which is not there.
  const asked = libc.call(numbers.seccomp, SET_MODE_FILTER, LISTENING, 0);
  if (!isKnown || asked !== -ERRNO.EFAULT) {
    return "this kernel, or container, has no seccomp user notification of Linux 5.19";
  }
  // Of no size that it knows: EINVAL where the call is there.
  const opened = libc.call(numbers.openat2, AT_FDCWD, libc.path("/"), structAddress, 0);
  return opened === -ERRNO.EINVAL ? null : "this kernel, or container, has no openat2";
}

/** One listener. Uses the beginning of the library's room for structures. */
export class Notifications {
  readonly #libc: Libc;
  readonly #memory: MemoryReader;
  readonly #words = new Words();
  readonly listener: number;

  constructor(libc: Libc, memory: MemoryReader, listener: number) {
    this.#libc = libc;
    this.#memory = memory;
    this.listener = listener;
    libc.call(libc.numbers.ioctl, listener, IOCTL.SET_FLAGS, SYNC_WAKE_UP);
  }

  /** The next call. Null where who made it has gone meanwhile. Waits for one. */
  receive(): HandedOver | null {
    const { numbers, struct, structAddress } = this.#libc;
    // The kernel takes it empty alone.
    for (let offset = 0; offset < NOTICE_SIZE; offset += 4) struct.setInt32(offset, 0, true);
    if (this.#libc.call(numbers.ioctl, this.listener, IOCTL.RECEIVE, structAddress) < 0) {
      return null;
    }
    this.#words.take(struct, WORDS_OFFSET);
    return {
      low: struct.getUint32(0, true),
      high: struct.getUint32(4, true),
      thread: struct.getUint32(8, true),
      number: struct.getInt32(16, true),
      words: this.#words,
    };
  }

  /** Whether it still waits: what was read of its thread meanwhile was its own. */
  isWaiting(call: HandedOver): boolean {
    const { numbers, structAddress } = this.#libc;
    this.#name(call);
    return this.#libc.call(numbers.ioctl, this.listener, IOCTL.IS_VALID, structAddress) >= 0;
  }

  /**
   * The text of a name at an address of its memory (`nameText`), without the closing NUL; or an error number with its sign
   * turned: EFAULT, ENAMETOOLONG, EPERM where it cannot be looked at.
   */
  text(call: HandedOver, address: number): string | number {
    const read = this.unsureText(call, address);
    return typeof read === "number" || this.isWaiting(call) ? read : -ERRNO.ESRCH;
  }

  /** As `text`, but it may be of another's memory: only to be used once `isWaiting` was asked after it. */
  unsureText({ thread }: HandedOver, address: number): string | number {
    return this.#memory.text(thread, address);
  }

  /** The text of a name, as it may have been read before. */
  textOf(bytes: Uint8Array, length: number): string {
    return this.#memory.texts.textOf(bytes, 0, length);
  }

  /** So many bytes at an address of its memory; an error number with its sign turned where they are not there. */
  bytes(call: HandedOver, address: number, size: number): Uint8Array | number {
    const read = this.#memory.bytes(call.thread, address, size);
    if (!this.isWaiting(call)) return -ERRNO.ESRCH;
    return read ?? -ERRNO.EFAULT;
  }

  /**
   * Puts bytes at an address of its memory: 0, or an error number with its sign turned. A moment after it was seen to wait
   * nobody else has its number, as numbers are given in a round.
   */
  write(call: HandedOver, address: number, bytes: Uint8Array): number {
    if (bytes.length === 0) return 0;
    if (!Number.isSafeInteger(address)) return -ERRNO.EFAULT;
    const { numbers, struct, structAddress, structBytes } = this.#libc;
    structBytes.set(bytes, BYTES_PLACE);
    const [own, theirs] = [OWN_PLACE, OWN_PLACE + 16];
    struct.setBigUint64(own, BigInt(structAddress + BYTES_PLACE), true);
    struct.setBigUint64(own + 8, BigInt(bytes.length), true);
    struct.setBigUint64(theirs, BigInt(address), true);
    struct.setBigUint64(theirs + 8, BigInt(bytes.length), true);
    if (!this.isWaiting(call)) return -ERRNO.ESRCH;
    const written = this.#libc.callWide(
      numbers.processVmWritev,
      call.thread,
      structAddress + own,
      1,
      structAddress + theirs,
      1,
      0,
    );
    return written === bytes.length ? 0 : -ERRNO.EFAULT;
  }

  /** The call's result: at least 0, or an error number with its sign turned. */
  answer(call: HandedOver, result: number): void {
    this.#send(call, result, 0);
  }

  /** The kernel does it as if nobody had been asked: the program's own rules hold it. */
  leave(call: HandedOver): void {
    this.#send(call, 0, FLAG_CONTINUE);
  }

  /** Puts its number where every structure has it. */
  #name({ low, high }: HandedOver): void {
    const { struct } = this.#libc;
    struct.setUint32(0, low, true);
    struct.setUint32(4, high, true);
  }

  #send(call: HandedOver, result: number, flags: number): void {
    const { numbers, struct, structAddress } = this.#libc;
    this.#name(call);
    struct.setUint32(8, Math.max(result, 0), true);
    struct.setUint32(12, 0, true);
    struct.setInt32(16, Math.min(result, 0), true);
    struct.setUint32(20, flags, true);
    this.#libc.call(numbers.ioctl, this.listener, IOCTL.SEND, structAddress);
  }

  /** Gives the program a copy of a descriptor as the result of its call. */
  give(call: HandedOver, descriptor: number, closesOnExec: boolean): void {
    const { numbers, struct, structAddress } = this.#libc;
    this.#name(call);
    struct.setUint32(8, FLAG_SEND, true);
    struct.setUint32(12, descriptor, true);
    struct.setUint32(16, 0, true);
    struct.setUint32(20, closesOnExec ? OPEN_CLOEXEC : 0, true);
    const given = this.#libc.call(
      numbers.ioctl,
      this.listener,
      IOCTL.ADD_DESCRIPTOR,
      structAddress,
    );
    // It has as many open files as it may have; where it is gone nobody hears this either.
    if (given < 0) this.answer(call, given === -ERRNO.ENOENT ? -ERRNO.EINTR : given);
  }
}
