/** The system call filter for threads that start programs: what Landlock cannot hold. */

import { ATTRIBUTE_CALLS, NEW_ATTRIBUTE_CALLS, READING_CALLS } from "./attribute_calls.ts";
import {
  type CallNumbers,
  DENIED_CALLS,
  FIRST_UNKNOWN_CALL,
  JUDGED_CALLS,
  MISSING_CALLS,
  RULING_CALLS,
  WATCHING_CALLS,
} from "./denied_calls.ts";
import { HANDED_CALLS, type HandedCall, OPENING_FLAGS, UNSEEN_CALLS } from "./handed_calls.ts";
import { ERRNO, errnoName } from "./kernel/errno.ts";
import { FilterNodes, type Instruction } from "./_filter_nodes.ts";
import { searchTree } from "./_filter_tree.ts";
import {
  ALLOW,
  AND,
  answer,
  argumentOffset,
  HAND_OVER,
  JUMP_IF_ANY_BIT,
  JUMP_IF_AT_LEAST,
  JUMP_IF_EQUAL,
  load,
  loadUpper,
  REFUSE,
  refuse,
  refuseBits,
  unless,
} from "./_filter_words.ts";
import { controlRules } from "./_control_filter.ts";
import { KNOWN_REQUESTS, NO_LEASES } from "./_descriptor_filter.ts";
import { holdScheduling } from "./_scheduling_filter.ts";
import { CONNECTED_PAIRS, handSockets, INTERNET_SOCKETS } from "./_socket_filter.ts";
import type { Libc } from "./kernel/libc.ts";

/** struct seccomp_data (include/uapi/linux/seccomp.h): number, architecture, 6 arguments of 64 bits from 16. */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
/** SECCOMP_SET_MODE_FILTER (include/uapi/linux/seccomp.h) */
const SET_MODE_FILTER = 1;
/** SECCOMP_GET_ACTION_AVAIL, since Linux 4.14 (the same header). */
const GET_ACTION_AVAIL = 2;
/** PR_SET_NO_NEW_PRIVS (include/uapi/linux/prctl.h) */
const PR_SET_NO_NEW_PRIVS = 38;

/** AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 (include/uapi/linux/audit.h, elf-em.h). */
const AUDIT_ARCHITECTURE = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (include/uapi/linux/sched.h). */
const NEW_NAMESPACES = 0x7e020000;
/** CLONE_PARENT: a child of who started it, whom nobody would wait for (the same header). */
const CLONE_PARENT = 0x8000;
/**
 * CLONE_THREAD and CLONE_FILES (the same header), and CLOSE_RANGE_UNSHARE (include/uapi/linux/close_range.h). All threads of a
 * process share what they have open: the kernel shows it of the first alone, by which it is counted (`DescriptorMemory`).
 */
const CLONE_THREAD = 0x10000;
const CLONE_FILES = 0x400;
const CLOSE_RANGE_UNSHARE = 2;
/** CLONE_NEWTIME, for `unshare` alone: in `clone` the bit belongs to the signal number. */
const NEW_TIME_NAMESPACE = 0x80;
/** RLIMIT_RTTIME, which carries the mark of a run (include/uapi/asm-generic/resource.h). */
const RLIMIT_RTTIME = 15;

/** A machine whose filters are known, as {@linkcode Deno.build} names it. */
export type Architecture = keyof typeof AUDIT_ARCHITECTURE;

export type { Instruction };

/** What of its filter differs between programs. */
export interface FilterOptions {
  readonly network: boolean;
  /**
   * The number that its own start has behind the words that the kernel looks at, which is random: no other start is let
   * through, by itself or by what it forks. Null: it may start what the kernel's rules let it execute.
   */
  readonly onlyStart?: number | null;
  /**
   * As `onlyStart`, where starts other than its own are handed over to whoever listens. None is unless given.
   */
  readonly handedStarts?: number;
  /**
   * Whether starts by a descriptor alone are answered as by a kernel that has none (the C library starts it by a name
   * then): false unless given.
   */
  readonly startsByName?: boolean;
  /**
   * Whether it may change the modes, owners, times and attributes of files, and read these by a name: true unless given.
   * "handed": it hands them over.
   */
  readonly attributes?: boolean | "handed";
  /** Whether it may watch files: true unless given. "handed": it hands over what it wants to watch. */
  readonly watches?: boolean | "handed";
  /** Whether it may hold itself to rules of the kernel's: true unless given. */
  readonly rules?: boolean;
  /** Whether what it asks of other processes' groups and scheduling is refused, as it is unless given, or handed over. */
  readonly looks?: "handed";
  /**
   * Which calls are handed over to whoever listens: those that change something by its name, and those that open
   * something to read it too, or these alone. None unless given.
   */
  readonly handed?: "changes" | "changes and reads" | "reads";
  /** Whether it has local sockets and those of TCP, whose addresses it hands over. Not with `network`. */
  readonly sockets?: boolean;
}

