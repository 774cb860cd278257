/** What the kernel says of a process or thread in the first lines of its status. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "./pipes.ts";

/** Name, mask, state and numbers are the first lines (proc_pid_status(5); the mask since Linux 4.7). */
const STATUS_BYTES = 256;

/** The mask of a thread, of its status; null where it cannot be told. */
export function readMask(libc: Libc, status: string): number | null {
  const mask = readField(libc, status, /\nUmask:\s*([0-7]+)/);
  return mask === null ? null : Number.parseInt(mask, 8);
}

/** What the first lines of a status say; null where it cannot be read. */
export function readField(libc: Libc, status: string, field: RegExp): string | null {
  const { numbers } = libc;
  const file = libc.call(numbers.openat, AT_FDCWD, libc.path(status), OPEN.RDONLY | OPEN.CLOEXEC);
  if (file < 0) return null;
  const bytes = new Uint8Array(STATUS_BYTES);
  let count: number;
  do count = libc.transfer(numbers.read, file, bytes, bytes.length); while (count === -ERRNO.EINTR);
  close(libc, file);
  if (count <= 0) return null;
  return field.exec(new TextDecoder().decode(bytes.subarray(0, count)))?.[1] ?? null;
}

/** This process's own mask; null where it cannot be told. */
export function ownMask(libc: Libc): number | null {
  return readMask(libc, "/proc/self/status");
}
