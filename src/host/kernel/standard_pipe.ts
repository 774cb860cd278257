/** Standard input and output as a thread has them that waits where it stands, and can be woken. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

const STDIN = 0;
const STDOUT = 1;

// poll.h
const POLLIN = 0x1;
const POLLOUT = 0x4;
/** Bytes of a struct pollfd. */
const POLLFD = 8;

/** Both ends. */
export interface StandardPipe {
  /** Waits for input, or its end: false where it was woken, or there was none in `ms`; as long as it takes without. */
  isReadable(ms?: number): boolean;
  /** Whether somebody wakes it, or has; waking counts once. */
  wasWoken(): boolean;
  /** How many bytes came: 0 at the end of the input, null where there are none now. */
  read(buffer: Uint8Array): number | null;
  /** Writes all of it, whoever is slow to read it. False where nobody reads it. */
  write(bytes: Uint8Array): boolean;
}

/** `wake`: the end of a pipe that does not wait, into which a byte is written to wake it. */
export function openStandardPipe(libc: Libc, wake: number): StandardPipe {
  const { numbers, struct, structAddress } = libc;
  const waking = new Uint8Array(16);
  /** Which of the descriptors have something to say. */
  const poll = (
    waited: readonly (readonly [descriptor: number, events: number])[],
    ms: number | null,
  ): readonly boolean[] => {
    for (const [at, [descriptor, events]] of waited.entries()) {
      struct.setInt32(at * POLLFD, descriptor, true);
      struct.setInt16(at * POLLFD + 4, events, true);
      struct.setInt16(at * POLLFD + 6, 0, true);
    }
    const time = waited.length * POLLFD;
    // struct timespec (time.h)
    struct.setBigInt64(time, BigInt(Math.floor((ms ?? 0) / 1_000)), true);
    struct.setBigInt64(time + 8, BigInt(((ms ?? 0) % 1_000) * 1_000_000), true);
    const until = ms === null ? 0 : structAddress + time;
    const ready = libc.call(numbers.ppoll, structAddress, waited.length, until, 0, 8);
    return waited.map((_, at) => ready > 0 && struct.getInt16(at * POLLFD + 6, true) !== 0);
  };
  return {
    isReadable(ms) {
      const [input = false, woken = false] = poll([[STDIN, POLLIN], [wake, POLLIN]], ms ?? null);
      return input && !woken;
    },
    wasWoken: () => libc.transfer(numbers.read, wake, waking, waking.length) > 0,
    read(buffer) {
      for (;;) {
        const count = libc.transfer(numbers.read, STDIN, buffer, buffer.length);
        if (count >= 0) return count;
        if (count === -ERRNO.EAGAIN) return null;
        // Any other error ends it as it ends the runtime's own reading.
        if (count !== -ERRNO.EINTR) return 0;
      }
    },
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        const rest = bytes.subarray(at);
        const count = libc.transfer(numbers.write, STDOUT, rest, rest.length);
        if (count >= 0) at += count;
        else if (count === -ERRNO.EAGAIN) poll([[STDOUT, POLLOUT]], null);
        else if (count !== -ERRNO.EINTR) return false;
      }
      return true;
    },
  };
}
