/**
 * Starting programs that hold themselves: each is started as the launcher, which does what it is told in its table and
 * then becomes the program. Nothing runs that is not held by all of it.
 */

import { ERRNO } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { OPEN } from "../kernel/open_without_links.ts";
import type { Architecture } from "../seccomp.ts";
import { CLOSED, type Spawner } from "../spawner.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import { ImageMaker, randomBase } from "./image.ts";
import type { ImageFile, ImageStore } from "./image_file.ts";
import { lowestFree, placesOf, STANDARD, standardOf } from "./_places.ts";
import { firstSteps, InPlace, isUnavailable, placingSteps } from "./_in_place.ts";
import { type ListenerChannel, openChannel } from "./listener_channel.ts";
import { STATUS } from "./_machine_code.ts";
import type { OwnCalls } from "./own_calls.ts";
import type { StartBlocks } from "./start_blocks.ts";
import {
  DIRECTORY,
  type Executed,
  FIRST_OTHER,
  type OwnLimit,
  type ProcessLimits,
  type ProgramHold,
  programSteps,
  RULES,
  type StepName,
} from "./program_steps.ts";
import type { Step } from "./_table.ts";

/** A program, and what holds it. */
export interface HeldStart extends Executed {
  /** A descriptor of the directory that it starts in. */
  readonly directory: number;
  /** What become its standard descriptors, 0 to 2 (each above 2, or `CLOSED`), and then its own from `FIRST_OTHER` on. */
  readonly descriptors: readonly number[];
  /** The launcher's own environment, by which it is known before it is the program. */
  readonly known: readonly string[];
  /** A descriptor of the executable, in place of what the path leads to. */
  readonly file?: number;
  readonly limits: ProcessLimits;
  /** See `ProgramHold`. */
  readonly lowered?: readonly OwnLimit[];
  /** See `ProgramHold`. */
  readonly mask?: number;
  /** See `ProgramHold`; without it neither rules nor filter. */
  readonly confined: boolean;
  /** A descriptor of the Landlock rules; null for none. */
  readonly rules: number | null;
  /** See `ProgramHold`. */
  readonly filter: ((token: number) => Uint8Array) | null;
  /**
   * Set where its filter hands calls over: given the descriptor that they come by, which belongs to whoever is given it,
   * once the program runs.
   */
  readonly onListener?: (listener: number) => void;
}

/** Why a program was not started: what failed, and with which error number. */
export interface StartFailure {
  /** `start`: the launcher itself could not be started. */
  readonly step: StepName | "start";
  readonly errno: number;
}

/** A program that may still be on its way. */
export interface Begun {
  readonly id: number;
  /** Whether it still has this process's memory: neither the program yet, nor ended. */
  readonly isOnItsWay: () => boolean;
  /** Why it never was the program; to be asked when it has ended. */
  readonly failure: () => StartFailure | null;
}

/** Two words of 64 bits: the number of the step, and what the call answered. */
const REPORT_SIZE = 16;
/** Looks at a file that somebody may still have open for writing: a copy of this process that is about to execute. */
const MOST_TRIES = 50;
const TRY_MS = 1;

/** What a launcher is made of. */
export interface LauncherParts {
  readonly libc: Libc;
  readonly spawner: Spawner;
  readonly architecture: Architecture;
  /** For starts without a file; null where there are none on this machine. */
  readonly own: OwnCalls | null;
  /** For starts that nobody waits for; null where each is waited for. */
  readonly ahead?: StartBlocks | null;
  /** Where images are put, the next where one does not work on this machine. */
  readonly stores: readonly ImageStore[];
  /** See `keptCapabilities`. */
  readonly capabilities: ProgramHold["capabilities"];
  /** The steps as they are made: all of them, unless somebody tries what comes of one that fails. */
  readonly tried?: (steps: readonly Step<StepName>[]) => readonly Step<StepName>[];
}

/** Starts programs that restrict themselves before they run. */
export class ProgramLauncher {
  readonly #parts: LauncherParts;
  readonly #libc: Libc;
  readonly #architecture: Architecture;
  readonly #first: readonly Step<StepName>[];
  readonly #report = new Uint8Array(REPORT_SIZE);
  #inPlace: InPlace | null;
  #images: ImageMaker | null = null;
  /** The first of the stores that has not been found not to work. */
  #store = 0;

  constructor(parts: LauncherParts) {
    this.#parts = parts;
    this.#libc = parts.libc;
    this.#architecture = parts.architecture;
    this.#first = firstSteps(parts.architecture);
    this.#inPlace = parts.own === null ? null : new InPlace(parts.own);
  }

