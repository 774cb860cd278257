/** The runners of several engines before one loop: what is run by itself goes to the first of them. */

import type { Job, OnEvent, Running, StayingRunner } from "../engine/runner.ts";

/** Followed as one. */
export class JoinedRunners implements StayingRunner {
  readonly #first: StayingRunner;
  readonly #all: Set<StayingRunner>;
  readonly #listening = new Set<StayingRunner>();
  #waiting: PromiseWithResolvers<void> | null = null;
  readonly bell: StayingRunner["bell"] = { wait: () => this.#wait() };

  constructor(first: StayingRunner) {
    this.#first = first;
    this.#all = new Set([first]);
  }

  /** Whoever waits for the others hears this one too. */
  add(runner: StayingRunner): void {
    this.#all.add(runner);
    if (this.#waiting !== null) this.#listen(runner);
  }

  delete(runner: StayingRunner): void {
    this.#all.delete(runner);
  }

  get running(): number {
    return this.#sum(({ running }) => running);
  }

  get queued(): number {
    return this.#sum(({ queued }) => queued);
  }

  get threads(): number {
    return this.#sum(({ threads }) => threads);
  }

  #sum(of: (runner: StayingRunner) => number): number {
    let sum = 0;
    for (const runner of this.#all) sum += of(runner);
    return sum;
  }

  /** Nobody is waited for by himself while others may answer. */
  answersSoon(ms: number): boolean | Promise<boolean> {
    let busy: StayingRunner | null = null;
    for (const runner of this.#all) {
      if (runner.running === 0) continue;
      if (busy !== null) return false;
      busy = runner;
    }
    return busy?.answersSoon(ms) ?? false;
  }

  drain(): void {
    for (const runner of this.#all) runner.drain();
  }

  run(job: Job, onEvent: OnEvent): Running {
    return this.#first.run(job, onEvent);
  }

  close(): Promise<void> {
    return this.#first.close();
  }

  #wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    for (const runner of this.#all) this.#listen(runner);
    return promise;
  }

  #listen(runner: StayingRunner): void {
    if (this.#listening.has(runner)) return;
    this.#listening.add(runner);
    void runner.bell.wait().then(() => {
      this.#listening.delete(runner);
      this.#waiting?.resolve();
      this.#waiting = null;
    });
  }
}
