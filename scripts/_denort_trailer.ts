/** What `deno compile` appends to its base for Linux: where it begins, and the base without it. */

/**
 * What the last 16 bytes of such a binary hold: two fixed words, then the size of what was appended
 * before them (`u32`, `u32`, `u64`, little endian). Seen in the output of Deno 2.7.11.
 */
const FIRST_WORD = 0x501e;
const SECOND_WORD = 0x2a7;
const TRAILER_SIZE = 16;

/**
 * The base that `binary` was compiled from: all but what was appended and the trailer.
 * Throws Error where the trailer is not there or names a size that cannot be.
 */
export function cutDenort(binary: Uint8Array): Uint8Array {
  return binary.subarray(0, appendedAt(binary));
}

/** Where in `binary` the appended part begins. Throws Error as {@linkcode cutDenort}. */
export function appendedAt(binary: Uint8Array): number {
  if (binary.length < TRAILER_SIZE) {
    throw new Error(`no compiled binary: ${binary.length} bytes, shorter than its trailer`);
  }
  const end = binary.length - TRAILER_SIZE;
  const trailer = new DataView(binary.buffer, binary.byteOffset + end, TRAILER_SIZE);
  if (trailer.getUint32(0, true) !== FIRST_WORD || trailer.getUint32(4, true) !== SECOND_WORD) {
    throw new Error("no compiled binary of Linux: its last 16 bytes are not the trailer");
  }
  const appended = trailer.getBigUint64(8, true);
  if (appended === 0n || appended >= BigInt(end)) {
    throw new Error(`damaged binary: its trailer tells of ${appended} bytes before it, of ${end}`);
  }
  return end - Number(appended);
}
