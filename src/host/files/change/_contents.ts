/** Bytes into files, and from file to file without passing through this process where that can be. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { refusal } from "../../kernel/refusal.ts";
import type { Target } from "../file_backend.ts";
import { CANNOT, type FilePrimitives, type Handle } from "../primitives.ts";

/** Up to here reading and writing once is quicker than asking the kernel for something cleverer. */
const SMALL_BYTES = 64 * 1024;
const BUFFER_BYTES = 1024 * 1024;
/** At most so much between two looks at whether the call is to end. */
const STRIDE_BYTES = 64 * 1024 * 1024;

/** Writes all of it, however little is taken at once. */
export function writeAll(
  files: FilePrimitives,
  target: Target,
  file: Handle,
  bytes: Uint8Array,
): void {
  for (let done = 0; done < bytes.length;) {
    const count = files.write(file, done === 0 ? bytes : bytes.subarray(done));
    if (count === -ERRNO.EINTR) continue;
    if (count < 0) throw refusal(target, count);
    done += count;
  }
}

/**
 * Fills an empty file with the contents of another and leaves its position at the end: the number of bytes. Memory
 * is bounded, and holes stay holes: those that the file system tells of, else whole buffers of zeros. Both handles are
 * at their start.
 */
export function copyContents(
  files: FilePrimitives,
  target: Target,
  from: Handle,
  to: Handle,
  checkpoint: () => void,
): number {
  const stat = files.statOf(from);
  if (typeof stat === "number") throw refusal(target, stat);
  // Files that never say their size (of procfs) say 0.
  if (stat.size <= SMALL_BYTES) {
    return copyByHand(files, target, { from, to, start: 0, count: Infinity, checkpoint }, false);
  }
  if (files.clone(from, to) === 0) {
    const cloned = files.statOf(to);
    if (typeof cloned === "object") return seek(files, target, to, cloned.size);
  }
  let done = 0;
  while (done < stat.size) {
    const data = files.seekNext(from, "data", done);
    const start = data >= 0 ? data : data === -ERRNO.ENXIO ? stat.size : done;
    if (start >= stat.size) break;
    const hole = files.seekNext(from, "hole", start);
    const end = hole < 0 ? stat.size : Math.min(hole, stat.size);
    seek(files, target, from, start);
    seek(files, target, to, start);
    const range = { from, to, start, count: end - start, checkpoint };
    done = start + copyRange(files, target, range, data < 0);
    // It became shorter meanwhile.
    if (done < end) return finish(files, target, to, done);
  }
  return finish(files, target, to, stat.size);
}

interface Range {
  readonly from: Handle;
  readonly to: Handle;
  /** Where both are. */
  readonly start: number;
  /** Bytes from there. */
  readonly count: number;
  readonly checkpoint: () => void;
}

/** Bytes copied: fewer than asked for where the file ends. `sparse`: nobody could tell of holes. */
function copyRange(files: FilePrimitives, target: Target, range: Range, sparse: boolean): number {
  const { from, to, start, count, checkpoint } = range;
  let done = 0;
  while (done < count) {
    checkpoint();
    const copied = files.copyRange(from, to, Math.min(count - done, STRIDE_BYTES));
    if (copied === -ERRNO.EINTR) continue;
    // Some kernels copy nothing where they cannot (5.3 to 5.18, of procfs and FUSE); by hand it is sure.
    if (copied === 0 || copied === CANNOT) {
      const rest = { ...range, start: start + done, count: count - done };
      return done + copyByHand(files, target, rest, sparse);
    }
    if (copied < 0) throw refusal(target, copied);
    done += copied;
  }
  return done;
}

function copyByHand(files: FilePrimitives, target: Target, range: Range, sparse: boolean): number {
  const { from, to, start, count, checkpoint } = range;
  const isSmall = count <= SMALL_BYTES || count === Infinity;
  const buffer = new Uint8Array(isSmall ? SMALL_BYTES : BUFFER_BYTES);
  let done = 0;
  while (done < count) {
    if (done > 0) checkpoint();
    const copied = files.read(from, buffer, Math.min(buffer.length, count - done));
    if (copied === -ERRNO.EINTR) continue;
    if (copied < 0) throw refusal(target, copied);
    if (copied === 0) break;
    done += copied;
    if (sparse && copied === BUFFER_BYTES && isZero(buffer)) seek(files, target, to, start + done);
    else writeAll(files, target, to, buffer.subarray(0, copied));
  }
  return done;
}

function isZero(buffer: Uint8Array): boolean {
  const words = new Uint32Array(buffer.buffer);
  for (let index = 0; index < words.length; index++) {
    if (words[index] !== 0) return false;
  }
  return true;
}

/** What ends in a hole gets its length, and the position is at the end. */
function finish(files: FilePrimitives, target: Target, file: Handle, size: number): number {
  const cut = files.truncate(file, size);
  if (cut < 0) throw refusal(target, cut);
  return seek(files, target, file, size);
}

function seek(files: FilePrimitives, target: Target, file: Handle, offset: number): number {
  const result = files.seek(file, offset);
  if (result < 0) throw refusal(target, result);
  return result;
}
