/** Two moments, accessed and modified, as calls have them in memory and as utimensat(2) takes them. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";

/** How a call says them: struct utimbuf, struct timeval[2], struct timespec[2] (include/uapi/linux/time.h, utime.h). */
export type Moments = "seconds" | "microseconds" | "nanoseconds";

/** struct utimbuf has no parts of seconds. */
const SIZES: Readonly<Record<Moments, number>> = { seconds: 16, microseconds: 32, nanoseconds: 32 };
const MICROSECONDS = 1_000_000n;

/** As struct timespec[2]; an error number with its sign turned, what `read` answers among them. */
export function momentsOf(
  moments: Moments,
  read: (size: number) => Uint8Array | number,
): Uint8Array | number {
  const bytes = read(SIZES[moments]);
  // What is no moment the kernel says.
  if (typeof bytes === "number" || moments === "nanoseconds") return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const all = new Uint8Array(SIZES.nanoseconds);
  const times = new DataView(all.buffer);
  for (const index of [0, 1]) {
    const step = SIZES[moments] / 2;
    times.setBigInt64(16 * index, view.getBigInt64(step * index, true), true);
    if (moments === "seconds") continue;
    const part = view.getBigInt64(step * index + 8, true);
    if (part < 0n || part >= MICROSECONDS) return -ERRNO.EINVAL;
    times.setBigInt64(16 * index + 8, part * 1000n, true);
  }
  return all;
}