/** O_ACCMODE | O_CREAT | O_TRUNC | __O_TMPFILE: what is opened for more than reading (asm-generic/fcntl.h). */
const CHANGING_FLAGS = 0o3 | 0o100 | 0o1000 | 0o20000000;
/** O_PATH (the same header): no more than a name. */
const PATH_FLAG = 0o10000000;

const CHANGING_OPEN = (flags: number): readonly Instruction[] => [
  load(argumentOffset(flags)),
  unless(JUMP_IF_ANY_BIT, CHANGING_FLAGS, 1),
  answer(HAND_OVER),
  answer(ALLOW),
];

const READING_OPEN = (flags: number): readonly Instruction[] => [
  load(argumentOffset(flags)),
  unless(JUMP_IF_ANY_BIT, CHANGING_FLAGS | PATH_FLAG, 1),
  answer(ALLOW),
  answer(HAND_OVER),
];

const ANY_OPEN = (flags: number): readonly Instruction[] => [
  load(argumentOffset(flags)),
  unless(JUMP_IF_ANY_BIT, PATH_FLAG, 1),
  answer(ALLOW),
  answer(HAND_OVER),
];

/**
 * The filter for programs: calls of `DENIED_CALLS`, new namespaces, typing into terminals, and whatever reaches the
 * scheduling or the limits of another process get EPERM; those of `MISSING_CALLS` and what nobody knew when they were
 * written get ENOSYS, and so does `clone3` (its flags lie in memory that a filter cannot see; C libraries fall back
 * to `clone`). Of what is asked of a descriptor see `_descriptor_filter.ts`.
 *
 * Sockets: none without `network`; with it those of IPv4, IPv6 and routing questions. Local ones
 * (AF_UNIX) never, since path-named ones lead to daemons that act for their callers, and Landlock does not hold
 * them before ABI 9. Pairs stay, but of the kinds that cannot be pointed elsewhere afterwards. With `sockets` those that
 * are connected once and then stay so, local or of TCP alone: every address that they are given is handed over.
 */
