/**
 * Whether a read or a write would block, asked of the kernel: a blocking read that is known to have data
 * costs a fifth of an awaited one (measured with Deno 2.7.11: 23 µs a round trip against 128), and a write that is known to
 * have room cannot stop the pipe's loop.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";

// poll.h
const POLLIN = 0x1;
const POLLOUT = 0x4;
const POLLERR = 0x8;
const POLLHUP = 0x10;

/** A pipe that is writable takes this many bytes without blocking: PIPE_BUF (limits.h, pipe(7)). */
export const WRITABLE_BYTES = 4096;

const STDIN = 0;
const STDOUT = 1;

/** F_SETPIPE_SZ (include/uapi/linux/fcntl.h), and what an ordinary user may ask for (/proc/sys/fs/pipe-max-size, pipe(7)). */
const F_SETPIPE_SZ = 1031;
const PIPE_BYTES = 1 << 20;
/** F_GETPIPE_SZ: an error for what is no pipe. */
const F_GETPIPE_SZ = 1032;
/** RWF_NOWAIT (include/uapi/linux/fs.h) */
const RWF_NOWAIT = 8;
/** The position of what has none: pwritev2(2) then writes where the descriptor is. */
const HERE = -1;

/** Whether the ends of the pipe would block, and writing where they do not. */
export interface Readiness {
  /** Standard input has bytes or has ended; waits at most `ms`. */
  readable(ms: number): boolean;
  /** Standard output takes {@linkcode WRITABLE_BYTES}, or its reader is gone. */
  writable(): boolean;
  /**
   * Writes as much to standard output as goes without blocking: how many bytes that were, 0 where none. Null where the
   * kernel knows no such write to what is behind it; `writable` tells then.
   */
  writeNow(bytes: Uint8Array): number | null;
}

/** Without a C library nothing is ever known to be ready: then all is awaited. */
export function createReadiness(libc: Libc | null): Readiness {
  if (libc === null) {
    return { readable: () => false, writable: () => false, writeNow: () => null };
  }
  // A pipe of 64 KiB makes a large answer wait for its reader many times. Not a pipe, or not allowed: as it is.
  libc.call(libc.numbers.fcntl, STDOUT, F_SETPIPE_SZ, PIPE_BYTES);
  let canWriteNow = true;
  /** Of a pipe that has a name, which knows no such write: the same pipe opened once more, by one who does not wait. */
  let unwaiting: number | null = null;
  const poll = (descriptor: number, events: number, ms: number): boolean => {
    // struct pollfd, then struct timespec (poll.h, time.h)
    libc.struct.setInt32(0, descriptor, true);
    libc.struct.setInt16(4, events, true);
    libc.struct.setInt16(6, 0, true);
    libc.struct.setBigInt64(8, 0n, true);
    libc.struct.setBigInt64(16, BigInt(Math.round(ms * 1_000_000)), true);
    const { structAddress } = libc;
    if (libc.call(libc.numbers.ppoll, structAddress, 1, structAddress + 8, 0, 8) <= 0) return false;
    return (libc.struct.getInt16(6, true) & (events | POLLERR | POLLHUP)) !== 0;
  };
  return {
    readable: (ms) => poll(STDIN, POLLIN, ms),
    writable: () => poll(STDOUT, POLLOUT, 0),
    writeNow(bytes) {
      if (unwaiting !== null) return writeUnwaiting(libc, unwaiting, bytes);
      const address = canWriteNow ? addressOf(bytes) : null;
      if (address === null) return null;
      // struct iovec (bits/types/struct_iovec.h)
      libc.struct.setBigUint64(0, address, true);
      libc.struct.setBigUint64(8, BigInt(bytes.length), true);
      const { numbers, structAddress } = libc;
      const written = libc.callWide(
        numbers.pwritev2,
        STDOUT,
        structAddress,
        1,
        HERE,
        HERE,
        RWF_NOWAIT,
      );
      if (written >= 0) return written;
      if (written === -ERRNO.EAGAIN) return 0;
      canWriteNow = false;
      unwaiting = written === -ERRNO.EOPNOTSUPP ? openUnwaiting(libc) : null;
      return unwaiting === null ? null : writeUnwaiting(libc, unwaiting, bytes);
    },
  };
}

/** Null where standard output is no pipe, or may not be opened. */
function openUnwaiting(libc: Libc): number | null {
  const { openat, fcntl } = libc.numbers;
  if (libc.call(fcntl, STDOUT, F_GETPIPE_SZ) <= 0) return null;
  const path = libc.path(`/proc/self/fd/${STDOUT}`);
  const flags = OPEN.WRONLY | OPEN.NONBLOCK | OPEN.CLOEXEC;
  const opened = libc.call(openat, AT_FDCWD, path, flags);
  return opened < 0 ? null : opened;
}

/** Null where nobody will read it: whoever writes then in the ordinary way is told so. */
function writeUnwaiting(libc: Libc, descriptor: number, bytes: Uint8Array): number | null {
  const written = libc.transfer(libc.numbers.write, descriptor, bytes, bytes.length);
  if (written >= 0) return written;
  return written === -ERRNO.EAGAIN ? 0 : null;
}

/** Where the bytes lie; null where `ffi` is not granted any more. */
function addressOf(bytes: Uint8Array): bigint | null {
  try {
    return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes as Uint8Array<ArrayBuffer>));
  } catch {
    return null;
  }
}
