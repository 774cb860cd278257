/** A few pieces of work at once, each that waited in a turn of its own: others come in between. */

/** Lets so many begin, and each that has to wait once one of them has ended, in the order they came. */
export class FewAtOnce {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Those that have not begun. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Has `work` done, at once where there is room. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#begun < this.#most) this.#begun++;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** The place of one that has ended is the next one's. */
  #next(): void {
    const begin = this.#waiting.shift();
    if (begin === undefined) this.#begun--;
    else setTimeout(begin, 0);
  }
}