export function filterFor(
  architecture: Architecture,
  {
    network,
    onlyStart = null,
    handedStarts,
    startsByName = false,
    attributes = true,
    watches = true,
    rules: ruling = true,
    looks,
    handed,
    sockets = false,
  }: FilterOptions,
): readonly Instruction[] {
  const rules = new Map<number, readonly Instruction[]>();
  /** What is said first holds; `body` always returns. */
  const on = (numbers: CallNumbers, body: readonly Instruction[]): void => {
    const number = numbers[architecture];
    if (number !== null && !rules.has(number)) rules.set(number, body);
  };
  const refuseAll = (calls: Readonly<Record<string, CallNumbers>>, errno: number): void => {
    for (const numbers of Object.values(calls)) on(numbers, [refuse(errno)]);
  };
  if (handed === "reads") {
    for (const [name, flags] of Object.entries(OPENING_FLAGS)) {
      on(HANDED_CALLS[name as keyof typeof OPENING_FLAGS], READING_OPEN(flags));
    }
    refuseAll(UNSEEN_CALLS, ERRNO.ENOSYS);
  } else if (handed !== undefined) {
    const opening = handed === "changes" ? CHANGING_OPEN : ANY_OPEN;
    for (const [name, numbers] of Object.entries(HANDED_CALLS)) {
      const flags = OPENING_FLAGS[name as HandedCall & keyof typeof OPENING_FLAGS];
      on(numbers, flags === undefined ? [answer(HAND_OVER)] : opening(flags));
    }
    refuseAll(UNSEEN_CALLS, ERRNO.ENOSYS);
  }
  if (attributes === "handed") {
    const calls = [...Object.values(ATTRIBUTE_CALLS), ...Object.values(READING_CALLS)];
    for (const numbers of calls) on(numbers, [answer(HAND_OVER)]);
  }
  refuseAll(DENIED_CALLS, ERRNO.EPERM);
  refuseAll(MISSING_CALLS, ERRNO.ENOSYS);
  if (attributes !== true) refuseAll(NEW_ATTRIBUTE_CALLS, ERRNO.ENOSYS);
  if (!attributes) {
    refuseAll(ATTRIBUTE_CALLS, ERRNO.EPERM);
    refuseAll(READING_CALLS, ERRNO.EOPNOTSUPP);
  }
  if (watches === "handed") on(WATCHING_CALLS.inotify_add_watch, [answer(HAND_OVER)]);
  if (!watches) refuseAll(WATCHING_CALLS, ERRNO.EPERM);
  if (!ruling) refuseAll(RULING_CALLS, ERRNO.ENOSYS);
  if (onlyStart !== null) {
    on(JUDGED_CALLS.execve, startedBy(onlyStart, refuse(ERRNO.EACCES)));
    on(JUDGED_CALLS.execveat, [refuse(ERRNO.EACCES)]);
  }
  if (handedStarts !== undefined) {
    on(JUDGED_CALLS.execve, startedBy(handedStarts, answer(HAND_OVER)));
  }
  if (startsByName) on(JUDGED_CALLS.execveat, [refuse(ERRNO.ENOSYS)]);
  on(JUDGED_CALLS.clone3, [refuse(ERRNO.ENOSYS)]);
  on(JUDGED_CALLS.clone, [
    load(argumentOffset(0)),
    { code: AND, ifTrue: 0, ifFalse: 0, value: CLONE_THREAD | CLONE_FILES },
    unless(JUMP_IF_EQUAL, CLONE_THREAD, 1),
    refuse(ERRNO.EPERM),
    ...refuseBits(0, NEW_NAMESPACES | CLONE_PARENT),
  ]);
  on(JUDGED_CALLS.unshare, refuseBits(0, NEW_NAMESPACES | NEW_TIME_NAMESPACE | CLONE_FILES));
  on(JUDGED_CALLS.close_range, refuseBits(2, CLOSE_RANGE_UNSHARE));
  on(JUDGED_CALLS.ioctl, KNOWN_REQUESTS);
  on(JUDGED_CALLS.fcntl, NO_LEASES);
  on(JUDGED_CALLS.prlimit64, OWN_LIMITS);
  on(JUDGED_CALLS.setrlimit, [
    load(argumentOffset(0)),
    unless(JUMP_IF_EQUAL, RLIMIT_RTTIME, 1),
    refuse(ERRNO.EPERM),
    answer(ALLOW),
  ]);
  on(JUDGED_CALLS.prctl, controlRules(sockets));
  holdScheduling(on, looks === "handed");
  if (sockets) handSockets(on);
  on(JUDGED_CALLS.socket, network ? INTERNET_SOCKETS : [refuse(ERRNO.EACCES)]);
  on(JUDGED_CALLS.socketpair, CONNECTED_PAIRS);
  const nodes = new FilterNodes();
  const unknown = nodes.of([refuse(ERRNO.ENOSYS)]);
  const known = searchTree(nodes, [...rules], nodes.of([answer(ALLOW)]));
  const numbered = nodes.after(
    load(NUMBER_OFFSET),
    nodes.condition(JUMP_IF_AT_LEAST, FIRST_UNKNOWN_CALL, unknown, known),
  );
  const ours = AUDIT_ARCHITECTURE[architecture];
  const whole = nodes.condition(JUMP_IF_EQUAL, ours, numbered, unknown);
  return nodes.written(nodes.after(load(ARCHITECTURE_OFFSET), whole));
}

/** A token in place of the one that is made when the program is started. */
const SOME_START = 0x0001_2345_6789_abcd;

/**
 * As `filterFor` for starts that let nothing else be started (`onlyStart`), or hand it over, as the kernel reads it: made
 * once, and completed for each start by its token.
 */
