/**
 * Where a build keeps what it carries beside its modules for uses that most starts have not: the parser for Python, and
 * those that code is analysed with. The runtime reads all that is embedded at every start, twice over; this it never
 * looks at.
 *
 * On Linux the parts stand in the executable before what `deno compile` appended, each compressed, with an index behind
 * them and a footer that says how long all of it is. Elsewhere each is embedded, as a file beside the modules.
 */

import { GRAMMARS } from "../../core/syntax_tree.ts";

/** What is carried: WebAssembly, by name, as the package has it that it is from. */
export const CARRIED: Readonly<Record<CarriedName, string>> = {
  ruff: "@astral-sh/ruff-wasm-web/ruff_wasm_bg.wasm",
  "tree-sitter": "web-tree-sitter/web-tree-sitter.wasm",
  typescript: "tree-sitter-typescript/tree-sitter-typescript.wasm",
  tsx: "tree-sitter-typescript/tree-sitter-tsx.wasm",
  javascript: "tree-sitter-javascript/tree-sitter-javascript.wasm",
  python: "tree-sitter-python/tree-sitter-python.wasm",
  go: "tree-sitter-go/tree-sitter-go.wasm",
  rust: "tree-sitter-rust/tree-sitter-rust.wasm",
  java: "tree-sitter-java/tree-sitter-java.wasm",
  c: "tree-sitter-c/tree-sitter-c.wasm",
  cpp: "tree-sitter-cpp/tree-sitter-cpp.wasm",
  bash: "tree-sitter-bash/tree-sitter-bash.wasm",
};

/** The checker of Python's syntax, the library that grammars are linked with, and the grammars. */
export type CarriedName = "ruff" | "tree-sitter" | (typeof GRAMMARS)[number];

/** All parts, in the order in which they stand. */
export const CARRIED_NAMES: readonly CarriedName[] = ["ruff", "tree-sitter", ...GRAMMARS];

/** Name of a part's file where it is embedded, beside the bundle. */
export function embeddedName(name: CarriedName): string {
  return `${name}.wasm.zst`;
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

/**
 * The index, which is the end of the data: the length of each part, in their order (`u32`, little endian). The parts are
 * those of {@linkcode CARRIED_NAMES}.
 */
export const INDEX_SIZE = 4 * CARRIED_NAMES.length;

/** The index of parts of these lengths, in bytes. */
export function indexOf(lengths: readonly number[]): Uint8Array {
  const index = new DataView(new ArrayBuffer(INDEX_SIZE));
  lengths.forEach((length, at) => index.setUint32(4 * at, length, true));
  return new Uint8Array(index.buffer);
}

/** Where a part is embedded for the running program. */
export function embeddedPath(name: CarriedName): string {
  return `${import.meta.dirname}/${embeddedName(name)}`;
}
