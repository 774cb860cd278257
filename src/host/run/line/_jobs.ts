/** What a line runs beside itself (`&`): its numbers, how it ended, and how it is ended. */

import type { Ended } from "../_programs.ts";

/** A background command under way. */
export interface Job {
  /** As `%1` names it. */
  readonly number: number;
  /** As `$!` names it. */
  readonly id: number;
  readonly ended: Promise<Ended>;
  /** Set once it has ended. */
  readonly status: () => Ended | null;
  /** Ends it, or tells its programs of a signal. */
  readonly signal: (number: number) => void;
}

/** Those of one shell. */
export class Jobs {
  /** Whose end can still be asked for by their ids. */
  readonly #known: Job[] = [];
  /** Those of them that have a number: the next gets one more than the last of these (jobs.c, stop_pipeline, of bash). */
  #listed: readonly Job[] = [];
  /** Of the shell around a substitution: listed in it, and nothing else. */
  readonly #around: Jobs | null;

  constructor(around: Jobs | null = null) {
    this.#around = around;
  }

  nextNumber(): number {
    return (this.#listed.at(-1)?.number ?? 0) + 1;
  }

  add(job: Job): void {
    this.#known.push(job);
    this.#listed = [...this.#listed, job];
  }

  get all(): readonly Job[] {
    return this.#known;
  }

  /** What `wait -n` may tell of. */
  get unnoticed(): readonly Job[] {
    return this.#listed;
  }

  get running(): readonly Job[] {
    return this.#known.filter((job) => job.status() === null);
  }

  /** As `jobs` tells of them. */
  get listed(): readonly Job[] {
    return [...this.#around?.listed ?? [], ...this.#listed];
  }

  /** `%1`, `%%`, `%+`, or its number as a process; null for none of them. */
  named(text: string): Job | null {
    if (text === "%%" || text === "%+" || text === "%") return this.running.at(-1) ?? null;
    const found = text.startsWith("%")
      ? this.#listed.find(({ number }) => String(number) === text.slice(1))
      : this.#known.find(({ id }) => String(id) === text);
    return found ?? null;
  }

  /** The shell has waited for something else: those that have ended have no number any more. */
  noticed(): void {
    if (this.#listed.length > 0) this.#listed = this.running;
  }

  /** It was waited for, and has no number any more. */
  waited(job: Job): void {
    this.#listed = this.#listed.filter((other) => other !== job);
  }

  /** Nobody waits for it again. */
  forget(job: Job): void {
    const at = this.#known.indexOf(job);
    if (at !== -1) this.#known.splice(at, 1);
    this.waited(job);
  }
}
