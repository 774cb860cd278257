/**
 * Where a build keeps what it carries beside its modules for a use that most starts have not: the parser for
 * Python. The runtime reads all that is embedded at every start, twice over; this it never looks at.
 *
 * On Linux it stands in the executable before what `deno compile` appended, compressed, with a footer that says how
 * long it is. Elsewhere it is embedded, as a file beside the modules.
 */

/** Name of the file where it is embedded, beside the bundle. */
export const EMBEDDED_NAME = "python.wasm.zst";

/** "toolgate" in ASCII, then the length of the data before it (`u64`, little endian). */
export const FOOTER_SIZE = 16;
export const MAGIC = 0x6574_6167_6c6f_6f74n;

/** The footer behind `length` bytes of data. */
export function footerOf(length: number): Uint8Array {
  const footer = new DataView(new ArrayBuffer(FOOTER_SIZE));
  footer.setBigUint64(0, MAGIC, true);
  footer.setBigUint64(8, BigInt(length), true);
  return new Uint8Array(footer.buffer);
}

/** Where it is embedded for the running program. */
export function embeddedPath(): string {
  return `${import.meta.dirname}/${EMBEDDED_NAME}`;
}
