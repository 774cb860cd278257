/** What a program does to itself before it becomes itself: everything that it is held by, as a table of system calls. */

import { type Architecture, INSTRUCTION_SIZE } from "../seccomp.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import type { Step, Word } from "./_table.ts";
import { STATUS } from "./_machine_code.ts";

/** What is to be started, as execve(2) takes it. */
export interface Executed {
  readonly path: string;
  readonly argv: readonly string[];
  /** `NAME=value` each. */
  readonly environment: readonly string[];
}

/** Limits of one process, which all that it starts inherits and none can raise (setrlimit(2)). */
export interface ProcessLimits {
  /** Seconds on processors. */
  readonly cpu: number;
  /** Bytes of one file. */
  readonly file: number;
  /** Bytes of memory of its own; null where that is counted for the whole run. */
  readonly data: number | null;
  /** Tasks of the user. */
  readonly processes: number | null;
  /** Bytes of what is kept of one that crashes: see `NO_CORE`. */
  readonly core: number;
  /** The number by which it is known, whatever it does; null where the system leaves no room for one. */
  readonly mark: number | null;
}

/** A limit that whoever starts it wants it to have, in the kernel's units: no more than this process's own. */
export interface OwnLimit {
  readonly resource: number;
  readonly soft: bigint;
  readonly hard: bigint;
}

/** RLIM_INFINITY (include/uapi/linux/resource.h) */
export const UNLIMITED = 2n ** 64n - 1n;

/** What holds a program. */
export interface ProgramHold {
  readonly limits: ProcessLimits;
  /** Further ones, set last of all: what a step before needs is not theirs to take. */
  readonly lowered?: readonly OwnLimit[];
  /** What the modes of what it makes begin without (umask(2)); left out for this process's own. */
  readonly mask?: number;
  /** What is done first of all, and what right before the descriptors that are nobody's are closed. */
  readonly first: readonly Step<StepName>[];
  readonly placing: readonly Step<StepName>[];
  /** A descriptor of the directory that it starts in. */
  readonly directory: number;
  /** Numbers from this on belong to nobody: descriptors below it are the program's, or the launcher's. */
  readonly firstFree: number;
  /** False for a program that brings its own walls, and takes power to make them (bubblewrap): limits alone. */
  readonly confined: boolean;
  /** A descriptor of a set of Landlock rules; null for none. */
  readonly rules: number | null;
  /** The system call filter, encoded, for a program whose own start has this number as its token; null for none. */
  readonly filter: ((token: number) => Uint8Array) | null;
  /** Where its filter hands calls over: null where it does not. */
  readonly handing: Handing | null;
  /** Capabilities that are left to it, two words of 32 bits (capset(2)); null where there are none to give up. */
  readonly capabilities: readonly [number, number] | null;
}

/** How whoever answers what a program hands over gets at it. */
export interface Handing {
  /** The descriptor of a socket that it is sent through. */
  readonly channel: number;
  /** The number that the kernel gives it: the lowest that is free by then. */
  readonly listener: number;
}

/** The descriptor of the rules, where they are placed before the steps begin. */
export const RULES = STATUS + 1;
/** The descriptor of the directory that it starts in, likewise. */
export const DIRECTORY = RULES + 1;
/** The first number that a program may have beside its standard ones. */
export const FIRST_OTHER = DIRECTORY + 1;

/** What failed, where something does. */
export type StepName =
  | "signals"
  | "session"
  | "no_new_privs"
  | "status"
  | "directory"
  | "limit"
  | "mask"
  | "nice"
  | "parent death"
  | "capabilities"
  | "landlock"
  | "descriptors"
  | "seccomp"
  | "listener"
  | "execve";

/** PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG (include/uapi/linux/prctl.h) */
const PR_SET_NO_NEW_PRIVS = 38;
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
/** SECCOMP_SET_MODE_FILTER (include/uapi/linux/seccomp.h) */
const SET_MODE_FILTER = 1;
/** SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE_RECV (the same header); the second since Linux 5.19. */
export const LISTENING = (1 << 3) | (1 << 5);
/** SOL_SOCKET, SCM_RIGHTS (include/uapi/asm-generic/socket.h, include/linux/socket.h) */
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** ~0U, the last number (close_range(2)) */
const LAST_DESCRIPTOR = 0xffffffff;
/** _LINUX_CAPABILITY_VERSION_3 (include/uapi/linux/capability.h) */
const CAPABILITY_VERSION = 0x20080522;
/** setpriority(2), include/uapi/linux/resource.h */
const PRIO_PROCESS = 0;
/**
 * No file is as small (ELF_EXEC_PAGESIZE), and where /proc/sys/kernel/core_pattern names a program, which the kernel then
 * starts as root and outside of everything, this alone keeps it from that: none does for 0 (vfs_coredump, fs/coredump.c).
 */
export const NO_CORE = 1;
/** So that Toolgate, which must be able to end them, goes before its programs (nice(1)). */
export const NICENESS = 5;

