/** A C library whose callers fail, or die, at a chosen system call. */

import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";

/** What ends a writer that dies. */
export class Crash extends Error {}

export interface Failing {
  readonly libc: Libc;
  readonly calls: () => number;
  /** Closes what a dead writer had open, as the kernel does, and with it lets its locks go. */
  readonly bury: () => void;
}

/** The `n`th system call that is no `close` fails with `errno`, or, without one, ends the writer there. */
export function failingAt(n: number, errno: number | null, base: Libc = LIBC): Failing {
  const { numbers } = LIBC;
  const open = new Set<number>();
  let calls = 0;
  const fails = (number: number): boolean => number !== numbers.close && ++calls === n;
  const pass: Libc["call"] = (number, ...rest) => {
    const result = base.call(number, ...rest);
    if ((number === numbers.openat || number === numbers.openat2) && result >= 0) open.add(result);
    if (number === numbers.close) open.delete(Number(rest[0]));
    return result;
  };
  // A dead writer calls nothing any more; the kernel closes its files.
  const requireAlive = (number: number): void => {
    if (calls >= n && errno === null && number !== numbers.close) throw new Crash();
  };
  const libc: Libc = {
    ...base,
    call(number, ...rest) {
      requireAlive(number);
      if (!fails(number)) return pass(number, ...rest);
      if (errno === null) throw new Crash();
      return -errno;
    },
    callWide(number, ...rest) {
      requireAlive(number);
      if (!fails(number)) return base.callWide(number, ...rest);
      if (errno === null) throw new Crash();
      return -errno;
    },
    transfer(number, ...rest) {
      requireAlive(number);
      if (!fails(number)) return base.transfer(number, ...rest);
      if (errno === null) {
        // Half of it was written.
        const [descriptor, buffer, count] = rest;
        base.transfer(number, descriptor, buffer, count >> 1);
        throw new Crash();
      }
      return -errno;
    },
  };
  const bury = (): void => open.forEach((descriptor) => LIBC.call(numbers.close, descriptor));
  return { libc, calls: () => calls, bury };
}
