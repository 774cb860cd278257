import { assert, assertEquals } from "@std/assert";
import {
  ATTRIBUTE_CALLS,
  NEW_ATTRIBUTE_CALLS,
  READING_CALLS,
} from "../../../src/sandbox/attribute_calls.ts";
import {
  DENIED_CALLS,
  JUDGED_CALLS,
  LOOKING_CALLS,
  MISSING_CALLS,
  RULING_CALLS,
  WATCHING_CALLS,
} from "../../../src/sandbox/denied_calls.ts";
import type { CallNumbers } from "../../../src/sandbox/denied_calls.ts";
import { SENDING_CALLS, SET_OPTION, SOCKET_CALLS } from "../../../src/sandbox/socket_calls.ts";
import { HANDED_CALLS, OPENING_FLAGS, UNSEEN_CALLS } from "../../../src/sandbox/handed_calls.ts";
import { ERRNO } from "../../../src/sandbox/kernel/errno.ts";
import {
  type Architecture,
  encodeFilter,
  filterFor,
  type FilterOptions,
  type Instruction,
  startFilter,
} from "../../../src/sandbox/seccomp.ts";

const ARCHITECTURES = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const ALLOWED = 0x7fff0000;
const refused = (errno: number): number => 0x00050000 | errno;

interface Call {
  readonly number: number;
  readonly architecture?: number;
  readonly args?: readonly bigint[];
}

/** Runs classic BPF as the kernel does (net/core/filter.c), over struct seccomp_data. */
function judge(program: readonly Instruction[], call: Call, architecture: Architecture): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture ?? ARCHITECTURES[architecture], true);
  call.args?.forEach((value, index) => data.setBigUint64(16 + 8 * index, value, true));
  let accumulator = 0;
  for (let at = 0; at < program.length; at++) {
    const { code, ifTrue, ifFalse, value } = program[at] as Instruction;
    const jump = (holds: boolean): void => {
      at += holds ? ifTrue : ifFalse;
    };
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x05) at += value;
    else if (code === 0x15) jump(accumulator === value >>> 0);
    else if (code === 0x35) jump(accumulator >= value >>> 0);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`unknown operation ${code}`);
  }
  throw new Error("ran over the end");
}

/** SECCOMP_RET_USER_NOTIF */
const HANDED_OVER = 0x7fc00000;

