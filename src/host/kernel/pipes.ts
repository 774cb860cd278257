/** Pipes and other descriptors as the running of programs needs them: every one closes with execve(2). */

import { ToolError } from "../../core/errors.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";

/** F_SETFL, F_GETPIPE_SZ (include/uapi/linux/fcntl.h, asm-generic/fcntl.h) */
const F_SETFL = 4;
const F_GETPIPE_SZ = 1032;

/** Both ends of a pipe. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** A new pipe. Throws RESOURCE_LIMIT where there are too many open files. */
export function openPipe(libc: Libc): Pipe {
  const { numbers, struct, structAddress } = libc;
  const result = libc.call(numbers.pipe2, structAddress, OPEN.CLOEXEC);
  if (result < 0) throw noDescriptors();
  return { read: struct.getInt32(0, true), write: struct.getInt32(4, true) };
}

/** RESOURCE_LIMIT: no pipe or socket could be made. */
export function noDescriptors(): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    "a program cannot be connected: this process, or the machine, has too many open files",
  );
}

/** Of an end that no program shares: reading and writing it answers EAGAIN instead of waiting. */
export function setNonBlocking(libc: Libc, descriptor: number): void {
  libc.call(libc.numbers.fcntl, descriptor, F_SETFL, OPEN.NONBLOCK);
}

/** Bytes that the empty pipe takes at once: less than usual for users with many pipes (pipe(7)). */
export function capacityOf(libc: Libc, descriptor: number): number {
  return Math.max(0, libc.call(libc.numbers.fcntl, descriptor, F_GETPIPE_SZ));
}

/** POLLOUT (include/uapi/asm-generic/poll.h) */
const POLLOUT = 4;
const POLLERR = 8;

/** Whether writing there keeps nobody waiting: a pipe takes PIPE_BUF bytes then, or has nobody who reads (poll(2), pipe(7)). */
export function isWritable(libc: Libc, descriptor: number): boolean {
  const { call, numbers, struct, structAddress } = libc;
  // struct pollfd, and behind it a time of nothing.
  struct.setInt32(0, descriptor, true);
  struct.setInt16(4, POLLOUT, true);
  struct.setInt16(6, 0, true);
  struct.setBigInt64(8, 0n, true);
  struct.setBigInt64(16, 0n, true);
  const ready = call(numbers.ppoll, structAddress, 1, structAddress + 8, 0, 0);
  return ready === 1 && (struct.getInt16(6, true) & (POLLOUT | POLLERR)) !== 0;
}

/** Lets a descriptor go. */
export function close(libc: Libc, descriptor: number): void {
  libc.call(libc.numbers.close, descriptor);
}

/** What may be written there now; 0 where that is nothing, null where nobody reads any more. */
export function writeSome(libc: Libc, descriptor: number, bytes: Uint8Array): number | null {
  for (;;) {
    const count = libc.transfer(libc.numbers.write, descriptor, bytes, bytes.length);
    if (count >= 0) return count;
    if (count === -ERRNO.EAGAIN) return 0;
    if (count !== -ERRNO.EINTR) return null;
  }
}

/** Bytes read into the buffer; 0 at the end (or at an error, which for a pipe there is none), null for none now. */
export function readSome(libc: Libc, descriptor: number, buffer: Uint8Array): number | null {
  for (;;) {
    const count = libc.transfer(libc.numbers.read, descriptor, buffer, buffer.length);
    if (count >= 0) return count;
    if (count === -ERRNO.EAGAIN) return null;
    if (count !== -ERRNO.EINTR) return 0;
  }
}
