/**
 * Watching files for programs (inotify(7)), which no rule of the kernel is asked about: the very object that was judged, as
 * one that they may read, and whatever it is called by.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";
import { statOf } from "../kernel/stat.ts";
import {
  type CallParts,
  type ExactName,
  onName,
  permits,
  refusal,
  sharedName,
} from "./_call_result.ts";
import { copyOf } from "./_descriptors.ts";
import { LEAVE, openExactly, writtenName } from "./_names.ts";

/** IN_DONT_FOLLOW (include/uapi/linux/inotify.h) */
const DONT_FOLLOW = 0x02000000;

/** inotify_add_watch(2), done with the program's own descriptor where it may read what it names; refused elsewhere. */
export function watchFor(parts: CallParts, call: HandedOver): number {
  const { libc, notifications } = parts;
  const { words } = call;
  const [watcher, address, mask] = [words.int(0), words.at(1), words.int(2)];
  if (watcher < 0) return -ERRNO.EBADF;
  const written = writtenName(libc, notifications, call, AT_FDCWD, address);
  if (written === LEAVE) {
    const text = notifications.text(call, address);
    return text === "" ? -ERRNO.ENOENT : -ERRNO.EFAULT;
  }
  const follow = (mask & DONT_FOLLOW) === 0 || written.slash;
  const copy = copyOf(parts, call, watcher);
  if (copy < 0) return copy;
  const watch = (exact: ExactName) => watchNamed(parts, exact, follow, { copy, mask });
  const done = onName(parts, sharedName(parts, written), follow, watch, watch);
  close(libc, copy);
  // What the policy does not speak of is nobody's to watch.
  return typeof done === "number" ? done : -ERRNO.EACCES;
}

/** Of a name without links: it is opened by it as a place, judged by it, and watched as what was opened. */
function watchNamed(
  parts: CallParts,
  { path, slash }: ExactName,
  follow: boolean,
  { copy, mask }: { readonly copy: number; readonly mask: number },
): number {
  const { libc } = parts;
  const { O_DIRECTORY, O_NOFOLLOW, inotifyAddWatch } = libc.numbers;
  const flags = OPEN.PATH | (follow ? 0 : O_NOFOLLOW) | (slash ? O_DIRECTORY : 0);
  const object = openExactly(libc, path, flags);
  if (object < 0) return object;
  const stat = statOf(libc, object);
  const kind = typeof stat !== "number" && stat.type === "directory" ? "directory" : "file";
  const result = permits(parts, "read", path, kind, true)
    ? libc.call(inotifyAddWatch, copy, libc.path(`/proc/self/fd/${object}`), mask & ~DONT_FOLLOW)
    : refusal(parts, "read", path, kind);
  close(libc, object);
  return result;
}
