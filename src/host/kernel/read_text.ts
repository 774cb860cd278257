/** Small files of text, through a descriptor. */

import type { Libc } from "../../sandbox/kernel/libc.ts";

/** What an open file holds, from where it stands to its end; null where that is `most` bytes or more, or no UTF-8. */
export function readText(libc: Libc, file: number, most: number): string | null {
  const bytes = new Uint8Array(most);
  let end = 0;
  while (end < bytes.length) {
    const rest = bytes.subarray(end);
    const count = libc.transfer(libc.numbers.read, file, rest, rest.length);
    if (count < 0) return null;
    if (count === 0) return textOf(bytes.subarray(0, end));
    end += count;
  }
  return null;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
