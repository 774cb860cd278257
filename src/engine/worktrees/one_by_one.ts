/** Changes of a repository's worktrees, one after the other: whoever looks at all of them finds each whole, or not at all. */

/** One for all that makes and removes worktrees of a repository in this process. */
export class OneByOne {
  #settled: Promise<unknown> = Promise.resolve();

  /** Begins once what came before it has ended, however. */
  run<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#settled.then(change);
    this.#settled = done.catch(() => {});
    return done;
  }
}
