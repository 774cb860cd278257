/**
 * Starting what was made since the kernel's rules were drawn: it becomes one of the files that they were drawn for
 * (`SpareFiles`), and then the kernel starts it by those rules, or does not.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { isWrittenByNobody } from "../kernel/lease.ts";
import { close } from "../kernel/pipes.ts";
import { isSameFile, type Stat, statAt, statOf } from "../kernel/stat.ts";
import { type CallParts, type CallResult, inFolder, pathOf, permits } from "./_call_result.ts";
import { LEAVE, openExactly } from "./_names.ts";
import { judgeStart } from "./_start_judging.ts";
import type { SpareFiles } from "./spare_files.ts";

/** A larger one is not copied: everybody else who hands calls over would wait for it. */
const LARGEST = 256 * 1024 * 1024;
/** S_IXUGO, S_ISUID | S_ISGID (include/uapi/linux/stat.h) */
const EXECUTABLE = 0o111;
const SET_IDS = 0o6000;
/** AT_SYMLINK_FOLLOW, AT_EMPTY_PATH (include/uapi/linux/fcntl.h) */
const FOLLOW = 0x400;
const EMPTY_PATH = 0x1000;
/** Where struct statx has the last access and the last change (include/uapi/linux/stat.h), and how long a time is. */
const ACCESSED = 64;
const MODIFIED = 112;
const TIME_SIZE = 16;

/** execve(2): what is not refused for good the kernel does, whatever comes of it. */
export function startFor(parts: CallParts, call: HandedOver, address: number): CallResult {
  const { spares, starts } = parts.rules;
  if (starts !== null) return judgeStart(parts, starts, call, address);
  if (spares === null) return LEAVE;
  pathOf(parts, call, AT_FDCWD, address, true, ({ path }) => {
    const done = replace(parts, spares, path);
    return done === -ERRNO.ELOOP ? done : LEAVE;
  });
  return LEAVE;
}

/**
 * Puts a copy in the place of a file that the program may read and write, which is no change: contents, mode, owner and
 * times are the same. What somebody has open for writing could not be executed anyway (ETXTBSY), and stays.
 */
function replace(parts: CallParts, spares: SpareFiles, path: string): number {
  const { libc, covered } = parts;
  if (covered === null || covered.has(path) || covered.holds(path)) return 0;
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY | libc.numbers.O_NOFOLLOW;
  const file = openExactly(libc, path, flags);
  if (file < 0) return file;
  try {
    const stat = statOf(libc, file);
    if (typeof stat === "number" || stat.type !== "file" || stat.size > LARGEST) return 0;
    const times = timesIn(libc);
    if ((stat.mode & EXECUTABLE) === 0 || (stat.mode & SET_IDS) !== 0 || spares.has(stat)) return 0;
    if (!permits(parts, "write", path, "file", true) || !isWrittenByNobody(libc, file)) return 0;
    const spare = spares.take();
    if (spare === null) return 0;
    try {
      const made = statOf(libc, spare);
      if (typeof made === "number" || !become(libc, { spare, made, file, stat, times })) return 0;
      const placed = inFolder(
        parts,
        path,
        (folder, name) => place(libc, { folder, name, spare, stat }),
      );
      if (placed >= 0) spares.became(made);
      return 0;
    } finally {
      // As long as it is open for writing it cannot be executed.
      close(libc, spare);
    }
  } finally {
    close(libc, file);
  }
}

/** Access and change, to the nanosecond, of what was looked at last: as utimensat(2) takes them. */
function timesIn({ struct, structBytes }: Libc): Uint8Array {
  const times = new Uint8Array(2 * TIME_SIZE);
  const view = new DataView(times.buffer);
  for (const [at, offset] of [ACCESSED, MODIFIED].entries()) {
    times.set(structBytes.subarray(offset, offset + 8), at * TIME_SIZE);
    view.setBigInt64(at * TIME_SIZE + 8, BigInt(struct.getUint32(offset + 8, true)), true);
  }
  return times;
}

function become(
  libc: Libc,
  { spare, made, file, stat, times }: {
    readonly spare: number;
    readonly made: Stat;
    readonly file: number;
    readonly stat: Stat;
    readonly times: Uint8Array;
  },
): boolean {
  const { numbers } = libc;
  for (let left = stat.size; left > 0;) {
    const copied = libc.callWide(numbers.copyFileRange, file, 0, spare, 0, left, 0);
    if (copied <= 0) return false;
    left -= Number(copied);
  }
  const isTheirs = made.user === stat.user && made.group === stat.group;
  if (!isTheirs && libc.call(numbers.fchown, spare, stat.user, stat.group) < 0) return false;
  if (libc.call(numbers.fchmod, spare, stat.mode) < 0) return false;
  libc.structBytes.set(times);
  const path = libc.path("");
  return libc.call(numbers.utimensat, spare, path, libc.structAddress, EMPTY_PATH) >= 0;
}

/** Gives it the name, as long as that is still that of the file that it is a copy of. */
function place(
  libc: Libc,
  { folder, name, spare, stat }: {
    readonly folder: number;
    readonly name: string;
    readonly spare: number;
    readonly stat: Stat;
  },
): number {
  const { call, numbers } = libc;
  const [random = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  const beside = `.toolgate-${random.toString(16)}.tmp`;
  const from = libc.path(`/proc/self/fd/${spare}`);
  const linked = call(numbers.linkat, AT_FDCWD, from, folder, libc.path(beside, 1), FOLLOW);
  if (linked < 0) return linked;
  const now = statAt(libc, folder, name);
  const isSame = typeof now !== "number" && isSameFile(now, stat);
  const placed = isSame
    ? call(numbers.renameat2, folder, libc.path(beside), folder, libc.path(name, 1), 0)
    : -ERRNO.ENOENT;
  if (placed < 0) call(numbers.unlinkat, folder, libc.path(beside), 0);
  return placed;
}
