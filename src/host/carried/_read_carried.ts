/** Reads what an executable carries, by the layout that `carried_layout.ts` tells of. */

import { zstdDecompressSync } from "node:zlib";
import { ToolError } from "../../core/errors.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import {
  CARRIED_NAMES,
  type CarriedName,
  embeddedPath,
  FOOTER_SIZE,
  INDEX_SIZE,
  MAGIC,
} from "./carried_layout.ts";

/** The last bytes of what `deno compile` makes for Linux: two words, then the size of what it appended (`u64`). */
const TRAILER_SIZE = 16;
/** More than each part takes: in one piece it comes out a third quicker, and larger ones would come out all the same. */
const LARGEST_PIECE = 12 << 20;
const PIECE = 4 << 20;
/** More than any build carries. */
const MOST = 64 << 20;

/** unistd.h */
const SEEK_SET = 0;
const SEEK_END = 2;

/** `program`: a descriptor of the executable. Throws EXECUTION_ERROR where there is nothing to read. */
export function readCarried(
  name: CarriedName,
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
function readBefore(name: CarriedName, libc: Libc, program: number): Uint8Array | null {
  const end = libc.call(libc.numbers.lseek, program, -TRAILER_SIZE, SEEK_END);
  const trailer = end < 0 ? null : readAt(libc, program, end, TRAILER_SIZE);
  if (trailer === null) return null;
  const footerAt = end - Number(trailer.getBigUint64(8, true)) - FOOTER_SIZE;
  const footer = footerAt < 0 ? null : readAt(libc, program, footerAt, FOOTER_SIZE);
  if (footer === null || footer.getBigUint64(0, true) !== MAGIC) return null;
  const length = Number(footer.getBigUint64(8, true));
  if (length > Math.min(MOST, footerAt)) return null;
  const index = readAt(libc, program, footerAt - INDEX_SIZE, INDEX_SIZE);
  if (index === null) return null;
  const lengths = CARRIED_NAMES.map((_, at) => index.getUint32(4 * at, true));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  if (sum(lengths) + INDEX_SIZE !== length) return null;
  const at = CARRIED_NAMES.indexOf(name);
  const start = footerAt - length + sum(lengths.slice(0, at));
  const data = readAt(libc, program, start, lengths[at] ?? 0);
  return data === null ? null : new Uint8Array(data.buffer);
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
