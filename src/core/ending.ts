/** Ending work that is under way, for less than an AbortController takes: that is as much as reading a small file. */

/** What an AbortSignal is to who listens to one. */
export interface Ending {
  readonly aborted: boolean;
  /** Why; undefined before. */
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** An ending, in the hands of who decides on it. */
export class Ender implements Ending {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners = new Set<() => void>();

  /** Tells all who listen, once; what comes later changes nothing. */
  end(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // Who is told may listen no more, or make others listen no more.
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.delete(listener)) listener();
    }
  }

  /** Who comes too late is not told, as by an AbortSignal: `aborted` says it. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.aborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
