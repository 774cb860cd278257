/**
 * Who is helped: the only long call under way, once it turns out to be long, by one thread that does nothing else.
 * With a second long call under way both processors have work, and nobody is helped.
 */

import { createScanMemory } from "../../host/scan/scan_sharing.ts";
import type { PendingJob } from "./pool_thread.ts";

/** How long a call has to run before a thread is started for its sake: that takes the main thread 25 ms, once. */
const WORTH_A_THREAD_MS = 50;

/** What sharing needs of the pool. */
export interface ScanSharingOptions {
  /** Threads that this machine runs at once. */
  readonly processors: number;
  /** Whether the thread that helps is there. */
  readonly isReady: () => boolean;
  /** Lets it help, starting it where it is not there. */
  readonly give: (call: PendingJob) => PendingJob;
  /** Asks it to end its help. */
  readonly take: (help: PendingJob) => void;
}

interface HelpedCall {
  readonly call: PendingJob;
  readonly since: number;
  readonly called: boolean;
  readonly help: PendingJob | null;
}

/** Shares the files of one long call with a second thread, one such call at a time. */
export class ScanSharing {
  readonly #options: ScanSharingOptions;
  #helped: HelpedCall | null = null;
  #memory: SharedArrayBuffer | null = null;

  constructor(options: ScanSharingOptions) {
    this.#options = options;
  }

  /**
   * Between the two threads; calls share it one after the other, told apart by their numbers. Made when the first
   * thread that scans is started: most single calls need none.
   */
  get memory(): SharedArrayBuffer {
    return this.#memory ??= createScanMemory();
  }

  /** A long call begins. Whether it may be helped. */
  begin(call: PendingJob, isAlone: boolean): boolean {
    this.#withdraw();
    if (!isAlone || call.job.tool.help === undefined || this.#options.processors < 2) return false;
    this.#helped = { call, since: performance.now(), called: false, help: null };
    return true;
  }

  /** It has turned out to be long. */
  call(number: number): void {
    if (this.#helped?.call.number !== number || this.#helped.called) return;
    this.#helped = { ...this.#helped, called: true };
    if (this.#options.isReady()) this.#give(this.#helped);
  }

  /** To be asked now and then: whether it has gone on for so long that a thread is started for it. */
  tick(now: number): void {
    const helped = this.#helped;
    if (helped === null || !helped.called || helped.help !== null) return;
    if (now - helped.since >= WORTH_A_THREAD_MS) this.#give(helped);
  }

  /** A call has answered, or was ended. */
  end(number: number): void {
    if (this.#helped?.call.number === number) this.#withdraw();
  }

  #give(helped: HelpedCall): void {
    this.#helped = { ...helped, help: this.#options.give(helped.call) };
  }

  #withdraw(): void {
    const help = this.#helped?.help ?? null;
    this.#helped = null;
    if (help !== null) this.#options.take(help);
  }
}
