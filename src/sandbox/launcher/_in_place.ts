/** Starts by a child that shares this process's memory until it is the program: nothing is copied, and no file is made. */

import { ERRNO } from "../kernel/errno.ts";
import type { Architecture } from "../seccomp.ts";
import { CLOSED } from "../spawner.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import { BLOCK, MOST_STEPS } from "./_library_code.ts";
import { Full, type Step, Table } from "./_table.ts";
import type { OwnCalls } from "./own_calls.ts";
import {
  type AheadStart,
  failedIn,
  type FailedStep,
  NOTHING_FAILED,
  type StartBlock,
} from "./start_blocks.ts";
import type { StepName } from "./program_steps.ts";

/** What came of a start: a process, what failed in it and how, or that there was none. */
export interface Begun {
  readonly id: number;
  readonly failed: FailedStep | null;
}

/** CLONE_VM, with CLONE_VFORK; CLONE_CLEAR_SIGHAND (since Linux 5.5), SIGCHLD (include/uapi/linux/sched.h, signal(7)) */
const SHARED = 0x100;
const WAITED_FOR = SHARED | 0x4000;
/**
 * CLONE_PARENT_SETTID, CLONE_CHILD_CLEARTID (the same header): the child's number stands in a word from before it runs until it
 * no longer has this memory, by execve(2) or by its end (mm_release, kernel/fork.c).
 */
const TOLD = SHARED | 0x100000 | 0x200000;
/** Offsets in struct clone_args (the same header): child_tid, parent_tid. */
const NUMBER_WORDS = [16, 24];
const CLEAR_HANDLERS = 1;
const SIGCHLD = 17;
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
    putCloning(own.block, this.#view, WAITED_FOR);
  }

  /** Does the steps in a child, whose number may be an error's with its sign turned; null where there is no room for them. */
  start(steps: readonly Step[]): Begun | null {
    const { block, address } = this.#own;
    if (!putSteps(block, address, steps)) return null;
    this.#view.setInt32(BLOCK.step, NOTHING_FAILED, true);
    const id = this.#own.start(block);
    return { id, failed: failedIn(this.#view) };
  }

  /**
   * As `start`, by a piece of memory that nobody goes by, without waiting for the child: it does its steps beside this thread,
   * whose stack it has and does not touch. Null where there is no room, or no child.
   */
  startAhead(steps: readonly Step[], memory: StartBlock): AheadStart | null {
    const { bytes, view, address } = memory;
    if (!putSteps(bytes, address, steps)) return null;
    putCloning(bytes, view, TOLD);
    for (const at of NUMBER_WORDS) {
      view.setBigUint64(BLOCK.cloneArguments + at, BigInt(address + BLOCK.child), true);
    }
    view.setInt32(BLOCK.step, NOTHING_FAILED, true);
    const id = this.#own.start(bytes);
    return id < 0 ? null : memory.begun(id);
  }
}

/** Whether there was room for them. */
function putSteps(bytes: Uint8Array, address: number, steps: readonly Step[]): boolean {
  try {
    new Table(bytes, address, { offset: BLOCK.table, most: MOST_STEPS }).putSteps(steps);
    return true;
  } catch (error) {
    if (error instanceof Full) return false;
    throw error;
  }
}

function putCloning(bytes: Uint8Array, view: DataView, flags: number): void {
  bytes.fill(0xff, BLOCK.allSignals, BLOCK.allSignals + SIGNALS_SIZE);
  view.setUint32(BLOCK.cloneArguments, flags, true);
  view.setUint32(BLOCK.cloneArguments + 4, CLEAR_HANDLERS, true);
  view.setUint32(BLOCK.cloneArguments + 32, SIGCHLD, true);
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
