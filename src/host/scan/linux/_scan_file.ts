/** Reading the files of a scan, which were opened by name without knowing what they are. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { ScanRoom } from "../../../core/scan.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import { statOf } from "../../kernel/stat.ts";

/** File systems that give less than there is at once (procfs, FUSE) give whole pages. */
const PAGE = 4096;

/** How the files and directories of a scan are opened: through no link, and never held up by what they turn out to be. */
export function flagsOf({ numbers }: Libc): number {
  return OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
}

/** The path of a name in a directory. */
export function pathBelow(directory: CanonicalPath, name: string): CanonicalPath {
  return `${directory === "/" ? "" : directory}/${name}` as CanonicalPath;
}

/** The path of a file as results show it, from that of its directory. */
export function pathShown(directory: string, name: string): string {
  if (directory === ".") return name;
  return `${directory}${directory.endsWith("/") ? "" : "/"}${name}`;
}

/** Puts the file of that name into the room: its length; null where it cannot be opened, and as `readToRoom` says. */
export function readNamed(
  libc: Libc,
  directory: number,
  name: string,
  flags: number,
  { room, limit }: { readonly room: ScanRoom; readonly limit: number },
): number | null {
  const descriptor = libc.files.open(directory, name, flags);
  if (descriptor < 0) return null;
  const length = readToRoom(libc, descriptor, room, limit);
  libc.files.close(descriptor);
  return length;
}

/**
 * Puts a file into the room: its length, or null where it is no regular file, larger than `limit`, or cannot be read.
 *
 * Its directory said that it is a regular file, and less than was asked for is all there is: most take one call. Where
 * a pipe has taken its place meanwhile, that gives what anybody here could have read from it; opened as it was, it
 * never waits. Whatever fills the room, or gives nothing or whole pages, is asked what it is.
 */
function readToRoom(
  libc: Libc,
  descriptor: number,
  room: ScanRoom,
  limit: number,
): number | null {
  const { bytes } = room;
  const count = libc.files.read(descriptor, bytes);
  if (count > 0 && count < bytes.length && count % PAGE !== 0) return count <= limit ? count : null;
  if (count < 0 && count !== -ERRNO.EINTR) return null;
  const stat = statOf(libc, descriptor);
  if (typeof stat === "number" || stat.type !== "file") return null;
  for (let have = Math.max(count, 0);;) {
    const size = Math.max(stat.size, have);
    if (size > limit) return null;
    // One byte more than there should be tells whether it ends where it says.
    if (room.bytes.length <= size) room.grow(Math.min(Math.max(size + 1, 2 * have), limit + 1));
    const rest = room.bytes.subarray(have);
    const more = libc.files.read(descriptor, rest);
    if (more === 0) return have;
    if (more > 0) have += more;
    else if (more !== -ERRNO.EINTR) return null;
  }
}

/** A regular file whole, in the buffer where it fits; null where it has more than `limit` bytes, or is none. */
export function readSmallFile(
  libc: Libc,
  descriptor: number,
  buffer: Uint8Array,
  limit: number,
): Uint8Array | null {
  const stat = statOf(libc, descriptor);
  if (typeof stat === "number" || stat.type !== "file" || stat.size > limit) return null;
  const bytes = stat.size < buffer.length ? buffer : new Uint8Array(limit + 1);
  const count = libc.files.read(descriptor, bytes);
  return count < 0 || count > limit ? null : bytes.subarray(0, count);
}
