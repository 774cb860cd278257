/** Watching folders by `inotify(7)`. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import type { FolderEvent, FolderWatch } from "../folder_reader.ts";
import { type MountWatch, watchMounts } from "./_mounts.ts";

/** include/uapi/linux/inotify.h */
const IN = {
  MOVED_FROM: 0x40,
  MOVED_TO: 0x80,
  CREATE: 0x100,
  DELETE: 0x200,
  DELETE_SELF: 0x400,
  UNMOUNT: 0x2000,
  Q_OVERFLOW: 0x4000,
  IGNORED: 0x8000,
  ONLYDIR: 0x0100_0000,
  ISDIR: 0x4000_0000,
} as const;
const WANTED = IN.MOVED_FROM | IN.MOVED_TO | IN.CREATE | IN.DELETE | IN.DELETE_SELF | IN.ONLYDIR;
/** IN_CLOEXEC and IN_NONBLOCK are the flags of `open` (the same header). */
const INIT_FLAGS = OPEN.CLOEXEC | OPEN.NONBLOCK;

/**
 * Folders that are watched at the most: each holds about 1 KB of the kernel's memory (inotify(7)). The limit of the
 * user (fs.inotify.max_user_watches) is shared with editors and build tools, which are left half.
 */
const MOST_WATCHES = 65_536;
const LIMIT_FILE = "/proc/sys/fs/inotify/max_user_watches";

/** include/uapi/linux/magic.h, and that of ZFS: whatever is done to them is done by this kernel, and told of. */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x2fc12fc1, // ZFS
]);

const BUFFER_BYTES = 64 * 1024;
/** struct inotify_event without its name: wd, mask, cookie and the length of the name (inotify(7)). */
const HEADER_BYTES = 16;

/**
 * Its descriptors are closed on exec. A mount over a watched folder is told of by no event of inotify, so changes of
 * the mounts count as something that nobody told of.
 */
export function openFolderWatch(libc: Libc): FolderWatch | null {
  const { numbers } = libc;
  const mounts = watchMounts(libc);
  if (mounts === null) return null;
  const queue = libc.call(numbers.inotifyInit1, INIT_FLAGS);
  if (queue < 0) {
    mounts.close();
    return null;
  }
  return new InotifyWatch(libc, queue, mounts);
}

class InotifyWatch implements FolderWatch {
  readonly #libc: Libc;
  readonly #queue: number;
  readonly #mounts: MountWatch;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #most: number;
  readonly #local = new Set<number>();
  readonly #live = new Set<number>();
  #closed = false;

  constructor(libc: Libc, queue: number, mounts: MountWatch) {
    this.#libc = libc;
    this.#queue = queue;
    this.#mounts = mounts;
    this.#most = Math.min(MOST_WATCHES, Math.floor(userLimit(libc, this.#buffer) / 2));
  }

  add(descriptor: number, device: number): number | null {
    const { numbers } = this.#libc;
    if (this.#closed || this.#live.size >= this.#most) return null;
    if (!this.#local.has(device) && !this.#isLocal(descriptor)) return null;
    this.#local.add(device);
    const path = this.#libc.path(`/proc/self/fd/${descriptor}`);
    const watched = this.#libc.call(numbers.inotifyAddWatch, this.#queue, path, WANTED);
    if (watched < 0) return null;
    this.#live.add(watched);
    return watched;
  }

  #isLocal(descriptor: number): boolean {
    const { numbers, struct, structAddress } = this.#libc;
    if (this.#libc.call(numbers.fstatfs, descriptor, structAddress) < 0) return false;
    // struct statfs begins with its type (asm-generic/statfs.h): a long, of which the magic numbers take 32 bits.
    return LOCAL_FILE_SYSTEMS.has(struct.getUint32(0, true));
  }

  remove(watched: number): void {
    if (this.#closed || !this.#live.delete(watched)) return;
    this.#libc.call(this.#libc.numbers.inotifyRmWatch, this.#queue, watched);
  }

  take(): readonly FolderEvent[] | null {
    if (this.#closed || this.#mounts.changed()) return null;
    const events: FolderEvent[] = [];
    for (;;) {
      const { numbers } = this.#libc;
      const buffer = this.#buffer;
      const count = this.#libc.transfer(numbers.read, this.#queue, buffer, buffer.length);
      if (count === -ERRNO.EINTR) continue;
      if (count === -ERRNO.EAGAIN) return events;
      if (count <= 0 || !this.#parse(count, events)) return null;
    }
  }

  /** False where events were lost. */
  #parse(count: number, events: FolderEvent[]): boolean {
    const view = new DataView(this.#buffer.buffer, 0, count);
    for (let offset = 0; offset < count;) {
      const watched = view.getInt32(offset, true);
      const mask = view.getUint32(offset + 4, true);
      const length = view.getUint32(offset + 12, true);
      const start = offset + HEADER_BYTES;
      offset = start + length;
      if ((mask & IN.Q_OVERFLOW) !== 0) return false;
      if ((mask & IN.IGNORED) !== 0) this.#live.delete(watched);
      const end = this.#buffer.indexOf(0, start);
      const name = this.#buffer.slice(start, length === 0 || end === -1 ? start : end);
      const ended = (mask & (IN.DELETE_SELF | IN.UNMOUNT | IN.IGNORED)) !== 0;
      const kind = ended ? "end" : (mask & IN.ISDIR) !== 0 ? "folder" : "entry";
      events.push({ watched, kind, name });
    }
    return true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#libc.call(this.#libc.numbers.close, this.#queue);
    this.#mounts.close();
  }
}

/** The watches that this user may have; 8,192, the least that kernels begin with, where that is not told. */
function userLimit(libc: Libc, buffer: Uint8Array): number {
  const { numbers } = libc;
  const file = libc.call(
    numbers.openat,
    AT_FDCWD,
    libc.path(LIMIT_FILE),
    OPEN.RDONLY | OPEN.CLOEXEC,
  );
  if (file < 0) return 8_192;
  const count = libc.transfer(numbers.read, file, buffer, buffer.length);
  libc.call(numbers.close, file);
  const told = Number(new TextDecoder().decode(buffer.subarray(0, Math.max(count, 0))));
  return told > 0 ? told : 8_192;
}
