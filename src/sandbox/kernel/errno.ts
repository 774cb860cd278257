/** Names of the error numbers that the kernel answers, for decisions and messages. */

/** Linux error numbers (asm-generic/errno-base.h, asm-generic/errno.h: the same on x86_64 and aarch64). */
export const ERRNO = {
  EPERM: 1,
  ENOENT: 2,
  ESRCH: 3,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  E2BIG: 7,
  ENOEXEC: 8,
  EBADF: 9,
  ECHILD: 10,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EFAULT: 14,
  EBUSY: 16,
  EEXIST: 17,
  EXDEV: 18,
  ENODEV: 19,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOTTY: 25,
  ETXTBSY: 26,
  EFBIG: 27,
  ENOSPC: 28,
  EROFS: 30,
  EMLINK: 31,
  EPIPE: 32,
  ERANGE: 34,
  ENAMETOOLONG: 36,
  ENOLCK: 37,
  ENOSYS: 38,
  ENOTEMPTY: 39,
  ELOOP: 40,
  ENODATA: 61,
  ENOTSOCK: 88,
  EPROTOTYPE: 91,
  ENOPROTOOPT: 92,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
  EADDRINUSE: 98,
  ENOBUFS: 105,
  EISCONN: 106,
  ECONNRESET: 104,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
  EINPROGRESS: 115,
  ESTALE: 116,
  EDQUOT: 122,
} as const;

/** `EACCES` for 13; `errno 200` for one that has no name here. */
export function errnoName(errno: number): string {
  for (const [name, number] of Object.entries(ERRNO)) {
    if (number === errno) return name;
  }
  return `errno ${errno}`;
}
