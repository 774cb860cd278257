/** System call numbers of the two architectures that Toolgate is built for. */

/** What the sandbox, the file handles and the running of programs call. */
export interface Syscalls {
  readonly read: number;
  readonly write: number;
  readonly close: number;
  readonly fsync: number;
  readonly fdatasync: number;
  readonly flock: number;
  readonly lseek: number;
  readonly ioctl: number;
  readonly ftruncate: number;
  readonly copyFileRange: number;
  readonly syncfs: number;
  readonly utimensat: number;
  readonly fchmod: number;
  readonly fchmodat: number;
  readonly fchown: number;
  readonly fchownat: number;
  readonly openat: number;
  readonly openat2: number;
  readonly mkdirat: number;
  readonly mknodat: number;
  readonly unlinkat: number;
  readonly linkat: number;
  readonly symlinkat: number;
  readonly renameat2: number;
  readonly readlinkat: number;
  readonly statx: number;
  readonly faccessat: number;
  readonly getdents64: number;
  readonly flistxattr: number;
  readonly fgetxattr: number;
  readonly fsetxattr: number;
  readonly setxattr: number;
  readonly getxattr: number;
  readonly listxattr: number;
  readonly removexattr: number;
  readonly ppoll: number;
  readonly kill: number;
  readonly pipe2: number;
  readonly fcntl: number;
  readonly dup3: number;
  readonly chdir: number;
  readonly eventfd2: number;
  readonly geteuid: number;
  readonly pwritev2: number;
  readonly clockGettime: number;
  readonly pidfdOpen: number;
  readonly waitid: number;
  readonly setpriority: number;
  readonly schedSetscheduler: number;
  readonly prlimit64: number;
  readonly setitimer: number;
  readonly prctl: number;
  readonly seccomp: number;
  readonly statmount: number;
  readonly listmount: number;
  readonly fstatfs: number;
  readonly inotifyInit1: number;
  readonly inotifyAddWatch: number;
  readonly inotifyRmWatch: number;
  readonly landlockCreateRuleset: number;
  readonly landlockAddRule: number;
  readonly landlockRestrictSelf: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly bind: number;
  readonly listen: number;
  readonly accept4: number;
  readonly connect: number;
  readonly shutdown: number;
  readonly sendto: number;
  readonly getsockopt: number;
  readonly setsockopt: number;
  readonly getsockname: number;
  readonly getpeername: number;
  readonly pwrite64: number;
  readonly pidfdGetfd: number;
  readonly pidfdSendSignal: number;
  readonly processVmReadv: number;
  readonly processVmWritev: number;
  readonly epollCreate1: number;
  readonly epollCtl: number;
  readonly epollPwait: number;
  /** The two flags of `open` that differ between the architectures. */
  readonly O_DIRECTORY: number;
  readonly O_NOFOLLOW: number;
}

