/** Reading the names in the calls of programs: from their own memory, once each. */

import { ERRNO } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { KnownTexts } from "./known_texts.ts";

/** Reads of other processes. Addresses are whole below 2^53; at others nothing is there. */
export interface MemoryReader {
  /** The text at an address, without its NUL; or an error number with its sign turned, as `Notifications.text`. */
  text(thread: number, address: number): string | number;
  /** So many bytes at an address; null where not all of them are there. */
  bytes(thread: number, address: number, size: number): Uint8Array | null;
  /** Texts that were read before. */
  readonly texts: KnownTexts;
}

/** PATH_MAX with its NUL (include/uapi/linux/limits.h) */
const PATH_MAX = 4096;
/** The smallest page: what lies behind it may not be there. */
const PAGE = 4096;
/** Where the structures lie that say from where and to where (process_vm_readv(2)), and what is read. */
const OWN_PLACE = 128;
const THEIR_PLACES = OWN_PLACE + 16;
const TEXT_PLACE = 256;
/** What is read at first: few names are longer. */
const USUAL = 256;

/** Uses the library's room for structures. */
export function createMemoryReader(libc: Libc): MemoryReader {
  const { struct, structAddress, structBytes, numbers } = libc;
  const texts = new KnownTexts();
  const put = (place: number, address: number, size: number): void => {
    struct.setUint32(place, address >>> 0, true);
    struct.setUint32(place + 4, Math.floor(address / 2 ** 32), true);
    struct.setUint32(place + 8, size, true);
    struct.setUint32(place + 12, 0, true);
  };
  /** How many bytes came. */
  const read = (thread: number, from: number, size: number): number => {
    if (!Number.isSafeInteger(from)) return -ERRNO.EFAULT;
    put(OWN_PLACE, structAddress + TEXT_PLACE, size);
    // A part in a page that is not there does not take the one before it along.
    const first = Math.min(PAGE - from % PAGE, size);
    put(THEIR_PLACES, from, first);
    put(THEIR_PLACES + 16, from + first, size - first);
    return libc.callWide(
      numbers.processVmReadv,
      thread,
      structAddress + OWN_PLACE,
      1,
      structAddress + THEIR_PLACES,
      first === size ? 1 : 2,
      0,
    );
  };
  const endOf = (count: number): number => {
    const most = TEXT_PLACE + count;
    let at = TEXT_PLACE;
    while (at < most && structBytes[at] !== 0) at++;
    return at < most ? at : -1;
  };
  return {
    texts,
    bytes(thread, from, size) {
      const all = new Uint8Array(size);
      for (let at = 0; at < size;) {
        const wanted = Math.min(size - at, PATH_MAX);
        if (read(thread, from + at, wanted) !== wanted) return null;
        all.set(structBytes.subarray(TEXT_PLACE, TEXT_PLACE + wanted), at);
        at += wanted;
      }
      return all;
    },
    text(thread, from) {
      let count = read(thread, from, USUAL);
      let end = endOf(count);
      if (count === USUAL && end < 0) {
        count = read(thread, from, PATH_MAX);
        end = endOf(count);
      }
      // One that may not be looked at, or an address of nothing.
      if (count < 0) return -ERRNO.EPERM;
      if (end < 0) return count === PATH_MAX ? -ERRNO.ENAMETOOLONG : -ERRNO.EFAULT;
      return texts.textOf(structBytes, TEXT_PLACE, end);
    },
  };
}
