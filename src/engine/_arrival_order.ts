/** Calls run in the order in which they came, though some take longer to judge: a tool's first call loads it. */

/** Gives what is ready in the order in which it was asked for. */
export class ArrivalOrder {
  #last: Promise<unknown> | null = null;

  /** The decision, once all that came before it are settled; at once where nothing is awaited. */
  take<T>(judging: T | Promise<T>): T | Promise<T> {
    const before = this.#last;
    if (before === null && !(judging instanceof Promise)) return judging;
    const turn = Promise.allSettled([before, judging]).then(() => judging);
    const end = () => {
      if (this.#last === turn) this.#last = null;
    };
    // Heard before whoever waits for the turn goes on, so that nothing can slip in between.
    turn.then(end, end);
    this.#last = turn;
    return turn;
  }
}