/** arch/x86/entry/syscalls/syscall_64.tbl */
const X86_64: Syscalls = {
  read: 0,
  write: 1,
  close: 3,
  fsync: 74,
  fdatasync: 75,
  flock: 73,
  lseek: 8,
  ioctl: 16,
  ftruncate: 77,
  copyFileRange: 326,
  syncfs: 306,
  utimensat: 280,
  fchmod: 91,
  fchmodat: 268,
  fchown: 93,
  fchownat: 260,
  openat: 257,
  openat2: 437,
  mkdirat: 258,
  mknodat: 259,
  unlinkat: 263,
  linkat: 265,
  symlinkat: 266,
  renameat2: 316,
  readlinkat: 267,
  statx: 332,
  faccessat: 269,
  getdents64: 217,
  flistxattr: 196,
  fgetxattr: 193,
  fsetxattr: 190,
  setxattr: 188,
  getxattr: 191,
  listxattr: 194,
  removexattr: 197,
  ppoll: 271,
  kill: 62,
  pipe2: 293,
  fcntl: 72,
  dup3: 292,
  chdir: 80,
  eventfd2: 290,
  geteuid: 107,
  pwritev2: 328,
  clockGettime: 228,
  pidfdOpen: 434,
  waitid: 247,
  setpriority: 141,
  schedSetscheduler: 144,
  prlimit64: 302,
  setitimer: 38,
  prctl: 157,
  seccomp: 317,
  statmount: 457,
  listmount: 458,
  fstatfs: 138,
  inotifyInit1: 294,
  inotifyAddWatch: 254,
  inotifyRmWatch: 255,
  landlockCreateRuleset: 444,
  landlockAddRule: 445,
  landlockRestrictSelf: 446,
  socket: 41,
  socketpair: 53,
  bind: 49,
  listen: 50,
  accept4: 288,
  connect: 42,
  shutdown: 48,
  sendto: 44,
  getsockopt: 55,
  setsockopt: 54,
  getsockname: 51,
  getpeername: 52,
  pwrite64: 18,
  pidfdGetfd: 438,
  pidfdSendSignal: 424,
  processVmReadv: 310,
  processVmWritev: 311,
  epollCreate1: 291,
  epollCtl: 233,
  epollPwait: 281,
  // include/uapi/asm-generic/fcntl.h
  O_DIRECTORY: 0o200000,
  O_NOFOLLOW: 0o400000,
};

/** include/uapi/asm-generic/unistd.h, which aarch64 uses as it is. */
const AARCH64: Syscalls = {
  read: 63,
  write: 64,
  close: 57,
  fsync: 82,
  fdatasync: 83,
  flock: 32,
  lseek: 62,
  ioctl: 29,
  ftruncate: 46,
  copyFileRange: 285,
  syncfs: 267,
  utimensat: 88,
  fchmod: 52,
  fchmodat: 53,
  fchown: 55,
  fchownat: 54,
  openat: 56,
  openat2: 437,
  mkdirat: 34,
  mknodat: 33,
  unlinkat: 35,
  linkat: 37,
  symlinkat: 36,
  renameat2: 276,
  readlinkat: 78,
  statx: 291,
  faccessat: 48,
  getdents64: 61,
  flistxattr: 13,
  fgetxattr: 10,
  fsetxattr: 7,
  setxattr: 5,
  getxattr: 8,
  listxattr: 11,
  removexattr: 14,
  ppoll: 73,
  kill: 129,
  pipe2: 59,
  fcntl: 25,
  dup3: 24,
  chdir: 49,
  eventfd2: 19,
  geteuid: 175,
  pwritev2: 287,
  clockGettime: 113,
  pidfdOpen: 434,
  waitid: 95,
  setpriority: 140,
  schedSetscheduler: 119,
  prlimit64: 261,
  setitimer: 103,
  prctl: 167,
  seccomp: 277,
  statmount: 457,
  listmount: 458,
  fstatfs: 44,
  inotifyInit1: 26,
  inotifyAddWatch: 27,
  inotifyRmWatch: 28,
  landlockCreateRuleset: 444,
  landlockAddRule: 445,
  landlockRestrictSelf: 446,
  socket: 198,
  socketpair: 199,
  bind: 200,
  listen: 201,
  accept4: 242,
  connect: 203,
  shutdown: 210,
  sendto: 206,
  getsockopt: 209,
  setsockopt: 208,
  getsockname: 204,
  getpeername: 205,
  pwrite64: 68,
  pidfdGetfd: 438,
  pidfdSendSignal: 424,
  processVmReadv: 270,
  processVmWritev: 271,
  epollCreate1: 20,
  epollCtl: 21,
  epollPwait: 22,
  // arch/arm64/include/uapi/asm/fcntl.h
  O_DIRECTORY: 0o40000,
  O_NOFOLLOW: 0o100000,
};

/** The numbers of an architecture as `Deno.build.arch` names it; null where there is no table. */
export function syscallsOf(architecture: string): Syscalls | null {
  if (architecture === "x86_64") return X86_64;
  if (architecture === "aarch64") return AARCH64;
  return null;
}
