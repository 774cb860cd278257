/** Whether something was mounted, moved or unmounted: by `/proc/self/mountinfo`, or by asking for all mounts where that is closed. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../../sandbox/kernel/open_without_links.ts";

/** The mounts of this process, held with what they were. */
export interface MountWatch {
  /** Whether they are others than when this was last asked; true when unsure. */
  changed(): boolean;
  close(): void;
}

const MOUNTS_FILE = "/proc/self/mountinfo";

/** poll.h: what a change of the mounts is told by (proc_pid_mountinfo(5)). */
const POLLPRI = 0x2;
const POLLERR = 0x8;

/** LSMT_ROOT, and sizeof(struct mnt_id_req) in its first version (include/uapi/linux/mount.h). */
const ALL_MOUNTS = 0xffff_ffff_ffff_ffffn;
const REQUEST_BYTES = 24;
/** STATMOUNT_MNT_BASIC | STATMOUNT_MNT_ROOT | STATMOUNT_MNT_POINT (the same header): what, and where. */
const WANTED = 0x2n | 0x8n | 0x10n;
/** Where in the room for structures the ids stand, and what is told of one mount: a header of 512 bytes, and two paths. */
const IDS_OFFSET = 64;
const MOST_MOUNTS = 1_024;
const MOUNT_OFFSET = 16 * 1024;
const MOUNT_BYTES = 12 * 1024;

/**
 * Null where neither way is open. A thread that the kernel holds may not read what lies in /proc, but may ask: from
 * Linux 6.8 on (listmount(2), statmount(2)).
 */
export function watchMounts(libc: Libc): MountWatch | null {
  return byFile(libc) ?? byAsking(libc);
}

function byFile(libc: Libc): MountWatch | null {
  const { numbers, struct, structAddress } = libc;
  const flags = OPEN.RDONLY | OPEN.CLOEXEC;
  const file = libc.call(numbers.openat, AT_FDCWD, libc.path(MOUNTS_FILE), flags);
  if (file < 0) return null;
  return {
    changed() {
      // struct pollfd, then a struct timespec of zero (poll.h, time.h)
      struct.setInt32(0, file, true);
      struct.setInt16(4, POLLPRI, true);
      struct.setInt16(6, 0, true);
      struct.setBigInt64(8, 0n, true);
      struct.setBigInt64(16, 0n, true);
      const ready = libc.call(numbers.ppoll, structAddress, 1, structAddress + 8, 0, 8);
      if (ready < 0) return ready !== -ERRNO.EINTR;
      return (struct.getInt16(6, true) & (POLLPRI | POLLERR)) !== 0;
    },
    close: () => void libc.call(numbers.close, file),
  };
}

function byAsking(libc: Libc): MountWatch | null {
  let before = allMounts(libc);
  if (before === null) return null;
  return {
    changed() {
      const now = allMounts(libc);
      const same = now !== null && now === before;
      before = now;
      return !same;
    },
    close() {},
  };
}

/** All that is told of all mounts, as one text to compare; null where something is not. */
function allMounts(libc: Libc): string | null {
  const { numbers, struct, structBytes, structAddress } = libc;
  const request = (mount: bigint, parameter: bigint): void => {
    struct.setUint32(0, REQUEST_BYTES, true);
    struct.setUint32(4, 0, true);
    struct.setBigUint64(8, mount, true);
    struct.setBigUint64(16, parameter, true);
  };
  request(ALL_MOUNTS, 0n);
  const ids = structAddress + IDS_OFFSET;
  const count = libc.call(numbers.listmount, structAddress, ids, MOST_MOUNTS, 0);
  if (count <= 0 || count >= MOST_MOUNTS) return null;
  const told: string[] = [];
  for (let index = 0; index < count; index++) {
    request(struct.getBigUint64(IDS_OFFSET + 8 * index, true), WANTED);
    const room = structAddress + MOUNT_OFFSET;
    if (libc.call(numbers.statmount, structAddress, room, MOUNT_BYTES, 0) < 0) return null;
    // struct statmount begins with its whole size.
    const size = struct.getUint32(MOUNT_OFFSET, true);
    if (size > MOUNT_BYTES) return null;
    told.push(LATIN1.decode(structBytes.subarray(MOUNT_OFFSET, MOUNT_OFFSET + size)));
  }
  return told.join("");
}

const LATIN1 = new TextDecoder("latin1");