  /** The number of the process once it is the program; it leads a session and a group of its own. */
  start(start: HeldStart): number | StartFailure {
    const { onListener } = start;
    if (onListener === undefined) return this.#begin(start, null);
    const channel = openChannel(this.#libc, this.#architecture);
    if (typeof channel === "number") return { step: "start", errno: -channel };
    const id = this.#begin(start, channel);
    const listener = typeof id === "number" ? channel.receive() : -1;
    channel.close();
    if (listener >= 0) onListener(listener);
    return id;
  }

  /**
   * As `start`, without waiting until it is the program, where that can be: what fails on the way is told when it has ended.
   */
  startAhead(start: HeldStart): Begun | StartFailure {
    const { ahead = null } = this.#parts;
    const memory = start.onListener === undefined ? ahead?.take() ?? null : null;
    if (memory !== null && this.#inPlace !== null) {
      const { steps, moved, failed } = this.#planned(start, null);
      const begun = failed === null ? this.#inPlace.startAhead(steps, memory) : null;
      for (const copy of moved) this.#close(copy);
      if (begun !== null) {
        return {
          id: begun.id,
          isOnItsWay: () => begun.isOnItsWay,
          failure: () => begun.failed === null ? null : failureOf(steps, begun.failed),
        };
      }
    }
    const id = this.start(start);
    return typeof id === "number" ? { id, isOnItsWay: () => false, failure: () => null } : id;
  }

  #begin(start: HeldStart, channel: ListenerChannel | null): number | StartFailure {
    return (this.#inPlace === null ? null : this.#startInPlace(this.#inPlace, start, channel)) ??
      this.#startFromFile(start, channel);
  }

  /** Null where it cannot be started so. */
  #startInPlace(
    inPlace: InPlace,
    start: HeldStart,
    channel: ListenerChannel | null,
  ): number | StartFailure | null {
    const { steps, moved, failed } = this.#planned(start, channel);
    const begun = failed === null ? inPlace.start(steps) : { id: failed, failed: null };
    for (const copy of moved) this.#close(copy);
    if (begun === null) return null;
    const { id } = begun;
    if (id >= 0 && begun.failed === null) return id;
    if (id >= 0) {
      this.#reap(id);
      return failureOf(steps, begun.failed ?? { step: 0, errno: 0 });
    }
    if (failed !== null || !isUnavailable(id)) return { step: "start", errno: -id };
    this.#inPlace = null;
    return null;
  }