/** include/uapi/asm-generic/resource.h */
export const RESOURCES = {
  cpu: 0,
  file: 1,
  data: 2,
  core: 4,
  processes: 6,
  /**
   * RLIMIT_RTTIME: microseconds of processor time in the real-time classes, which no program here gets into. Nobody
   * misses it, and it is usually unlimited: so it carries the mark.
   */
  mark: 15,
} as const;

/**
 * The steps for a start, the last of which becomes the program. The order matters: nothing that a step needs is taken
 * away by one before it, and the filter, which would refuse some of them, is the last.
 */
export function programSteps(
  architecture: Architecture,
  executed: Executed,
  hold: ProgramHold,
): readonly Step<StepName>[] {
  const calls = LAUNCHER_CALLS[architecture];
  const token = randomToken();
  const steps: Step<StepName>[] = [
    ...hold.first,
    { name: "directory", call: calls.fchdir, words: [hold.directory] },
    ...limitSteps(calls.prlimit64, hold.limits),
    // Before the filter, which may hand it over to who waits for this start.
    ...(hold.mask === undefined
      ? []
      : [{ name: "mask", call: calls.umask, words: [hold.mask] } as const]),
    // Refused where this process is nicer already.
    {
      name: "nice",
      call: calls.setpriority,
      words: [PRIO_PROCESS, 0, NICENESS],
      optional: true,
    },
    { name: "parent death", call: calls.prctl, words: [PR_SET_PDEATHSIG, SIGKILL] },
  ];
  if (hold.confined) {
    steps.push({ name: "no_new_privs", call: calls.prctl, words: [PR_SET_NO_NEW_PRIVS, 1] });
  }
  if (hold.confined && hold.capabilities !== null) {
    const words = capabilityWords(hold.capabilities);
    steps.push({ name: "capabilities", call: calls.capset, words });
  }
  if (hold.rules !== null) {
    steps.push({ name: "landlock", call: calls.landlockRestrictSelf, words: [hold.rules] });
  }
  steps.push(...hold.placing, {
    name: "descriptors",
    call: calls.closeRange,
    words: [hold.firstFree, LAST_DESCRIPTOR],
    // All of ours close at execve(2); before Linux 5.9 that is all there is.
    optional: true,
  });
  const filter = hold.filter?.(token);
  if (filter !== undefined) {
    const program = [filter.length / INSTRUCTION_SIZE, filter];
    const { handing } = hold;
    const flags = handing === null ? 0 : LISTENING;
    steps.push({ name: "seccomp", call: calls.seccomp, words: [SET_MODE_FILTER, flags, program] });
    if (handing !== null) {
      const words = [handing.channel, rightsMessage(handing.listener), MSG_NOSIGNAL];
      steps.push({ name: "listener", call: calls.sendmsg, words });
    }
  }
  for (const { resource, soft, hard } of hold.lowered ?? []) {
    const both = new Uint8Array(BigUint64Array.of(soft, hard).buffer);
    steps.push({ name: "limit", call: calls.prlimit64, words: [0, resource, both] });
  }
  const { path, argv, environment } = executed;
  // The kernel does not look at a fourth word of it; the filter does, to know this start from any other.
  const words = [path, [...argv, 0], [...environment, 0], token];
  steps.push({ name: "execve", call: calls.execve, words });
  return steps;
}

/** A number that nobody can guess, and no program has in a register by chance: of 53 bits, and above 32. */
function randomToken(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 21 || 1) * 2 ** 32 + low;
}

/** include/linux/socket.h */
const MSG_NOSIGNAL = 0x4000;

/** struct msghdr with one byte, and one descriptor beside it (unix(7), cmsg(3)). */
function rightsMessage(descriptor: number): Word {
  const control = new Uint8Array(24);
  const view = new DataView(control.buffer);
  view.setBigUint64(0, 20n, true);
  view.setInt32(8, SOL_SOCKET, true);
  view.setInt32(12, SCM_RIGHTS, true);
  view.setInt32(16, descriptor, true);
  return [0, 0, [new Uint8Array(1), 1], 1, control, control.length, 0];
}

/** struct rlimit64: what holds now, and what it may be raised to. */
function limitSteps(prlimit64: number, limits: ProcessLimits): readonly Step<StepName>[] {
  const wanted = [
    [RESOURCES.core, limits.core],
    [RESOURCES.cpu, limits.cpu],
    [RESOURCES.file, limits.file],
    [RESOURCES.data, limits.data],
    [RESOURCES.processes, limits.processes],
    [RESOURCES.mark, limits.mark],
  ] as const;
  return wanted.flatMap(([resource, most]) =>
    most === null
      ? []
      : [{ name: "limit", call: prlimit64, words: [0, resource, [most, most]] } as const]
  );
}

/** struct __user_cap_header_struct, then effective, permitted and inheritable, the low words first. */
function capabilityWords(
  [low, high]: readonly [number, number],
): readonly [Uint8Array, Uint8Array] {
  const words = (...list: readonly number[]) => new Uint8Array(Uint32Array.from(list).buffer);
  return [words(CAPABILITY_VERSION, 0), words(low, low, 0, high, high, 0)];
}
