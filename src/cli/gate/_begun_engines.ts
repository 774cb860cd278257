/** Engines for a folder that is being made. */

import type { Worktree } from "../../engine/worktrees/place_policies.ts";

/** The engines of a child, which are begun while git lays out its worktree: that is most of what they take. */
export class BegunEngines<E extends { readonly close: () => Promise<void> }> {
  readonly #open: (worktree: Worktree) => Promise<E>;
  readonly #expected: Worktree;
  #begun: Promise<E> | null = null;

  /** `expected`: the worktree that there will be. */
  constructor(open: (worktree: Worktree) => Promise<E>, expected: Worktree) {
    this.#open = open;
    this.#expected = expected;
  }

  begin(): void {
    this.#begun ??= this.#open(this.#expected);
    // Told to who takes them.
    this.#begun.catch(() => {});
  }

  /** Those of this worktree, whether it is the one that was expected or not. */
  async take(worktree: Worktree): Promise<E> {
    if (this.#begun !== null && isSame(worktree, this.#expected)) return await this.#begun;
    await this.drop();
    return await this.#open(worktree);
  }

  async drop(): Promise<void> {
    await (await this.#begun?.catch(() => null))?.close();
  }
}

/** Git gives its own folder another name where there was one of this name before. */
function isSame({ root, home }: Worktree, other: Worktree): boolean {
  return root === other.root && home.common === other.home.common && home.own === other.home.own;
}