for (const architecture of ["x86_64", "aarch64"] as const) {
  const shut = filterFor(architecture, { network: false });
  const open = filterFor(architecture, { network: true });
  const numberOf = (call: { x86_64: number; aarch64: number | null }): number => {
    const number = call[architecture];
    assert(number !== null);
    return number;
  };

  Deno.test(`the ${architecture} filter hands over what names something, and of opening what it is told to`, () => {
    const filters = {
      none: shut,
      changes: filterFor(architecture, { network: false, handed: "changes" }),
      all: filterFor(architecture, { network: false, handed: "changes and reads" }),
      reads: filterFor(architecture, { network: false, handed: "reads" }),
    };
    type Judge = (call: Call) => number;
    const [none, changes, all, reads] = Object.values(filters).map((filter) => (call: Call) =>
      judge(filter, call, architecture)
    ) as [Judge, Judge, Judge, Judge];
    for (const [name, numbers] of Object.entries(HANDED_CALLS)) {
      const number = numbers[architecture];
      if (number === null || name === "open" || name === "openat") continue;
      assertEquals([name, none({ number }), reads({ number })], [name, ALLOWED, ALLOWED]);
      assertEquals([name, changes({ number }), all({ number })], [name, HANDED_OVER, HANDED_OVER]);
    }
    for (const [name, index] of Object.entries(OPENING_FLAGS)) {
      const number = HANDED_CALLS[name as keyof typeof OPENING_FLAGS][architecture];
      if (number === null) continue;
      // Flags, and whether that is a change: reading, a folder, writing, both, made, cut, without a name.
      const rows = [
        [0o0, false],
        [0o2000000, false],
        [0o200000, false],
        [0o1, true],
        [0o2, true],
        [0o100, true],
        [0o1000, true],
        [0o20200000, true],
      ] as const;
      for (const [flags, isChange] of rows) {
        // What is above 32 bits the kernel does not read.
        const args = [0n, 0n, 0n];
        args[index] = BigInt(flags) | 1n << 40n;
        assertEquals(none({ number, args }), ALLOWED);
        assertEquals(
          changes({ number, args }),
          isChange ? HANDED_OVER : ALLOWED,
          `${name} ${flags}`,
        );
        assertEquals(all({ number, args }), HANDED_OVER);
        assertEquals(reads({ number, args }), isChange ? ALLOWED : HANDED_OVER);
      }
      const path = [0n, 0n, 0n];
      path[index] = 0o10000000n;
      for (const one of [changes, all, reads]) assertEquals(one({ number, args: path }), ALLOWED);
    }
    const number = UNSEEN_CALLS["openat2"]?.[architecture] as number;
    assertEquals([none({ number }), changes({ number })], [ALLOWED, refused(ERRNO.ENOSYS)]);
  });

  Deno.test(`the ${architecture} filter refuses the denied calls and lets all others through`, () => {
    const denied = new Set(
      Object.values(DENIED_CALLS).map((call) => call[architecture]).filter((n) => n !== null),
    );
    const missing = new Set(Object.values(MISSING_CALLS).map((call) => call[architecture]));
    const judged = new Set(Object.values(JUDGED_CALLS).map(numberOf));
    for (let number = 0; number < 600; number++) {
      if (judged.has(number)) continue;
      assertEquals(
        judge(shut, { number }, architecture),
        denied.has(number)
          ? refused(ERRNO.EPERM)
          : missing.has(number) || number >= 470
          ? refused(ERRNO.ENOSYS)
          : ALLOWED,
        `call ${number}`,
      );
    }
    assert(denied.size >= 40);
  });

  Deno.test(`the ${architecture} filter refuses other architectures and other numbers of theirs`, () => {
    for (const other of [0x40000003, 0xc000003e, 0xc00000b7, 0]) {
      const expected = other === ARCHITECTURES[architecture] ? ALLOWED : refused(ERRNO.ENOSYS);
      assertEquals(judge(shut, { number: 0, architecture: other }, architecture), expected);
    }
    if (architecture === "x86_64") {
      assertEquals(judge(shut, { number: 0x40000065 }, architecture), refused(ERRNO.ENOSYS));
      assertEquals(judge(shut, { number: 0xffffffff }, architecture), refused(ERRNO.ENOSYS));
    }
  });

  Deno.test(`the ${architecture} filter judges arguments by the 32 bits that the kernel reads`, () => {
    const { clone, clone3, unshare, ioctl, socket, socketpair, prlimit64, setrlimit } =
      JUDGED_CALLS;
    const { setpriority, ioprio_set, sched_setaffinity, sched_setattr, sched_setparam } =
      JUDGED_CALLS;
    const { sched_setscheduler, execve, fcntl, close_range, prctl } = JUDGED_CALLS;
    const [einval, enotty] = [refused(ERRNO.EINVAL), refused(ERRNO.ENOTTY)];
    const high = 0xdeadbeef_00000000n;
    const eperm = refused(ERRNO.EPERM);
    const eacces = refused(ERRNO.EACCES);
    type Row = readonly [typeof clone, readonly bigint[], number, number];
    const rows: readonly Row[] = [
      [clone3, [0n], refused(ERRNO.ENOSYS), refused(ERRNO.ENOSYS)],
      // Flags of threads and of fork, then each kind of new namespace.
      [clone, [0x3d0f00n], ALLOWED, ALLOWED],
      [clone, [0x01200011n], ALLOWED, ALLOWED],
      ...[0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n]
        .flatMap((flag): Row[] => [
          [clone, [flag | 17n], eperm, eperm],
          [unshare, [flag], eperm, eperm],
        ]),
      [unshare, [0x80n], eperm, eperm],
      // CLONE_FS; CLONE_FILES, and a thread without it; CLOSE_RANGE_UNSHARE and _CLOEXEC.
      [unshare, [0x200n], ALLOWED, ALLOWED],
      [unshare, [0x400n | high], eperm, eperm],
      [clone, [0x3d0b00n | high], eperm, eperm],
      [close_range, [3n, 0xffffffffn, 2n | high], eperm, eperm],
      [close_range, [3n, 0xffffffffn, 4n], ALLOWED, ALLOWED],
      [ioctl, [0n, 0x5401n], ALLOWED, ALLOWED],
      [ioctl, [0n, 0x5412n], eperm, eperm],
      [ioctl, [0n, 0x5412n | high], eperm, eperm],
      [ioctl, [0n, 0x541cn | high], eperm, eperm],
      // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR; what tells of a file; FICLONE; FIONREAD, FIONBIO, SIOCATMARK.
      [ioctl, [0n, 0x40086602n | high], eperm, eperm],
      [ioctl, [0n, 0x401c5820n], eperm, eperm],
      ...[0x80086601n, 0x801c581fn, 0xc020660bn, 0x40049409n, 0x541bn, 0x5421n, 0x8905n]
        .map((request): Row => [ioctl, [0n, request | high], ALLOWED, ALLOWED]),
      // Of file systems by a descriptor for reading: EXT4_IOC_SETVERSION, FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY,
      // FIFREEZE, BTRFS_IOC_SUBVOL_CREATE, BTRFS_IOC_SNAP_CREATE_V2, BCH_IOCTL_SUBVOLUME_CREATE; PIDFD_GET_INFO.
      ...[
        0x40087602n,
        0x40806685n,
        0x800c6613n,
        0xc0045877n,
        0x5000940en,
        0x50009417n,
        0x4020bc10n,
        0xc040ff0bn,
      ]
        .map((request): Row => [ioctl, [0n, request | high], enotty, enotty]),
      // F_DUPFD, F_SETFL, F_SETPIPE_SZ; F_SETLEASE, F_SETDELEG.
      ...[0n, 4n, 1031n].map((asked): Row => [fcntl, [0n, asked | high], ALLOWED, ALLOWED]),
      ...[1024n, 1040n].map((asked): Row => [fcntl, [0n, asked | high], einval, einval]),
      // PR_SET_DUMPABLE, PR_SET_MM_MAP and the last before PR_FUTEX_HASH; that and what is yet to come; PR_SET_VMA, PR_SET_PTRACER.
      ...[4n, 35n, 77n].map((asked): Row => [prctl, [asked | high], ALLOWED, ALLOWED]),
      ...[78n, 79n, 1000n, 0xffffffffn]
        .map((asked): Row => [prctl, [asked | high], einval, einval]),
      ...[0x53564d41n, 0x59616d61n].map((word): Row => [prctl, [word | high], ALLOWED, ALLOWED]),
      // Its own limits, and those of others.
      [prlimit64, [0n, 1n], ALLOWED, ALLOWED],
      [prlimit64, [high, 1n], ALLOWED, ALLOWED],
      [prlimit64, [1n, 1n], eperm, eperm],
      [prlimit64, [1n | high, 1n], eperm, eperm],
      // The limit that carries the mark may be asked for and not set.
      [prlimit64, [0n, 15n, 0n], ALLOWED, ALLOWED],
      [prlimit64, [0n, 15n, 1n], eperm, eperm],
      [prlimit64, [0n, 15n | high, high], eperm, eperm],
      [setrlimit, [14n], ALLOWED, ALLOWED],
      [setrlimit, [15n | high], eperm, eperm],
      // A child of whoever started it.
      [clone, [0x8000n | 17n], eperm, eperm],
      // Its own scheduling, by 0, and nobody else's by any number; no user's at all.
      [setpriority, [0n, 0n, 5n], ALLOWED, ALLOWED],
      [setpriority, [1n, high, 5n], ALLOWED, ALLOWED],
      [setpriority, [0n, 77n, 5n], eperm, eperm],
      [setpriority, [1n, 77n, 5n], eperm, eperm],
      [setpriority, [2n, 0n, 5n], eperm, eperm],
      [setpriority, [0xffffffffn, 0n, 5n], eperm, eperm],
      [ioprio_set, [1n, 0n, 0n], ALLOWED, ALLOWED],
      [ioprio_set, [1n, 77n, 0n], eperm, eperm],
      [ioprio_set, [2n, 0n, 0n], eperm, eperm],
      [ioprio_set, [3n, 0n, 0n], eperm, eperm],
      ...[sched_setaffinity, sched_setattr, sched_setparam, sched_setscheduler]
        .flatMap((call): Row[] => [
          [call, [0n, 8n], ALLOWED, ALLOWED],
          [call, [77n, 8n], eperm, eperm],
          [call, [77n | high, 8n], eperm, eperm],
        ]),
      [execve, [0x1000n], ALLOWED, ALLOWED],
      // AF_UNIX, AF_INET, AF_INET6, AF_NETLINK of routing and of others, AF_PACKET, AF_VSOCK.
      [socket, [1n, 1n, 0n], eacces, eacces],
      [socket, [1n | high, 1n, 0n], eacces, eacces],
      [socket, [2n, 1n, 0n], eacces, ALLOWED],
      [socket, [10n, 2n, 0n], eacces, ALLOWED],
      [socket, [16n, 3n, 0n], eacces, ALLOWED],
      [socket, [16n, 3n, 9n], eacces, eacces],
      [socket, [17n, 3n, 0n], eacces, eacces],
      [socket, [40n, 1n, 0n], eacces, eacces],
      [socket, [38n, 5n, 0n], eacces, eacces],
      // Streams and sequenced packets, with flags; not datagrams, which can be pointed elsewhere.
      [socketpair, [1n, 1n, 0n], ALLOWED, ALLOWED],
      [socketpair, [1n, 0x80801n, 0n], ALLOWED, ALLOWED],
      [socketpair, [1n, 5n, 0n], ALLOWED, ALLOWED],
      [socketpair, [1n, 2n, 0n], eacces, eacces],
      [socketpair, [1n, 0x80802n, 0n], eacces, eacces],
      [socketpair, [1n, 3n, 0n], eacces, eacces],
      [socketpair, [30n, 1n, 0n], eacces, eacces],
    ];
    for (const [call, args, whenShut, whenOpen] of rows) {
      const number = numberOf(call);
      const what = `${number}(${args.join()})`;
      assertEquals(judge(shut, { number, args }, architecture), whenShut, what);
      assertEquals(judge(open, { number, args }, architecture), whenOpen, what);
    }
  });

  Deno.test(`the ${architecture} filter tells of nobody's groups and scheduling but a program's own`, () => {
    const handing = filterFor(architecture, { network: false, looks: "handed" });
    const {
      getpriority,
      ioprio_get,
      sched_getaffinity,
      sched_getparam,
      sched_getscheduler,
      ...others
    } = LOOKING_CALLS;
    const high = 0xdeadbeef_00000000n;
    const [gone, unknown] = [refused(ERRNO.ESRCH), refused(ERRNO.ENOSYS)];
    type Row = readonly [CallNumbers, readonly bigint[], number, number];
    const rows: readonly Row[] = [
      ...Object.values(others).flatMap((call): Row[] => [
        [call, [0n, 8n], ALLOWED, ALLOWED],
        [call, [high, 8n], ALLOWED, ALLOWED],
        [call, [77n, 0n], gone, HANDED_OVER],
        [call, [77n | high, 0n], gone, HANDED_OVER],
      ]),
      // The C library asks by its number for a thread of the same process.
      ...[sched_getparam, sched_getscheduler].flatMap((call): Row[] => [
        [call, [0n, 8n], ALLOWED, ALLOWED],
        [call, [77n | high, 8n], ALLOWED, HANDED_OVER],
      ]),
      [sched_getaffinity, [0n, 128n], ALLOWED, ALLOWED],
      [sched_getaffinity, [77n, 128n], unknown, HANDED_OVER],
      // Of a process, of a group, of a user; of who asks, and of another.
      ...[getpriority, ioprio_get].flatMap((call, more): Row[] => [
        [call, [BigInt(more), high], ALLOWED, ALLOWED],
        [call, [BigInt(1 + more), 0n], ALLOWED, ALLOWED],
        [call, [BigInt(more) | high, 77n], gone, HANDED_OVER],
        [call, [BigInt(1 + more), 77n], gone, HANDED_OVER],
        [call, [BigInt(2 + more), 0n], gone, gone],
        [call, [BigInt(2 + more) | high, 77n], gone, gone],
      ]),
    ];
    for (const [call, args, alone, whenHanded] of rows) {
      const number = call[architecture] as number;
      const what = `${number}(${args.join()})`;
      assertEquals(judge(shut, { number, args }, architecture), alone, what);
      assertEquals(judge(handing, { number, args }, architecture), whenHanded, what);
    }
  });

  Deno.test(`the ${architecture} filter lets one start through by its secret token`, () => {
    const start = 0x1234_5678_9ab0;
    const filter = filterFor(architecture, { network: false, onlyStart: start });
    const { execve, execveat } = JUDGED_CALLS;
    const rows = [
      [BigInt(start), ALLOWED],
      [BigInt(start) + 1n, refused(ERRNO.EACCES)],
      [BigInt(start) & 0xffffffffn, refused(ERRNO.EACCES)],
      [BigInt(start) | 1n << 60n, refused(ERRNO.EACCES)],
      [0n, refused(ERRNO.EACCES)],
    ] as const;
    for (const [token, expected] of rows) {
      // Behind the three words of it.
      const call = { number: numberOf(execve), args: [1n, 2n, 3n, token] };
      assertEquals(judge(filter, call, architecture), expected);
      const early = { number: numberOf(execve), args: [token, token, token, 0n] };
      assertEquals(judge(filter, early, architecture), refused(ERRNO.EACCES));
      const other = { number: numberOf(execveat), args: [1n, 2n, 3n, token] };
      assertEquals(judge(filter, other, architecture), refused(ERRNO.EACCES));
    }
  });

  Deno.test(`the ${architecture} filter hands over every start but its own`, () => {
    const handedStarts = 0x1234_5678_9ab0;
    const filter = filterFor(architecture, { network: false, handedStarts });
    const started = (token: bigint): number =>
      judge(
        filter,
        { number: numberOf(JUDGED_CALLS.execve), args: [1n, 2n, 3n, token] },
        architecture,
      );
    assertEquals(started(BigInt(handedStarts)), ALLOWED);
    for (const token of [0n, BigInt(handedStarts) + 1n, BigInt(handedStarts) | 1n << 60n]) {
      assertEquals(started(token), HANDED_OVER);
    }
    const complete = startFilter(architecture, { network: false }, "handedStarts");
    assertEquals(complete(handedStarts), encodeFilter(filter));
    const byDescriptor = { number: numberOf(JUDGED_CALLS.execveat), args: [1n, 2n, 3n] };
    assertEquals(judge(filter, byDescriptor, architecture), ALLOWED);
    const byName = filterFor(architecture, { network: false, handedStarts, startsByName: true });
    assertEquals(judge(byName, byDescriptor, architecture), refused(ERRNO.ENOSYS));
  });

  Deno.test(`the ${architecture} filter that is completed for a start is the one that is made for it`, () => {
    const complete = startFilter(architecture, { network: false });
    for (const onlyStart of [0x1234_5678_9ab0, 0x1_0000_0000, 0x1fff_ffff_f000]) {
      const made = encodeFilter(filterFor(architecture, { network: false, onlyStart }));
      assertEquals(complete(onlyStart), made);
    }
  });

  Deno.test(`the ${architecture} filter lets who is held already make no rules of the kernel's`, () => {
    const without = filterFor(architecture, { network: false, rules: false });
    for (const call of Object.values(RULING_CALLS)) {
      const number = numberOf(call);
      assertEquals(judge(without, { number }, architecture), refused(ERRNO.ENOSYS));
      assertEquals(judge(shut, { number }, architecture), ALLOWED);
    }
  });

  Deno.test(`the ${architecture} filter keeps modes, owners and times from programs without that work`, () => {
    const all = {
      ...ATTRIBUTE_CALLS,
      ...READING_CALLS,
      ...NEW_ATTRIBUTE_CALLS,
      ...WATCHING_CALLS,
    };
    const rows: readonly (readonly [
      Pick<FilterOptions, "attributes" | "watches">,
      number,
      number,
      number,
    ])[] = [
      [{}, ALLOWED, ALLOWED, ALLOWED],
      [{ attributes: false }, refused(ERRNO.EPERM), refused(ERRNO.ENOSYS), ALLOWED],
      [{ attributes: "handed" }, HANDED_OVER, refused(ERRNO.ENOSYS), ALLOWED],
      [{ watches: false }, ALLOWED, ALLOWED, refused(ERRNO.EPERM)],
      [{ watches: "handed" }, ALLOWED, ALLOWED, HANDED_OVER],
    ];
    for (const [options, ofAttributes, ofNew, ofWatching] of rows) {
      const filter = filterFor(architecture, { network: false, ...options });
      for (const [name, call] of Object.entries(all)) {
        const number = call[architecture];
        if (number === null) continue;
        // What is handed over is what names something.
        const names = options.watches !== "handed" || name === "inotify_add_watch";
        const expected = name in ATTRIBUTE_CALLS
          ? ofAttributes
          : name in READING_CALLS
          ? options.attributes === false ? refused(ERRNO.EOPNOTSUPP) : ofAttributes
          : name in WATCHING_CALLS && !names
          ? ALLOWED
          : name in WATCHING_CALLS
          ? ofWatching
          : ofNew;
        assertEquals([name, judge(filter, { number }, architecture)], [name, expected]);
      }
    }
  });

  Deno.test(`the ${architecture} filter hands over what gives a socket an address, and lets none be had without`, () => {
    const filter = filterFor(architecture, { network: false, sockets: true });
    const high = 0xdeadbeef_00000000n;
    const { socket, socketpair } = JUDGED_CALLS;
    const eacces = refused(ERRNO.EACCES);
    const eperm = refused(ERRNO.EPERM);
    type Row = readonly [typeof socket | CallNumbers, readonly bigint[], number];
    const rows: readonly Row[] = [
      ...Object.values(SOCKET_CALLS).map((call): Row => [call, [3n, 0n, 16n], HANDED_OVER]),
      // Streams of each family with their flags, by their only protocol; packets of local ones.
      ...[1n, 2n, 10n].flatMap((family): Row[] => [
        [socket, [family, 1n, 0n], ALLOWED],
        [socket, [family | high, 0x80801n | high, high], ALLOWED],
        [socket, [family, 2n, 0n], eacces],
        [socket, [family, 3n, 0n], eacces],
        [socket, [family, 5n, 0n], family === 1n ? ALLOWED : eacces],
        [socket, [family, 5n, 132n], family === 1n ? ALLOWED : eacces],
      ]),
      [socket, [2n, 1n, 6n], ALLOWED],
      ...[132n, 262n, 256n, 6n << 8n].map((protocol): Row => [socket, [2n, 1n, protocol], eacces]),
      ...[16n, 17n, 38n, 40n, 43n, 44n, 0n].flatMap((family): Row[] => [
        [socket, [family, 1n, 0n], eacces],
        [socket, [family, 3n, 0n], eacces],
        [socket, [family, 5n, 0n], eacces],
      ]),
      [socketpair, [1n, 1n, 0n], ALLOWED],
      [socketpair, [1n, 2n, 0n], eacces],
      ...SENDING_CALLS.flatMap(([call, flags]): Row[] => {
        const words = (flag: bigint) => [0n, 0n, 0n, 0n].map((_, at) => at === flags ? flag : 0n);
        return [
          [call, words(0x4000n), ALLOWED],
          [call, words(0x20000000n), eperm],
          [call, words(0x20004000n | high), eperm],
        ];
      }),
      [SET_OPTION, [3n, 1n, 2n], ALLOWED],
      [SET_OPTION, [3n, 6n, 15n], ALLOWED],
      [SET_OPTION, [3n, 1n | high, 15n | high], refused(ERRNO.ENOPROTOOPT)],
      [SET_OPTION, [3n, 0n, 1n], ALLOWED],
      [SET_OPTION, [3n, 41n, 26n], ALLOWED],
      ...[[0n, 4n], [41n, 57n], [41n, 5n], [41n, 6n]].map(([level, option]): Row => [
        SET_OPTION,
        [3n, level! | high, option! | high],
        eperm,
      ]),
      [JUDGED_CALLS.prctl, [4n | high, 0n], refused(0)],
      [JUDGED_CALLS.prctl, [15n, 0n], ALLOWED],
      [JUDGED_CALLS.prctl, [78n | high, 1n], refused(ERRNO.EINVAL)],
    ];
    for (const [call, args, expected] of rows) {
      const number = numberOf(call);
      assertEquals(judge(filter, { number, args }, architecture), expected, `${number}(${args})`);
    }
    // With a network there is nobody whom the addresses are handed to.
    const other = filterFor(architecture, { network: true });
    for (const call of Object.values(SOCKET_CALLS)) {
      assertEquals(judge(other, { number: numberOf(call) }, architecture), ALLOWED);
    }
  });

  Deno.test(`the ${architecture} filter is a program that the kernel takes`, () => {
    for (
      const program of [shut, open, filterFor(architecture, { network: false, sockets: true })]
    ) {
      // BPF_MAXINSNS (include/uapi/linux/bpf_common.h)
      assert(program.length <= 4096);
      program.forEach(({ code, ifTrue, ifFalse }, at) => {
        assert(ifTrue < 256 && ifFalse < 256);
        if (code !== 0x06) assert(at + Math.max(ifTrue, ifFalse) + 1 < program.length);
      });
    }
  });
}
