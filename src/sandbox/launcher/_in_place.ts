/** Starts by a child that shares this process's memory until it is the program: nothing is copied, and no file is made. */

import { ERRNO } from "../kernel/errno.ts";
import type { Architecture } from "../seccomp.ts";
import { CLOSED } from "../spawner.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import { BLOCK, MOST_STEPS } from "./_library_code.ts";
import { Full, type Step, Table } from "./_table.ts";
import type { OwnCalls } from "./own_calls.ts";
import type { StepName } from "./program_steps.ts";

/** What came of a start: a process, what failed in it and how, or that there was none. */
export type Begun =
  | { readonly id: number; readonly failed: null }
  | { readonly id: number; readonly failed: { readonly step: number; readonly errno: number } };

/** CLONE_VM | CLONE_VFORK, CLONE_CLEAR_SIGHAND (since Linux 5.5), SIGCHLD (include/uapi/linux/sched.h, signal(7)) */
const SHARED = 0x100 | 0x4000;
const CLEAR_HANDLERS = 1;
const SIGCHLD = 17;
const NOTHING_FAILED = -1;
/** SIG_SETMASK (include/uapi/asm-generic/signal-defs.h) */
const SET_MASK = 2;
/** sizeof(kernel_sigset_t) */
const SIGNALS_SIZE = 8;
/** struct sigaction as the kernel has it: a handler (SIG_DFL is 0), flags, a restorer on x86, the mask. */
const BY_DEFAULT = new Uint8Array(32);
const NO_SIGNALS = new Uint8Array(SIGNALS_SIZE);
/** SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD, SIGXCPU, SIGXFSZ (signal(7)): what a parent may have ignored. */
const DEFAULT_SIGNALS = [1, 2, 3, 13, 15, 17, 24, 25];
/** O_CLOEXEC (asm-generic/fcntl.h) */
const CLOEXEC = 0o2000000;

/** One thread's starts. */
export class InPlace {
  readonly #own: OwnCalls;
  readonly #view: DataView;

  constructor(own: OwnCalls) {
    this.#own = own;
    this.#view = new DataView(own.block.buffer);
    own.block.fill(0xff, BLOCK.allSignals, BLOCK.allSignals + SIGNALS_SIZE);
    this.#view.setUint32(BLOCK.cloneArguments, SHARED, true);
    this.#view.setUint32(BLOCK.cloneArguments + 4, CLEAR_HANDLERS, true);
    this.#view.setUint32(BLOCK.cloneArguments + 32, SIGCHLD, true);
  }

  /** Does the steps in a child, whose number may be an error's with its sign turned; null where there is no room for them. */
  start(steps: readonly Step[]): Begun | null {
    const view = this.#view;
    const { block, address } = this.#own;
    try {
      new Table(block, address, { offset: BLOCK.table, most: MOST_STEPS })
        .putSteps(steps);
    } catch (error) {
      if (error instanceof Full) return null;
      throw error;
    }
    view.setInt32(BLOCK.step, NOTHING_FAILED, true);
    const id = this.#own.start(block);
    const step = view.getInt32(BLOCK.step, true);
    return step === NOTHING_FAILED
      ? { id, failed: null }
      : { id, failed: { step, errno: -view.getInt32(BLOCK.result, true) } };
  }
}

/** Whether a start failed because none can be made so on this machine: the kernel is too old, or a filter forbids it. */
export function isUnavailable(id: number): boolean {
  return id === -ERRNO.ENOSYS || id === -ERRNO.EPERM || id === -ERRNO.EINVAL;
}

/** What a child does first: no signal blocked or ignored, and a session and a process group of its own. */
export function firstSteps(architecture: Architecture): readonly Step<StepName>[] {
  const { rtSigaction, rtSigprocmask, setsid } = LAUNCHER_CALLS[architecture];
  return [
    ...DEFAULT_SIGNALS.map((signal) =>
      ({
        name: "signals",
        call: rtSigaction,
        words: [signal, BY_DEFAULT, 0, SIGNALS_SIZE],
      }) as const
    ),
    { name: "signals", call: rtSigprocmask, words: [SET_MASK, NO_SIGNALS, 0, SIGNALS_SIZE] },
    { name: "session", call: setsid, words: [] },
  ];
}

/**
 * Puts descriptors where the program has them: `wanted` by their numbers there, all of which lie below `from`, those of
 * this process; `held` of them close when it begins.
 */
export function placingSteps(
  architecture: Architecture,
  wanted: readonly { readonly from: number; readonly to: number; readonly held?: boolean }[],
): readonly Step<StepName>[] {
  const { dup3, close } = LAUNCHER_CALLS[architecture];
  return wanted.map(({ from, to, held }) =>
    from === CLOSED
      ? { name: "descriptors", call: close, words: [to], optional: true }
      : { name: "descriptors", call: dup3, words: [from, to, held === true ? CLOEXEC : 0] }
  );
}
