/** Small files of text, through a descriptor. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "./pipes.ts";
import { statOf } from "./stat.ts";

/** As `readText`, of the file at a path without links; null where there is none. */
export function textAt(libc: Libc, path: string, most: number): string | null {
  const file = openWithoutLinks(libc, path, OPEN.RDONLY | OPEN.NONBLOCK);
  if (file < 0) return null;
  const text = readText(libc, file, most);
  close(libc, file);
  return text;
}

/** As `textAt`, of a plain file and of nothing else: a pipe has no end that can be waited for. */
export function plainTextAt(libc: Libc, path: string, most: number): string | null {
  const file = openWithoutLinks(libc, path, OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY);
  if (file < 0) return null;
  try {
    const stat = statOf(libc, file);
    if (typeof stat === "number" || stat.type !== "file") return null;
    return readText(libc, file, most);
  } finally {
    close(libc, file);
  }
}

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
