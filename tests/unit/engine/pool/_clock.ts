/** A clock that a test moves. */

/** The time that deadlines are held against: it stands but for what it is moved by. */
export class Clock implements Disposable {
  readonly #now = performance.now;
  #ms = 0;
  /** How often it was asked. */
  #asked = 0;

  constructor() {
    performance.now = () => {
      this.#asked++;
      return this.#ms;
    };
  }

  move(ms: number): void {
    this.#ms += ms;
  }

  /** Moves it on, and waits until it was seen. */
  async pass(ms: number): Promise<void> {
    this.move(ms);
    const asked = this.#asked;
    // Nobody asks it any more where all calls have ended.
    for (let turn = 0; turn < 2_000 && this.#asked < asked + 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
  }
}
