/** Writing what the line itself says, without keeping those waiting who are to read it. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { isWritable } from "../../kernel/pipes.ts";
import { statOf } from "../../kernel/stat.ts";
import type { LineHost } from "./line_host.ts";

/** How much was written: all of it, or an error number with its sign turned. */
export async function writeAll(
  { libc, spawner }: Pick<LineHost, "libc" | "spawner">,
  descriptor: number,
  bytes: Uint8Array,
): Promise<number> {
  if (descriptor === CLOSED) return -ERRNO.EBADF;
  for (let done = 0; done < bytes.length;) {
    const rest = bytes.subarray(done);
    // On a thread that may wait: the pipe may be full, and its reader be this very thread. One write, so that
    // what others write stays apart (PIPE_BUF, pipe(7)).
    const count = takesAtOnce(libc, descriptor, rest.length)
      ? libc.transfer(libc.numbers.write, descriptor, rest, rest.length)
      // It does not say why: nobody who reads is all that happens to a pipe.
      : await spawner.blocking(libc.numbers.write, descriptor, rest, rest.length);
    if (count === -1) return -ERRNO.EPIPE;
    if (count < 0 && count !== -ERRNO.EINTR) return count;
    done += Math.max(0, count);
  }
  return bytes.length;
}

/** PIPE_BUF (include/uapi/linux/limits.h) */
const PIPE_BUF = 4096;

/** Whether writing so much keeps nobody waiting: a file takes all, and a pipe that can be written to as much as PIPE_BUF. */
function takesAtOnce(libc: Libc, descriptor: number, count: number): boolean {
  const stat = statOf(libc, descriptor);
  if (typeof stat !== "number" && stat.type === "file") return true;
  if (count > PIPE_BUF) return false;
  return isWritable(libc, descriptor);
}
