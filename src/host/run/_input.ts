/** What programs read: text written into a pipe beside all else, as far as they take it. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { capacityOf, close, openPipe, setNonBlocking, writeSome } from "../kernel/pipes.ts";
import { type Poller, WRITABLE } from "../kernel/poller.ts";

/** A pipe that gives `bytes` and then its end. */
export interface Input {
  /** For the programs; to be closed by who asked for it. */
  readonly read: number;
  /** Writes no more. A program that does not read must not hold us up. */
  stop(): void;
}

/** Throws RESOURCE_LIMIT where no pipe can be had. */
export function openInput(libc: Libc, poller: Poller, bytes: Uint8Array): Input {
  const { read, write } = openPipe(libc);
  if (bytes.length <= capacityOf(libc, write)) {
    if (bytes.length > 0) writeSome(libc, write, bytes);
    close(libc, write);
    return { read, stop: () => {} };
  }
  setNonBlocking(libc, write);
  let written = 0;
  let open = true;
  const stop = (): void => {
    if (!open) return;
    open = false;
    watch.close();
    close(libc, write);
  };
  const feed = (): void => {
    while (written < bytes.length) {
      const count = writeSome(libc, write, bytes.subarray(written));
      if (count === null) return stop();
      if (count === 0) return;
      written += count;
    }
    stop();
  };
  const watch = poller.watch(write, WRITABLE, feed);
  return { read, stop };
}
