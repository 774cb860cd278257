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
  readonly #jobs: Job[] = [];
  /** Of the shell around a substitution: listed in it, and nothing else. */
  readonly #around: Jobs | null;
  #numbers = 0;

  constructor(around: Jobs | null = null) {
    this.#around = around;
  }

  nextNumber(): number {
    return ++this.#numbers;
  }

  add(job: Job): void {
    this.#jobs.push(job);
  }

  get all(): readonly Job[] {
    return this.#jobs;
  }

  get running(): readonly Job[] {
    return this.#jobs.filter((job) => job.status() === null);
  }

  /** As `jobs` tells of them. */
  get listed(): readonly Job[] {
    return [...this.#around?.listed ?? [], ...this.#jobs];
  }

  /** `%1`, `%%`, `%+`, or its number as a process; null for none of them. */
  named(text: string): Job | null {
    if (text === "%%" || text === "%+" || text === "%") return this.running.at(-1) ?? null;
    const found = text.startsWith("%")
      ? this.#jobs.find(({ number }) => String(number) === text.slice(1))
      : this.#jobs.find(({ id }) => String(id) === text);
    return found ?? null;
  }

  /** Nobody waits for it again. */
  forget(job: Job): void {
    const at = this.#jobs.indexOf(job);
    if (at !== -1) this.#jobs.splice(at, 1);
    if (this.#jobs.length === 0) this.#numbers = 0;
  }
}
