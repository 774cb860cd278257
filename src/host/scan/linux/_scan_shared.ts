/** The runs of files that a scan gives away, and has to see answered in the end: by the helper, or by itself. */

import type { ScannedFile, SharedScan } from "../../../core/scan.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import type { ScanTreeOptions, Target } from "../../files/file_backend.ts";
import { type Run, RunReader, textOfRun } from "./scan_run.ts";
import type { ScanGiver } from "../scan_sharing.ts";

/** UTF-16 units that surely make a path which system calls take: PATH_MAX (linux/limits.h) of three bytes each. */
const LONGEST_DIRECTORY = 4096 / 3;

interface GivenRun extends Run {
  readonly place: number;
}

/** Null where nobody can help, or the scan does not let them. */
export function createGivenRuns(
  libc: Libc,
  target: Target,
  options: ScanTreeOptions,
): GivenRuns | null {
  const { scanShare, shared, room } = options;
  if (scanShare === null || shared === undefined || room === null) return null;
  return new GivenRuns(scanShare, shared, () => new RunReader(libc, target, { ...options, room }));
}

/** The runs of files that a scan gave to another thread, and what has come back of them. */
export class GivenRuns {
  readonly #scanShare: ScanGiver;
  readonly #shared: SharedScan;
  readonly #createReader: () => RunReader;
  /** Not yet answered, in the order in which they were given. */
  readonly #open: GivenRun[] = [];
  /** Came back without an answer. */
  readonly #returned: GivenRun[] = [];
  #reader: RunReader | null = null;

  constructor(scanShare: ScanGiver, shared: SharedScan, createReader: () => RunReader) {
    this.#scanShare = scanShare;
    this.#shared = shared;
    this.#createReader = createReader;
  }

  /** Asks for a helper. */
  call(): void {
    this.#scanShare.call();
  }

  /** Whether a run would be taken. */
  get ready(): boolean {
    this.#collect();
    return this.#scanShare.ready;
  }

  /** False for a run that cannot be given away: so deep that no path leads to it. */
  give(run: Run, place: number): boolean {
    if (run.directory.length >= LONGEST_DIRECTORY) return false;
    if (!this.#scanShare.offer(textOfRun(run), this.#shared.wanted(place))) return false;
    this.#open.push({ ...run, place });
    return true;
  }

  /**
   * Sees to it that all runs are answered. The last ones are read here meanwhile, from the end on, until those are
   * come to that the helper has answered: what it hangs in is read twice, and not waited for.
   */
  finish(visit: (file: ScannedFile) => void): void {
    for (;;) {
      this.#collect();
      const run = this.#returned.pop() ?? this.#open.pop();
      if (run === undefined) return;
      this.#reader ??= this.#createReader();
      this.#reader.read(run, run.place, visit);
    }
  }

  close(): void {
    this.#reader?.close();
    this.#scanShare.close();
  }

  #collect(): void {
    for (;;) {
      const findings = this.#scanShare.collect();
      if (findings === undefined) return;
      const run = this.#open.shift();
      // At the end of the scan it may have been read here by the time that it was answered.
      if (run === undefined) continue;
      if (findings === null) this.#returned.push(run);
      else this.#shared.take(run.place, findings);
    }
  }
}
