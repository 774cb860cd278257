/** System calls that no program started by Toolgate has any business with. */

/** Numbers on x86_64 (syscall_64.tbl) and aarch64 (asm-generic/unistd.h); null: the architecture has none. */
export interface CallNumbers {
  readonly x86_64: number;
  readonly aarch64: number | null;
}

const call = (x86_64: number, aarch64: number | null): CallNumbers => ({ x86_64, aarch64 });

/**
 * Answered EPERM whatever their arguments. First what reaches into other processes: programs share their kernel
 * rules with the thread that started them, so the kernel would let them take that thread over, and with it the
 * free rest of the process. Then ways around file rules (handles, mounts, io_uring, which also escapes
 * seccomp), large kernel surface without use to a build or a test, and what only administrators do.
 */
export const DENIED_CALLS: Readonly<Record<string, CallNumbers>> = {
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  process_madvise: call(440, 440),
  pidfd_getfd: call(438, 438),
  kcmp: call(312, 272),
  process_mrelease: call(448, 448),
  migrate_pages: call(256, 238),
  move_pages: call(279, 239),

  open_by_handle_at: call(304, 265),
  io_uring_setup: call(425, 425),
  io_uring_enter: call(426, 426),
  io_uring_register: call(427, 427),
  mount: call(165, 40),
  umount2: call(166, 39),
  pivot_root: call(155, 41),
  chroot: call(161, 51),
  setns: call(308, 268),
  open_tree: call(428, 428),
  open_tree_attr: call(467, 467),
  move_mount: call(429, 429),
  fsopen: call(430, 430),
  fsconfig: call(431, 431),
  fsmount: call(432, 432),
  fspick: call(433, 433),
  mount_setattr: call(442, 442),
  fanotify_init: call(300, 262),

  bpf: call(321, 280),
  perf_event_open: call(298, 241),
  userfaultfd: call(323, 282),
  add_key: call(248, 217),
  request_key: call(249, 218),
  keyctl: call(250, 219),
  lookup_dcookie: call(212, 18),
  modify_ldt: call(154, null),

  kexec_load: call(246, 104),
  kexec_file_load: call(320, 294),
  init_module: call(175, 105),
  finit_module: call(313, 273),
  delete_module: call(176, 106),
  reboot: call(169, 142),
  swapon: call(167, 224),
  swapoff: call(168, 225),
  acct: call(163, 89),
  quotactl: call(179, 60),
  quotactl_fd: call(443, 443),
  settimeofday: call(164, 170),
  clock_settime: call(227, 112),
  iopl: call(172, null),
  ioperm: call(173, null),
  syslog: call(103, 116),
  sethostname: call(170, 161),
  setdomainname: call(171, 162),
  vhangup: call(153, 58),
};

/**
 * Answered ENOSYS, as by a kernel without them, since programs then do without: memory that is nobody's share while
 * it is counted, that outlives who made it, or from which what no rule names could be executed. A byte that is put into
 * a pipe by vmsplice(2) keeps all of the huge page around it, which its program need not have any more.
 */
export const MISSING_CALLS: Readonly<Record<string, CallNumbers>> = {
  memfd_create: call(319, 279),
  memfd_secret: call(447, 447),
  shmget: call(29, 194),
  shmat: call(30, 196),
  shmctl: call(31, 195),
  shmdt: call(67, 197),
  semget: call(64, 190),
  semop: call(65, 193),
  semtimedop: call(220, 192),
  semctl: call(66, 191),
  msgget: call(68, 186),
  msgsnd: call(69, 189),
  msgrcv: call(70, 188),
  msgctl: call(71, 187),
  vmsplice: call(278, 75),
  mq_open: call(240, 180),
  mq_unlink: call(241, 181),
};

/**
 * What watches files by a name that no rule of the kernel is asked about: answered EPERM to programs that only read.
 * Others hand over what they name.
 */
export const WATCHING_CALLS = {
  inotify_init: call(253, null),
  inotify_init1: call(294, 26),
  inotify_add_watch: call(254, 27),
} as const;

/** What tells of the groups and the scheduling of a process by its number, which the kernel tells everybody. */
export const LOOKING_CALLS = {
  getpgid: call(121, 155),
  getsid: call(124, 156),
  getpriority: call(140, 141),
  ioprio_get: call(252, 31),
  sched_getaffinity: call(204, 123),
  sched_getattr: call(315, 275),
  sched_getparam: call(143, 121),
  sched_getscheduler: call(145, 120),
  sched_rr_get_interval: call(148, 127),
} as const;

/**
 * What a program holds itself by to rules of the kernel's (Landlock): answered ENOSYS to those that are held already. What a
 * set of rules takes is nobody's memory, and each may have as many as there are ports and files.
 */
export const RULING_CALLS = {
  landlock_create_ruleset: call(444, 444),
  landlock_add_rule: call(445, 445),
  landlock_restrict_self: call(446, 446),
} as const;

/**
 * Numbers from here on are answered ENOSYS, as by the kernel that these lists were written for (Linux 6.18): what later
 * ones bring nobody has judged. So are the numbers of x32, far above, and those from 512 on, by which older kernels let
 * the calls of x32 be made too (ptrace(2) is 521).
 */
export const FIRST_UNKNOWN_CALL = 470;

/** Judged by their arguments. */
export const JUDGED_CALLS = {
  clone: call(56, 220),
  clone3: call(435, 435),
  unshare: call(272, 97),
  ioctl: call(16, 29),
  fcntl: call(72, 25),
  socket: call(41, 198),
  socketpair: call(53, 199),
  prlimit64: call(302, 261),
  setrlimit: call(160, 164),
  setpriority: call(141, 140),
  ioprio_set: call(251, 30),
  sched_setaffinity: call(203, 122),
  sched_setattr: call(314, 274),
  sched_setparam: call(142, 118),
  sched_setscheduler: call(144, 119),
  execve: call(59, 221),
  execveat: call(322, 281),
  close_range: call(436, 436),
  prctl: call(157, 167),
} as const;
