/**
 * Starting programs that hold themselves: each is started as the launcher, which does what it is told in its table and
 * then becomes the program. Nothing runs that is not held by all of it.
 */

import { ERRNO } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { OPEN } from "../kernel/open_without_links.ts";
import type { Architecture } from "../seccomp.ts";
import { CLOSED, type Spawner } from "../spawner.ts";
import { ImageMaker, randomBase, type Step } from "./image.ts";
import type { ImageFile, ImageStore } from "./image_file.ts";
import { type ListenerChannel, openChannel } from "./listener_channel.ts";
import {
  type Executed,
  FIRST_OTHER,
  type ProcessLimits,
  type ProgramHold,
  programSteps,
  RULES,
  type StepName,
} from "./program_steps.ts";

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
  /** See `ProgramHold`; without it neither rules nor filter. */
  readonly confined: boolean;
  /** A descriptor of the Landlock rules; null for none. */
  readonly rules: number | null;
  /** See `ProgramHold`. */
  readonly filter: ((start: number) => Uint8Array) | null;
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

/** Two words of 64 bits: the number of the step, and what the call answered. */
const REPORT_SIZE = 16;
const STANDARD = 3;
/** Looks at a file that somebody may still have open for writing: a copy of this process that is about to execute. */
const MOST_TRIES = 50;
const TRY_MS = 1;

/** Starts programs that restrict themselves before they run. */
export class ProgramLauncher {
  readonly #libc: Libc;
  readonly #spawner: Spawner;
  readonly #architecture: Architecture;
  readonly #stores: readonly ImageStore[];
  readonly #capabilities: ProgramHold["capabilities"];
  readonly #images: ImageMaker;
  readonly #report = new Uint8Array(REPORT_SIZE);
  /** The first of the stores that has not been found not to work. */
  #store = 0;

  /**
   * @param stores Where images are put, the next where one does not work on this machine.
   * @param capabilities See `keptCapabilities`.
   */
  constructor(
    { libc, spawner, architecture, stores, capabilities }: {
      readonly libc: Libc;
      readonly spawner: Spawner;
      readonly architecture: Architecture;
      readonly stores: readonly ImageStore[];
      readonly capabilities: ProgramHold["capabilities"];
    },
  ) {
    this.#libc = libc;
    this.#spawner = spawner;
    this.#architecture = architecture;
    this.#stores = stores;
    this.#capabilities = capabilities;
    this.#images = new ImageMaker(architecture);
  }

  /** The number of the process once it is the program; it leads a session and a group of its own. */
  start(start: HeldStart): number | StartFailure {
    let steps: readonly Step<StepName>[] = [];
    const file = FIRST_OTHER + Math.max(start.descriptors.length - STANDARD, 0);
    const held = start.file !== undefined;
    const { onListener } = start;
    const free = held ? file + 1 : file;
    const handing = onListener === undefined
      ? null
      : { channel: free, listener: lowestFree(start.descriptors) };
    const executed = held ? { ...start, path: `/proc/self/fd/${file}` } : start;
    const image = this.#images.make(randomBase(this.#architecture), (place) => {
      const hold = {
        ...start,
        closing: held ? file : null,
        firstFree: handing === null ? free : free + 1,
        handing,
        landlock: start.rules !== null,
        capabilities: this.#capabilities,
      };
      steps = programSteps(this.#architecture, executed, hold, place);
      return steps;
    });
    if (image === null) return { step: "execve", errno: ERRNO.E2BIG };
    const { numbers, struct, structAddress } = this.#libc;
    const piped = this.#libc.call(numbers.pipe2, structAddress, OPEN.CLOEXEC);
    if (piped < 0) return { step: "start", errno: -piped };
    const status = { read: struct.getInt32(0, true), write: struct.getInt32(4, true) };
    const channel = onListener === undefined ? null : openChannel(this.#libc, this.#architecture);
    const id = typeof channel === "number"
      ? channel
      : this.#spawn(image, start, status.write, channel);
    this.#close(status.write);
    const failure = id < 0 ? { step: "start", errno: -id } as const : this.#failure(status, steps);
    this.#close(status.read);
    if (channel !== null && typeof channel !== "number") {
      const listener = failure === null ? channel.receive() : -1;
      channel.close();
      if (listener >= 0) onListener?.(listener);
    }
    if (failure === null) return id;
    if (id > 0) this.#reap(id);
    return failure;
  }

  /** Starts the launcher: a process number, or an error number with its sign turned. */
  #spawn(
    image: Uint8Array,
    start: HeldStart,
    status: number,
    channel: ListenerChannel | null,
  ): number {
    for (;;) {
      const store = this.#stores[this.#store];
      if (store === undefined) return -ERRNO.EACCES;
      const file = store.put(image);
      const id = typeof file === "number" ? file : this.#spawnFile(file, start, status, channel);
      if (!USELESS.has(-id) || this.#store === this.#stores.length - 1) return id;
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
    const standard = Array.from({ length: STANDARD }, (_, to) => descriptors[to] ?? CLOSED);
    const own = [
      ...descriptors.slice(STANDARD),
      ...(start.file === undefined ? [] : [start.file]),
      ...(channel === null ? [] : [channel.end]),
    ];
    const wanted = [...standard, status, rules ?? CLOSED, directory, ...own];
    // One that lies where another is to go would be overwritten before its turn.
    const moved: number[] = [];
    const placed = wanted.map((from) => {
      if (from === CLOSED || from >= wanted.length) return from;
      const copy = this.#libc.call(
        this.#libc.numbers.fcntl,
        from,
        F_DUPFD_CLOEXEC,
        wanted.length,
      );
      moved.push(copy);
      return copy;
    });
    const broken = placed.find((from) => from < 0 && from !== CLOSED);
    let id = broken ?? -ERRNO.ETXTBSY;
    for (let tries = 0; id === -ERRNO.ETXTBSY && tries < MOST_TRIES; tries++) {
      if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MS);
      id = this.#spawner.start({
        path: file.path,
        argv: ["toolgate-launcher"],
        environment: start.known,
        directory: null,
        descriptors: placed,
      });
    }
    for (const copy of moved) if (copy >= 0) this.#close(copy);
    file.close();
    return id;
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

/** The number that the launcher's next descriptor gets: those of the rules and of the directory are closed by then. */
function lowestFree(descriptors: readonly number[]): number {
  const standard = Array.from({ length: STANDARD }, (_, to) => descriptors[to] ?? CLOSED);
  const closed = standard.indexOf(CLOSED);
  return closed < 0 ? RULES : closed;
}

/** Errors of a store, or of starting what it has, that the next may not have. */
const USELESS: ReadonlySet<number> = new Set([
  ERRNO.EACCES,
  ERRNO.EPERM,
  ERRNO.ENOENT,
  ERRNO.ENOSYS,
]);
/** F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h) */
const F_DUPFD_CLOEXEC = 1030;
/** P_PID, WEXITED (waitid(2)) */
const P_PID = 1;
const WEXITED = 4;
