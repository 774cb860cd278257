/** Descriptors of whoever hands a call over, as our own. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";
import type { CallParts } from "./_call_result.ts";
import { leaderOf } from "./_process_files.ts";

/** PIDFD_THREAD, since Linux 6.9 (include/uapi/linux/pidfd.h) */
const PIDFD_THREAD = OPEN.EXCL;

/** What the caller has by that number, as a descriptor of ours; or an error number with its sign turned. */
export function copyOf(
  { libc, notifications }: Pick<CallParts, "libc" | "notifications">,
  call: HandedOver,
  descriptor: number,
): number {
  const { numbers } = libc;
  let process = libc.call(numbers.pidfdOpen, call.thread, PIDFD_THREAD);
  if (process === -ERRNO.EINVAL) {
    const leader = leaderOf(libc, call.thread);
    process = leader === null ? -ERRNO.ESRCH : libc.call(numbers.pidfdOpen, leader, 0);
  }
  if (process < 0) return -ERRNO.EACCES;
  const copy = notifications.isWaiting(call)
    ? libc.call(numbers.pidfdGetfd, process, descriptor, 0)
    : -ERRNO.ESRCH;
  close(libc, process);
  return copy === -ERRNO.EPERM ? -ERRNO.EACCES : copy;
}