  /** What a child of this process does to become the program. */
  #planned(start: HeldStart, channel: ListenerChannel | null): Planned {
    const { descriptors } = start;
    const { executed, file, free } = placesOf(start);
    const others = descriptors.slice(STANDARD)
      .map((from, at) => ({ from, to: FIRST_OTHER + at }));
    // What is closed before the first of them goes with the numbers that the start takes.
    const gap = others.findIndex(({ from }) => from !== CLOSED);
    const wanted = [
      ...standardOf(descriptors).map((from, to) => ({ from, to })),
      ...others.slice(Math.max(gap, 0)),
      ...(start.file === undefined ? [] : [{ from: start.file, to: file, held: true }]),
      ...(channel === null ? [] : [{ from: channel.end, to: free, held: true }]),
    ];
    const firstFree = channel === null ? free : free + 1;
    const { placed, moved, failed } = this.#above(firstFree, wanted.map(({ from }) => from));
    const { closeRange } = LAUNCHER_CALLS[this.#architecture];
    const steps = failed === null
      ? this.#steps(executed, {
        ...start,
        first: this.#first,
        placing: [
          ...placingSteps(
            this.#architecture,
            wanted.map((one, at) => ({ ...one, from: placed[at] ?? CLOSED })),
          ),
          {
            name: "descriptors",
            call: closeRange,
            words: [STATUS, FIRST_OTHER + Math.max(gap, 0) - 1],
            optional: true,
          },
        ],
        firstFree,
        handing: channel === null
          ? null
          : { channel: free, listener: lowestFree(descriptors, STATUS) },
        capabilities: this.#parts.capabilities,
      })
      : [];
    return { steps, moved, failed };
  }

  #startFromFile(start: HeldStart, channel: ListenerChannel | null): number | StartFailure {
    const { descriptors, rules } = start;
    const { fcntl, close } = LAUNCHER_CALLS[this.#architecture];
    const { executed, file, free } = placesOf(start);
    const closing = [
      STATUS,
      ...(start.file === undefined ? [] : [file]),
      ...(channel === null ? [] : [free]),
    ];
    const steps = this.#steps(executed, {
      ...start,
      first: closing.map((one) => ({ name: "status", call: fcntl, words: [one, F_SETFD, 1] })),
      placing: [DIRECTORY, ...(rules === null ? [] : [RULES])].map((one) => ({
        name: "descriptors",
        call: close,
        words: [one],
      })),
      directory: DIRECTORY,
      rules: rules === null ? null : RULES,
      firstFree: channel === null ? free : free + 1,
      handing: channel === null
        ? null
        : { channel: free, listener: lowestFree(descriptors, RULES) },
      capabilities: this.#parts.capabilities,
    });
    this.#images ??= new ImageMaker(this.#architecture);
    const image = this.#images.make(randomBase(this.#architecture), steps);
    if (image === null) return { step: "execve", errno: ERRNO.E2BIG };
    const { numbers, struct, structAddress } = this.#libc;
    const piped = this.#libc.call(numbers.pipe2, structAddress, OPEN.CLOEXEC);
    if (piped < 0) return { step: "start", errno: -piped };
    const status = { read: struct.getInt32(0, true), write: struct.getInt32(4, true) };
    const id = this.#spawn(image, start, status.write, channel);
    this.#close(status.write);
    const failure = id < 0 ? { step: "start", errno: -id } as const : this.#failure(status, steps);
    this.#close(status.read);
    if (failure === null) return id;
    if (id > 0) this.#reap(id);
    return failure;
  }

  #steps(executed: Executed, hold: ProgramHold): readonly Step<StepName>[] {
    const steps = programSteps(this.#architecture, executed, hold);
    return this.#parts.tried?.(steps) ?? steps;
  }

  /** Starts the launcher: a process number, or an error number with its sign turned. */
  #spawn(
    image: Uint8Array,
    start: HeldStart,
    status: number,
    channel: ListenerChannel | null,
  ): number {
    for (;;) {
      const { stores } = this.#parts;
      const store = stores[this.#store];
      if (store === undefined) return -ERRNO.EACCES;
      const file = store.put(image);
      const id = typeof file === "number" ? file : this.#spawnFile(file, start, status, channel);
      if (!USELESS.has(-id) || this.#store === stores.length - 1) return id;
      // Memory may not be executed here, or /proc is not there to name it by.
      this.#store++;
    }
  }

  #spawnFile(
    file: ImageFile,
    start: HeldStart,
    status: number,
    channel: ListenerChannel | null,
  ): number {
    const { descriptors, rules, directory } = start;
    const own = [
      ...descriptors.slice(STANDARD),
      ...(start.file === undefined ? [] : [start.file]),
      ...(channel === null ? [] : [channel.end]),
    ];
    const wanted = [...standardOf(descriptors), status, rules ?? CLOSED, directory, ...own];
    const { placed, moved, failed } = this.#above(wanted.length, wanted);
    let id = failed ?? -ERRNO.ETXTBSY;
    for (let tries = 0; id === -ERRNO.ETXTBSY && tries < MOST_TRIES; tries++) {
      if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MS);
      id = this.#parts.spawner.start({
        path: file.path,
        argv: ["toolgate-launcher"],
        environment: start.known,
        directory: null,
        descriptors: placed,
      });
    }
    for (const copy of moved) this.#close(copy);
    file.close();
    return id;
  }

  /** One that lies where another is to go would be overwritten before its turn: it is copied to a number from `first` on. */
  #above(first: number, wanted: readonly number[]): {
    readonly placed: readonly number[];
    /** To be closed when the start is over. */
    readonly moved: readonly number[];
    /** Null, or an error number with its sign turned. */
    readonly failed: number | null;
  } {
    const moved: number[] = [];
    let failed: number | null = null;
    const placed = wanted.map((from) => {
      if (from === CLOSED || from >= first) return from;
      const copy = this.#libc.call(this.#libc.numbers.fcntl, from, F_DUPFD_CLOEXEC, first);
      if (copy >= 0) moved.push(copy);
      else failed ??= copy;
      return copy;
    });
    return { placed, moved, failed };
  }

  /** Waits until it is the program, or has said why not. */
  #failure(
    status: { readonly read: number },
    steps: readonly Step<StepName>[],
  ): StartFailure | null {
    const { numbers } = this.#libc;
    let count = 0;
    do {
      count = this.#libc.transfer(numbers.read, status.read, this.#report, REPORT_SIZE);
    } while (count === -ERRNO.EINTR);
    if (count !== REPORT_SIZE) return null;
    const view = new DataView(this.#report.buffer);
    const step = steps[view.getUint32(0, true)]?.name ?? "start";
    return { step, errno: -view.getInt32(8, true) };
  }

  #reap(id: number): void {
    this.#libc.call(this.#libc.numbers.waitid, P_PID, id, 0, WEXITED, 0);
  }

  #close(descriptor: number): void {
    this.#libc.call(this.#libc.numbers.close, descriptor);
  }
}

/** A start by a child of this process. */
interface Planned {
  readonly steps: readonly Step<StepName>[];
  /** Copies of descriptors, to be closed when there is a child, or none. */
  readonly moved: readonly number[];
  /** Null, or an error number with its sign turned. */
  readonly failed: number | null;
}

function failureOf(
  steps: readonly Step<StepName>[],
  { step, errno }: { readonly step: number; readonly errno: number },
): StartFailure {
  return { step: steps[step]?.name ?? "start", errno };
}

/** Errors of a store, or of starting what it has, that the next may not have. */
const USELESS: ReadonlySet<number> = new Set([
  ERRNO.EACCES,
  ERRNO.EPERM,
  ERRNO.ENOENT,
  ERRNO.ENOSYS,
]);
/** F_DUPFD_CLOEXEC, F_SETFD to FD_CLOEXEC (include/uapi/linux/fcntl.h) */
const F_DUPFD_CLOEXEC = 1030;
const F_SETFD = 2;
/** P_PID, WEXITED (waitid(2)) */
const P_PID = 1;
const WEXITED = 4;
