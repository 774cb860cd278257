/** Reads what an executable carries, by the layout that `carried_layout.ts` tells of. */

import { zstdDecompressSync } from "node:zlib";
import { ToolError } from "../../core/errors.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { embeddedPath, FOOTER_SIZE, type Index, INDEX_END, MAGIC } from "./carried_layout.ts";

/** The last bytes of what `deno compile` makes for Linux: two words, then the size of what it appended (`u64`). */
const TRAILER_SIZE = 16;
/** More than each part takes: in one piece it comes out a third quicker, and larger ones would come out all the same. */
const LARGEST_PIECE = 12 << 20;
const PIECE = 4 << 20;
/** More than any build carries. */
const MOST = 64 << 20;
const LARGEST_INDEX = 64 << 10;

/** unistd.h */
const SEEK_SET = 0;
const SEEK_END = 2;

/** `program`: a descriptor of the executable. Throws EXECUTION_ERROR where there is nothing to read. */
export function readCarried(
  name: string,
  libc: Libc | null,
  program: number | null,
): Uint8Array {
  const data = libc !== null && program !== null ? readBefore(name, libc, program) : null;
  const chunkSize = name === "ruff" ? LARGEST_PIECE : PIECE;
  try {
    return zstdDecompressSync(data ?? Deno.readFileSync(embeddedPath(name)), { chunkSize });
  } catch {
    throw new ToolError(
      "EXECUTION_ERROR",
      name === "ruff"
        ? "the parser for Python, which the executable carries, cannot be read; " +
          "validate_syntax: false writes without it"
        : `the parser (${name}), which the executable carries, cannot be read; install it anew`,
    );
  }
}

/** What stands before the appended part; null where this build has nothing there. */
function readBefore(name: string, libc: Libc, program: number): Uint8Array | null {
  const end = libc.call(libc.numbers.lseek, program, -TRAILER_SIZE, SEEK_END);
  const trailer = end < 0 ? null : readAt(libc, program, end, TRAILER_SIZE);
  if (trailer === null) return null;
  const footerAt = end - Number(trailer.getBigUint64(8, true)) - FOOTER_SIZE;
  const footer = footerAt < 0 ? null : readAt(libc, program, footerAt, FOOTER_SIZE);
  if (footer === null || footer.getBigUint64(0, true) !== MAGIC) return null;
  const length = Number(footer.getBigUint64(8, true));
  if (length > Math.min(MOST, footerAt)) return null;
  const index = readIndex(libc, program, footerAt, length);
  const found = index?.findIndex(([part]) => part === name) ?? -1;
  if (index === null || found < 0) return null;
  const start = index.slice(0, found).reduce((sum, [, size]) => sum + size, footerAt - length);
  const data = readAt(libc, program, start, index[found]?.[1] ?? 0);
  return data === null ? null : new Uint8Array(data.buffer);
}

/** The index of `length` bytes of data that end at a place; null where it is none of theirs. */
function readIndex(libc: Libc, program: number, dataEnd: number, length: number): Index | null {
  const size = readAt(libc, program, dataEnd - INDEX_END, INDEX_END)?.getUint32(0, true) ?? 0;
  if (size === 0 || size > Math.min(LARGEST_INDEX, length - INDEX_END)) return null;
  const text = readAt(libc, program, dataEnd - INDEX_END - size, size);
  if (text === null) return null;
  try {
    const index = JSON.parse(new TextDecoder().decode(text)) as Index;
    const parts = index.reduce((sum, [, part]) => sum + part, 0);
    return parts + size + INDEX_END === length ? index : null;
  } catch {
    return null;
  }
}

/** Null where the file ends before. */
function readAt(libc: Libc, program: number, offset: number, count: number): DataView | null {
  if (libc.call(libc.numbers.lseek, program, offset, SEEK_SET) < 0) return null;
  const bytes = new Uint8Array(count);
  for (let filled = 0; filled < count;) {
    const rest = bytes.subarray(filled);
    const read = libc.transfer(libc.numbers.read, program, rest, rest.length);
    if (read <= 0) return null;
    filled += read;
  }
  return new DataView(bytes.buffer);
}
