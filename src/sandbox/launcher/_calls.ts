/** Numbers of the system calls that a table is made of, and of those that making and starting it takes. */

import type { Architecture } from "../seccomp.ts";

/** syscall_64.tbl for x86_64, asm-generic/unistd.h for aarch64. */
export interface LauncherCalls {
  readonly capget: number;
  readonly capset: number;
  readonly close: number;
  readonly closeRange: number;
  readonly dup3: number;
  readonly execve: number;
  readonly fchdir: number;
  readonly fcntl: number;
  readonly landlockRestrictSelf: number;
  readonly memfdCreate: number;
  readonly mmap: number;
  readonly munmap: number;
  readonly prctl: number;
  readonly prlimit64: number;
  readonly recvmsg: number;
  readonly rtSigaction: number;
  readonly rtSigprocmask: number;
  readonly seccomp: number;
  readonly sendmsg: number;
  readonly setpriority: number;
  readonly setsid: number;
  readonly socketpair: number;
  readonly umask: number;
}

/**
 * Numbers of the system calls that the launcher makes (arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-
 * generic/unistd.h).
 */
export const LAUNCHER_CALLS: Readonly<Record<Architecture, LauncherCalls>> = {
  x86_64: {
    capget: 125,
    capset: 126,
    close: 3,
    closeRange: 436,
    dup3: 292,
    execve: 59,
    fchdir: 81,
    fcntl: 72,
    landlockRestrictSelf: 446,
    memfdCreate: 319,
    mmap: 9,
    munmap: 11,
    prctl: 157,
    prlimit64: 302,
    recvmsg: 47,
    rtSigaction: 13,
    rtSigprocmask: 14,
    seccomp: 317,
    sendmsg: 46,
    setpriority: 141,
    setsid: 112,
    socketpair: 53,
    umask: 95,
  },
  aarch64: {
    capget: 90,
    capset: 91,
    close: 57,
    closeRange: 436,
    dup3: 24,
    execve: 221,
    fchdir: 50,
    fcntl: 25,
    landlockRestrictSelf: 446,
    memfdCreate: 279,
    mmap: 222,
    munmap: 215,
    prctl: 167,
    prlimit64: 261,
    recvmsg: 212,
    rtSigaction: 134,
    rtSigprocmask: 135,
    seccomp: 277,
    sendmsg: 211,
    setpriority: 140,
    setsid: 157,
    socketpair: 199,
    umask: 166,
  },
};
