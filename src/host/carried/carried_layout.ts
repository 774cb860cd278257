/**
 * Where a build keeps what it carries beside its modules for uses that most starts have not: the parser for Python, and
 * those that code is analysed with. The runtime reads all that is embedded at every start, twice over; this it never
 * looks at.
 *
 * On Linux the parts stand in the executable before what `deno compile` appended, each compressed, with an index behind
 * them and a footer that says how long all of it is. Elsewhere each is embedded, as a file beside the modules.
 */

/** WebAssembly by name: the file that it is, by the npm package that has it. */
export type CarriedFiles = ReadonlyMap<string, string>;

/** The checker of Python's syntax, and the library that grammars are linked with. */
export const LIBRARIES: CarriedFiles = new Map([
  ["ruff", "@astral-sh/ruff-wasm-web/ruff_wasm_bg.wasm"],
  ["tree-sitter", "web-tree-sitter/web-tree-sitter.wasm"],
]);

/** Name of the folder, beside the bundle, that parts are embedded in. */
export const EMBEDDED_FOLDER = "carried";

/** Name of a part's file where it is embedded. */
export function embeddedName(name: string): string {
  return `${EMBEDDED_FOLDER}/${name}.wasm.zst`;
}

/** "toolgate" in ASCII, then the length of the data before it (`u64`, little endian). */
export const FOOTER_SIZE = 16;
/** The first half of a footer: "toolgate" in ASCII, as a number of little endian. */
export const MAGIC = 0x6574_6167_6c6f_6f74n;

/** The footer behind `length` bytes of data. */
export function footerOf(length: number): Uint8Array {
  const footer = new DataView(new ArrayBuffer(FOOTER_SIZE));
  footer.setBigUint64(0, MAGIC, true);
  footer.setBigUint64(8, BigInt(length), true);
  return new Uint8Array(footer.buffer);
}

/** What ends an index: its length before it (`u32`, little endian). */
export const INDEX_END = 4;

/** The index, which is the end of the data: as JSON each part's name and length, in the order in which they stand. */
export type Index = readonly (readonly [name: string, length: number])[];

/** The index as it is written. */
export function indexOf(index: Index): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(index));
  const written = new Uint8Array(text.length + INDEX_END);
  written.set(text);
  new DataView(written.buffer).setUint32(text.length, text.length, true);
  return written;
}

/** Where the parts are embedded for the running program. */
export function embeddedFolder(): string {
  return `${import.meta.dirname}/${EMBEDDED_FOLDER}`;
}

/** Where a part is. */
export function embeddedPath(name: string): string {
  return `${import.meta.dirname}/${embeddedName(name)}`;
}
