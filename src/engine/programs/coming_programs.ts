/**
 * Programs whose start nobody waits for. Until they are there, all that the kernel tells of them is this process's own: its memory
 * is no run's to answer for, and its environment no mark of one.
 */

/** Those of one run. */
export class ComingPrograms {
  readonly #coming = new Map<number, () => boolean>();

  /** One was started; `isOnItsWay`: whether it is not there yet. */
  add(id: number, isOnItsWay: () => boolean): void {
    this.#coming.set(id, isOnItsWay);
  }

  /** Whether it is still on its way. */
  has(id: number): boolean {
    const isOnItsWay = this.#coming.get(id);
    if (isOnItsWay === undefined) return false;
    if (isOnItsWay()) return true;
    this.#coming.delete(id);
    return false;
  }
}
