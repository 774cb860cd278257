/** Work that may have to wait for others, a few at a time: each holds up a thread of its own while it does. */

/** Runs a few at a time. What waits for its own is told so when nobody wants it any more. */
export class Concurrency {
  readonly #most: number;
  readonly #waiting: { readonly begin: () => void; readonly forget: () => void }[] = [];
  #running = 0;
  #closed = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** What the work comes to; `forgotten` where it was never begun. */
  async run<T>(work: () => Promise<T>, forgotten: T): Promise<T> {
    if (this.#closed) return forgotten;
    if (this.#running >= this.#most) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.#waiting.push({ begin: () => resolve(true), forget: () => resolve(false) });
      if (!await promise) return forgotten;
    } else this.#running++;
    try {
      return await work();
    } finally {
      // Its turn goes to the next.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.begin();
    }
  }

  /** Nothing is begun from now on. */
  close(): void {
    this.#closed = true;
    for (const { forget } of this.#waiting.splice(0)) forget();
  }
}
