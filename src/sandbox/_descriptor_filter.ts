/**
 * What a filter says of requests on descriptors (ioctl(2), fcntl(2)): file systems change things by one that may only be
 * read, and no rule of the kernel is asked.
 */

import type { Instruction } from "./_filter_nodes.ts";
import {
  ALLOW,
  AND,
  answer,
  argumentOffset,
  JUMP_IF_EQUAL,
  load,
  refuse,
  unless,
} from "./_filter_words.ts";
import { ERRNO } from "./kernel/errno.ts";

/**
 * Said no to in so many words. TIOCSTI (CVE-2017-5226) and TIOCLINUX put words into the terminal's mouth
 * (asm-generic/ioctls.h, tty.h); FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR: attributes (include/uapi/linux/fs.h).
 */
const REFUSED_REQUESTS = [0x5412, 0x541c, 0x40086602, 0x401c5820] as const;

/** The byte of a request that says whose it is (_IOC_TYPE, asm-generic/ioctl.h). */
const TYPE_BITS = 0xff00;
/**
 * Types that no file system has: terminals and what is common to descriptors ("T"), sockets and their owners (0x89),
 * seccomp's listeners ("!"), inotify ("I"), epoll (0x8a).
 */
const KNOWN_TYPES = [0x5400, 0x8900, 0x2100, 0x4900, 0x8a00] as const;
/**
 * Of the types of file systems those that tell something, or that write by a descriptor for writing (include/uapi/linux/fs.h,
 * fiemap.h, fsverity.h).
 */
const KNOWN_OF_FILE_SYSTEMS = [
  0x40049409, // FICLONE
  0x4020940d, // FICLONERANGE
  0xc0189436, // FIDEDUPERANGE
  0x80086601, // FS_IOC_GETFLAGS
  0x80087601, // FS_IOC_GETVERSION
  0x801c581f, // FS_IOC_FSGETXATTR
  0xc020660b, // FS_IOC_FIEMAP
  0xc0046686, // FS_IOC_MEASURE_VERITY
  0xc0686611, // PROCMAP_QUERY
  0x80111500, // FS_IOC_GETFSUUID
  0x2, // FIGETBSZ
] as const;

/**
 * Requests that are known; all others get ENOTTY, as by a file system that has none: subvolumes and snapshots (btrfs,
 * bcachefs), verity, encryption, generations, resizing and freezing, and what a pidfd tells of whose it is.
 */
export const KNOWN_REQUESTS: readonly Instruction[] = [
  load(argumentOffset(1)),
  ...anyOf(REFUSED_REQUESTS, refuse(ERRNO.EPERM)),
  ...anyOf(KNOWN_OF_FILE_SYSTEMS, answer(ALLOW)),
  { code: AND, ifTrue: 0, ifFalse: 0, value: TYPE_BITS },
  ...anyOf(KNOWN_TYPES, answer(ALLOW)),
  refuse(ERRNO.ENOTTY),
];

/** F_SETLEASE, F_SETDELEG (include/uapi/linux/fcntl.h) */
const LEASES = [1024, 1040] as const;

/**
 * Who has a lease on a file holds up for most of a minute everybody who opens it (/proc/sys/fs/lease-break-time), whether it
 * may write there or not. EINVAL, as on file systems without.
 */
export const NO_LEASES: readonly Instruction[] = [
  load(argumentOffset(1)),
  ...anyOf(LEASES, refuse(ERRNO.EINVAL)),
  answer(ALLOW),
];

/** Answers where the word is one of these, else goes on. */
function anyOf(values: readonly number[], found: Instruction): readonly Instruction[] {
  return [
    ...values.map((value, at): Instruction =>
      at === values.length - 1
        ? unless(JUMP_IF_EQUAL, value, 1)
        : { code: JUMP_IF_EQUAL, ifTrue: values.length - 1 - at, ifFalse: 0, value }
    ),
    found,
  ];
}
