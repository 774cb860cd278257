/** Repeatable randomness for generated inputs: a run that failed can be run again. */

/** A source of numbers from a seed: Marsaglia's xorshift32 (Journal of Statistical Software 8(14), 2003). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed | 0) || 1;
  }

  /** A whole number from 0 up to but without `end`. */
  below(end: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % end;
  }

  /** One of a list. */
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** True once in `n` times. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  /** A text of up to `length` pieces out of `alphabet`. */
  text(length: number, alphabet: readonly string[]): string {
    return Array.from({ length: this.below(length + 1) }, () => this.pick(alphabet)).join("");
  }
}
