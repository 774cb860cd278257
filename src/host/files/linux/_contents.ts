/** Bytes into files, and from file to file without passing through this process where the kernel can. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import type { Target } from "../file_backend.ts";
import { refusal } from "../../kernel/refusal.ts";
import { statOf } from "../../kernel/stat.ts";

/** Up to here reading and writing once is quicker than asking the kernel for something cleverer. */
const SMALL_BYTES = 64 * 1024;
const BUFFER_BYTES = 1024 * 1024;
/** At most so much between two looks at whether the call is to end. */
const STRIDE_BYTES = 64 * 1024 * 1024;
/** FICLONE (include/uapi/linux/fs.h): the same blocks for both files, where the file system shares them. */
const FICLONE = 0x40049409;
/** lseek(2): include/uapi/linux/fs.h */
const SEEK_SET = 0;
const SEEK_DATA = 3;
const SEEK_HOLE = 4;

/** What copy_file_range(2) says of files that it does not do. */
const NOT_IN_KERNEL: ReadonlySet<number> = new Set([
  ERRNO.EXDEV,
  ERRNO.EINVAL,
  ERRNO.ENOSYS,
  ERRNO.EOPNOTSUPP,
  ERRNO.EPERM,
  ERRNO.EBADF,
]);

export function writeAll(libc: Libc, target: Target, descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) {
    const rest = done === 0 ? bytes : bytes.subarray(done);
    const count = libc.transfer(libc.numbers.write, descriptor, rest, rest.length);
    if (count === -ERRNO.EINTR) continue;
    if (count < 0) throw refusal(target, count);
    done += count;
  }
}

/**
 * Fills an empty file with the contents of another and leaves its position at the end: the number of bytes. Memory
 * is bounded, and holes stay holes where the file system tells of them. Both descriptors are at their start.
 */
export function copyContents(
  libc: Libc,
  target: Target,
  from: number,
  to: number,
  checkpoint: () => void,
): number {
  const stat = statOf(libc, from);
  if (typeof stat === "number") throw refusal(target, stat);
  // Files that never say their size (of procfs) say 0.
  if (stat.size <= SMALL_BYTES) {
    return copyByHand(libc, target, { from, to, end: Infinity, checkpoint });
  }
  if (libc.call(libc.numbers.ioctl, to, FICLONE, from) === 0) {
    const size = statOf(libc, to);
    if (typeof size === "object") return seek(libc, target, to, size.size);
  }
  let done = 0;
  while (done < stat.size) {
    const start = seekTo(libc, from, done, SEEK_DATA, stat.size);
    if (start >= stat.size) break;
    const end = Math.min(seekTo(libc, from, start, SEEK_HOLE, stat.size), stat.size);
    seek(libc, target, from, start);
    seek(libc, target, to, start);
    const copied = copyRange(libc, target, { from, to, end: end - start, checkpoint });
    done = start + copied;
    // It became shorter meanwhile.
    if (done < end) return done;
  }
  const cut = libc.call(libc.numbers.ftruncate, to, stat.size);
  if (cut < 0) throw refusal(target, cut);
  return seek(libc, target, to, stat.size);
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** Bytes from where both are. */
  readonly end: number;
  readonly checkpoint: () => void;
}

/** Bytes copied: fewer than asked for where the file ends. */
function copyRange(libc: Libc, target: Target, range: Range): number {
  const { from, to, end, checkpoint } = range;
  let done = 0;
  while (done < end) {
    checkpoint();
    const most = Math.min(end - done, STRIDE_BYTES);
    const count = libc.callWide(libc.numbers.copyFileRange, from, 0, to, 0, most, 0);
    if (count === -ERRNO.EINTR) continue;
    // Some kernels copy nothing where they cannot (5.3 to 5.18, of procfs and FUSE); by hand it is sure.
    if (count === 0 || count < 0 && NOT_IN_KERNEL.has(-count)) {
      return done + copyByHand(libc, target, { ...range, end: end - done });
    }
    if (count < 0) throw refusal(target, count);
    done += count;
  }
  return done;
}

function copyByHand(libc: Libc, target: Target, { from, to, end, checkpoint }: Range): number {
  const buffer = new Uint8Array(end > SMALL_BYTES && end !== Infinity ? BUFFER_BYTES : SMALL_BYTES);
  let done = 0;
  while (done < end) {
    if (done > 0) checkpoint();
    const most = Math.min(buffer.length, end - done);
    const count = libc.transfer(libc.numbers.read, from, buffer, most);
    if (count === -ERRNO.EINTR) continue;
    if (count < 0) throw refusal(target, count);
    if (count === 0) break;
    writeAll(libc, target, to, buffer.subarray(0, count));
    done += count;
  }
  return done;
}

/** Where data or a hole begins at or after `offset`: the end where there is no more, `offset` where nobody knows. */
function seekTo(libc: Libc, file: number, offset: number, whence: number, size: number): number {
  const found = libc.callWide(libc.numbers.lseek, file, offset, whence);
  if (found >= 0) return found;
  return found === -ERRNO.ENXIO || whence === SEEK_HOLE ? size : offset;
}

function seek(libc: Libc, target: Target, file: number, offset: number): number {
  const result = libc.callWide(libc.numbers.lseek, file, offset, SEEK_SET);
  if (result < 0) throw refusal(target, result);
  return result;
}