export function startFilter(
  architecture: Architecture,
  options: Omit<FilterOptions, "onlyStart" | "handedStarts">,
  others: "onlyStart" | "handedStarts" = "onlyStart",
): (token: number) => Uint8Array {
  const filter = filterFor(architecture, { ...options, [others]: SOME_START });
  const bytes = encodeFilter(filter);
  const view = new DataView(bytes.buffer);
  const [low, high] = halvesOf(SOME_START).map((half) =>
    filter.findIndex(({ code, value }) => code === JUMP_IF_EQUAL && value === half)
  );
  return (token) => {
    const [lower, upper] = halvesOf(token);
    view.setUint32((low ?? -1) * INSTRUCTION_SIZE + VALUE_OFFSET, lower, true);
    view.setUint32((high ?? -1) * INSTRUCTION_SIZE + VALUE_OFFSET, upper, true);
    return bytes;
  };
}

/** The lower 32 bits, and those above. */
function halvesOf(token: number): readonly [number, number] {
  return [token % 2 ** 32, Math.floor(token / 2 ** 32)];
}

/**
 * A program's own limits, as the C library asks for them (process 0), and no others': Landlock does not keep it from
 * those of the process that started it, which a limit of no bytes or no time would end.
 */
const OWN_LIMITS: readonly Instruction[] = [
  load(argumentOffset(0)),
  unless(JUMP_IF_EQUAL, 0, 7),
  load(argumentOffset(1)),
  unless(JUMP_IF_EQUAL, RLIMIT_RTTIME, 4),
  // Asked for, not set: no new value.
  load(argumentOffset(2)),
  unless(JUMP_IF_EQUAL, 0, 3),
  loadUpper(2),
  unless(JUMP_IF_EQUAL, 0, 1),
  answer(ALLOW),
  refuse(ERRNO.EPERM),
];

/** Which argument of execve(2), which has three, a start is told from others by. */
const TOKEN_ARGUMENT = 3;

/** The one start: with this token. What becomes of others is one instruction. */
function startedBy(token: number, others: Instruction): readonly Instruction[] {
  const [lower, upper] = halvesOf(token);
  return [
    load(argumentOffset(TOKEN_ARGUMENT)),
    unless(JUMP_IF_EQUAL, lower, 3),
    loadUpper(TOKEN_ARGUMENT),
    unless(JUMP_IF_EQUAL, upper, 1),
    answer(ALLOW),
    others,
  ];
}

/** sizeof(struct sock_fprog) (include/uapi/linux/filter.h) */
const PROGRAM_HEADER_SIZE = 16;
/** sizeof(struct sock_filter) (the same header) */
export const INSTRUCTION_SIZE = 8;
/** Of the value in an instruction. */
const VALUE_OFFSET = 4;

/** The instructions as the kernel reads them, one behind the other. */
export function encodeFilter(filter: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(filter.length * INSTRUCTION_SIZE);
  const view = new DataView(bytes.buffer);
  filter.forEach(({ code, ifTrue, ifFalse, value }, index) => {
    const offset = index * INSTRUCTION_SIZE;
    view.setUint16(offset, code, true);
    view.setUint8(offset + 2, ifTrue);
    view.setUint8(offset + 3, ifFalse);
    view.setUint32(offset + VALUE_OFFSET, value, true);
  });
  return bytes;
}

/** Null where programs can put a filter on themselves, else what this kernel, or container, answers. */
export function seccompMissing(libc: Libc): string | null {
  const { numbers, struct, structAddress } = libc;
  struct.setUint32(0, REFUSE, true);
  const result = libc.call(numbers.seccomp, GET_ACTION_AVAIL, 0, structAddress);
  return result < 0 ? `seccomp failed with ${errnoName(-result)}` : null;
}

/**
 * Puts the filter on the calling thread and what it starts from now on; for ever. Null when it holds, else
 * what failed.
 */
export function filterThread(libc: Libc, filter: readonly Instruction[]): string | null {
  const { numbers, struct, structAddress } = libc;
  const noNewPrivileges = libc.call(numbers.prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (noNewPrivileges < 0) {
    return `prctl(PR_SET_NO_NEW_PRIVS) failed with ${errnoName(-noNewPrivileges)}`;
  }
  struct.setUint16(0, filter.length, true);
  struct.setBigUint64(8, BigInt(structAddress + PROGRAM_HEADER_SIZE), true);
  libc.structBytes.set(encodeFilter(filter), PROGRAM_HEADER_SIZE);
  const result = libc.call(numbers.seccomp, SET_MODE_FILTER, 0, structAddress);
  return result < 0 ? `seccomp failed with ${errnoName(-result)}` : null;
}
