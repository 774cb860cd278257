/** What a run of the tests comes to: counts, failures, and how long each part of the work took. */

import type { Counts } from "../_test_summary.ts";

/** Kept by one run. */
export class Tally {
  readonly #counts: Counts[] = [];
  readonly #failures: string[] = [];
  readonly #parts: string[] = [];

  /** Does one part of the work and notes how long it took. */
  async part<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    this.#parts.push(`${name} ${((performance.now() - started) / 1000).toFixed(0)} s`);
    return result;
  }

  /** @param failures What failed and why; empty where nothing did. */
  add(counts: Counts, failures: string): void {
    this.#counts.push(counts);
    if (failures !== "") this.#failures.push(failures);
  }

  /** Something around the tests went wrong: it counts as a failed one. */
  fail(what: string): void {
    this.add({ passed: 0, failed: 1 }, what);
  }

  get counts(): Counts {
    const sum = (of: keyof Counts) => this.#counts.reduce((total, one) => total + one[of], 0);
    return { passed: sum("passed"), failed: sum("failed") };
  }

  /** Failures, times and, as the last line, `N passed, N failed`. */
  report(): string {
    const { passed, failed } = this.counts;
    return [
      ...(this.#failures.length === 0
        ? []
        : [`\nWhat failed:\n\n${this.#failures.join("\n\n")}\n`]),
      ...(passed + failed === 0 ? ["no test has such a name"] : []),
      ...(this.#parts.length === 0 ? [] : [this.#parts.join(" · ")]),
      `${passed} passed, ${failed} failed`,
    ].join("\n");
  }
}
