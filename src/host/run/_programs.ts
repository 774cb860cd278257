/** The programs of one run: started as groups of their own, told apart from what follows until the run has ended. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type SignalName, signalName, SIGNALS } from "../../sandbox/kernel/signals.ts";
import type {
  Begun,
  HeldStart,
  ProgramLauncher,
  StartFailure,
} from "../../sandbox/launcher/launcher.ts";
import type { Poller } from "../kernel/poller.ts";
import { close } from "../kernel/pipes.ts";
import type { RunShare } from "../kernel/run_marks.ts";
import type { ProgramShare } from "./_program_shares.ts";

/** How a program ended: by itself, or by a signal. */
export type Ended =
  | { readonly code: number; readonly signal: null }
  | { readonly code: null; readonly signal: string; readonly number: number };

/** The end of a program that a signal ended, by the signal's number. */
export function endedBy(number: number): Ended {
  return { code: null, signal: signalName(number), number };
}

/** A program under way. */
export interface Child {
  readonly id: number;
  readonly ended: Promise<Ended>;
  /** Why it never was the program, where that is told at its end; null before, and where it was. */
  failure(): StartFailure | null;
  /** What it and those that it waited for took of the processors; nothing before it has ended. */
  usage(): Usage;
}

/** Times of processors, in ms. */
export interface Usage {
  readonly userMs: number;
  readonly systemMs: number;
}

const NO_USAGE: Usage = { userMs: 0, systemMs: 0 };

/**
 * Told the number of a group when it begins, and what its programs may use. `isOnItsWay`: whether the first of them still has
 * this process's memory, where it was started ahead.
 */
export type OnGroup = (id: number, share: RunShare, isOnItsWay?: () => boolean) => void;

/** What starting programs takes. */
export interface ProgramParts {
  readonly libc: Libc;
  readonly launcher: ProgramLauncher;
  readonly poller: Poller;
  readonly onGroup: OnGroup;
  /** Told of a program that a rule gives a time of its own. */
  readonly onTimed: (ended: Promise<Ended>, share: ProgramShare) => void;
}

/** P_PID, WNOHANG, WEXITED, WNOWAIT (waitid(2); include/uapi/linux/wait.h) */
const P_PID = 1;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x01000000;
/** CLD_EXITED (include/uapi/asm-generic/siginfo.h) */
const CLD_EXITED = 1;

/**
 * A program that has ended is not waited for before the run is over: until then its number, which is also that of
 * its group, belongs to nobody else, and what it left in the group can still be ended by it.
 */
export class Programs {
  readonly #parts: ProgramParts;
  readonly #groups = new Map<number, { ended: boolean; readonly begun: Begun | null }>();

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  /** Whether a program was started. */
  get started(): boolean {
    return this.#groups.size > 0;
  }

  /** Starts a program, or says what failed; `ahead`: that may be said by the child when it has ended. */
  start(share: ProgramShare, start: HeldStart, ahead = false): Child | StartFailure {
    const { launcher, onGroup, onTimed, poller } = this.#parts;
    const started = ahead ? launcher.startAhead(start) : launcher.start(start);
    if (typeof started === "object" && "errno" in started) return started;
    const begun = typeof started === "number" ? null : started;
    const id = typeof started === "number" ? started : started.id;
    const group = { ended: false, begun };
    this.#groups.set(id, group);
    if (begun === null) onGroup(id, share.told);
    else onGroup(id, share.told, begun.isOnItsWay);
    poller.expectSoon();
    let usage = NO_USAGE;
    let failure: StartFailure | null = null;
    const ended = this.#watch(id).then(({ how, took }) => {
      group.ended = true;
      failure = begun?.failure() ?? null;
      if (failure !== null) this.#forget(id);
      usage = took;
      return how;
    });
    if (share.timeoutMs !== null) onTimed(ended, share);
    return { id, ended, failure: () => failure, usage: () => usage };
  }

  /** It was none, and nothing is left of it. */
  #forget(id: number): void {
    const { libc } = this.#parts;
    this.#groups.delete(id);
    libc.call(libc.numbers.waitid, P_PID, id, 0, WEXITED | WNOHANG, 0);
  }

  #watch(id: number): Promise<Gone> {
    const { libc, poller } = this.#parts;
    const descriptor = libc.call(libc.numbers.pidfdOpen, id, 0);
    const { promise, resolve } = Promise.withResolvers<Gone>();
    if (descriptor < 0) {
      this.#ask(id, resolve);
      return promise;
    }
    const watch = poller.watchEnd(descriptor, () => {
      const how = this.#look(id);
      if (how === null) return;
      watch.close();
      close(libc, descriptor);
      resolve(how);
    });
    return promise;
  }

  /** Where no descriptor of it can be had (a container's system call filter, or too many open): by asking. */
  #ask(id: number, resolve: (how: Gone) => void): void {
    const how = this.#look(id);
    if (how !== null) resolve(how);
    else setTimeout(() => this.#ask(id, resolve), ASK_MS);
  }

  /** How it ended; null while it runs. */
  #look(id: number): Gone | null {
    const { libc: { struct, structAddress, call, numbers } } = this.#parts;
    struct.setInt32(SI_PID, 0, true);
    const options = WEXITED | WNOHANG | WNOWAIT;
    const result = call(
      numbers.waitid,
      P_PID,
      id,
      structAddress,
      options,
      structAddress + RUSAGE_AT,
    );
    // It is ours alone to wait for; gone all the same, it can only have been ended.
    if (result === -ERRNO.ECHILD) return { how: endedBy(SIGNALS.SIGKILL), took: NO_USAGE };
    if (result < 0 || struct.getInt32(SI_PID, true) === 0) return null;
    const status = struct.getInt32(SI_STATUS, true);
    const time = (at: number): number =>
      Number(struct.getBigInt64(RUSAGE_AT + at, true)) * 1000 +
      Number(struct.getBigInt64(RUSAGE_AT + at + 8, true)) / 1000;
    const how: Ended = struct.getInt32(SI_CODE, true) === CLD_EXITED
      ? { code: status, signal: null }
      : endedBy(status);
    return { how, took: { userMs: time(0), systemMs: time(16) } };
  }

  /** Sends a signal to every group. */
  signal(name: SignalName): void {
    const { libc } = this.#parts;
    for (const [id, { begun }] of this.#groups) {
      // Before it leads its group there is none to be told.
      if (begun?.isOnItsWay() === true) libc.call(libc.numbers.kill, id, SIGNALS[name]);
      this.#send(id, name);
    }
  }

  #send(id: number, name: SignalName): void {
    const { libc } = this.#parts;
    libc.call(libc.numbers.kill, -id, SIGNALS[name]);
  }

  /** Ends what is left of the groups and lets their numbers go. */
  release(): void {
    const { libc } = this.#parts;
    for (const [id, { ended }] of this.#groups) {
      this.#send(id, "SIGKILL");
      // One that hangs in the kernel stays a child of this process until it goes.
      if (ended) libc.call(libc.numbers.waitid, P_PID, id, 0, WEXITED | WNOHANG, 0);
    }
    this.#groups.clear();
  }
}

/** How it ended, and what it took. */
interface Gone {
  readonly how: Ended;
  readonly took: Usage;
}

/** Behind siginfo_t (128 bytes): struct rusage, whose first fields are the times (getrusage(2)). */
const RUSAGE_AT = 128;
/** How often a program without a descriptor is asked about. */
const ASK_MS = 5;
/** Offsets in siginfo_t (include/uapi/asm-generic/siginfo.h): si_code, si_pid, si_status. */
const SI_CODE = 8;
const SI_PID = 16;
const SI_STATUS = 24;
